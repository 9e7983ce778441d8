/** In what stays of these the keyboard goes on when what had it has gone. */
const areas = ".queue, .changes, .changes li, .hunk, .tasks, .entry-actions, .list, .find, .log-frame";

const focusable = "button:not(:disabled), a[href], input:not(:disabled), textarea:not(:disabled), [tabindex='0']";

/** A click that brings the window back goes where it is, ms. */
const clickTime = 300;

/**
 * Keeps the keyboard in the page while the page has it: a button that goes with its press, an entry that is drawn no more, and a
 * page that is loaded anew would leave it nowhere. It is never taken from anything else.
 */
export function keepFocus(): void {
  /** What had it last, and what is around that, from the inside. */
  let chain: readonly Element[] = [];
  let clickedAt = Number.NEGATIVE_INFINITY;
  const restore = (): void => {
    const { activeElement: active } = document;
    const isNowhere = active === null || active === document.body || active === document.documentElement;
    if (!isNowhere || !document.hasFocus() || chain[0]?.isConnected === true) return;
    const around = chain.filter((element) => element.isConnected && element.matches(areas));
    const places = [...around, ...document.querySelectorAll(".composer textarea")];
    for (const place of places) {
      const found = [place, ...place.querySelectorAll(focusable)].find(
        (element) => element.matches(focusable) && element.getClientRects().length > 0,
      );
      if (!(found instanceof HTMLElement)) continue;
      found.focus({ preventScroll: true });
      return;
    }
  };
  addEventListener("focusin", ({ target }) => {
    const around: Element[] = [];
    for (let at = target instanceof Element ? target : null; at !== null; at = at.parentElement) around.push(at);
    chain = around;
  });
  addEventListener("pointerdown", () => (clickedAt = performance.now()), true);
  addEventListener("focus", () =>
    setTimeout(() => {
      if (performance.now() - clickedAt > clickTime) restore();
    }),
  );
  new MutationObserver(restore).observe(document, { subtree: true, childList: true });
  restore();
}
