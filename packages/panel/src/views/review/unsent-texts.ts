import type { UnsentText } from "./review-text.ts";

// What a page says while it goes may not leave it: what was typed last is kept in the tab, for the page that comes in its place.

const name = "patchbay.review";

/** What was typed into a review when the page before this one went; once. */
export function takeUnsent(id: string): UnsentText | undefined {
  try {
    // A list, as this file has written it.
    const found: unknown = JSON.parse(sessionStorage.getItem(name) ?? "");
    const [of, base, right]: readonly unknown[] = Array.isArray(found) ? found : [];
    if (of !== id || typeof base !== "string" || typeof right !== "string") return undefined;
    sessionStorage.removeItem(name);
    return { base, right };
  } catch {
    return undefined;
  }
}

/** Keeps it when the page goes. Gives what ends that. */
export function keepOverReload(id: string, unsent: () => UnsentText | undefined): () => void {
  const keep = (): void => {
    try {
      const text = unsent();
      if (text !== undefined) sessionStorage.setItem(name, JSON.stringify([id, text.base, text.right]));
    } catch {
      // There is none here, or it is full.
    }
  };
  // A page that was only put aside goes on with what it has.
  const forget = (): void => void takeUnsent(id);
  addEventListener("pagehide", keep);
  addEventListener("pageshow", forget);
  return () => {
    removeEventListener("pagehide", keep);
    removeEventListener("pageshow", forget);
  };
}
