import type { ConversationSnapshot, PlacedEntry } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { newestCount, olderCount } from "../../messages/for-page.ts";
import { useAgentName, usePanel, usePanelEvent, useWords } from "../../store/use-panel.ts";
import { EntryView } from "../entries/entry.tsx";
import { answersIn, groupEntries, type Groups } from "../entries/grouping.ts";
import { Icon } from "../widgets/icon.tsx";
import { type Later, later } from "../widgets/later.tsx";
import { useScroll } from "./use-scroll.ts";

/** What the session is doing. */
export const StatusRow: Later<object> = later();

/** The conversation itself: the newest entries, and older ones as one scrolls back. */
export function Log({ open }: { readonly open: ConversationSnapshot }): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const agent = useAgentName();
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const anchor = useRef(panel.kept.of(open.id).anchor);
  const groups = useRef<Groups | undefined>(undefined);
  groups.current = groupEntries(open.entries, groups.current);
  const { top, nested } = groups.current;
  const [start, setStart] = useState<number | undefined>(() => {
    const place = anchor.current?.place;
    return place !== undefined && top.some((placed) => placed.place === place) ? startAround(top, place) : undefined;
  });
  const newest = useNewest();
  const shown = shownOf(top, start, newest);
  const asking = openQuestionBefore(open, shown);
  const now = useRef({ top, shown, start });
  now.current = { top, shown, start };

  const scroll = useScroll(scroller, content, {
    isLive: shown.after === 0,
    onPin: (isPinned) => setStart(isPinned ? undefined : now.current.shown.entries[0]?.place),
    onNearStart: () => {
      if (now.current.shown.before === 0) panel.askOlder();
      else setStart(startMoved(now.current.top, now.current.shown, -1));
    },
    onNearEnd: () => {
      if (now.current.shown.after > 0) setStart(startMoved(now.current.top, now.current.shown, 1));
    },
    onScrolled: () => keepAnchor(),
  });

  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const keepAnchor = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const { current: view } = scroller;
      if (view === null) return;
      panel.kept.set(open.id, { anchor: scroll.isPinned() ? {} : anchorIn(view) });
    }, 200);
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  const [, setReveals] = useState(0);
  const wanted = useRef<{ readonly place: number; readonly offset?: number } | undefined>(undefined);
  // Where one was reading before the page was hidden, also if it is not loaded any more.
  useLayoutEffect(() => {
    const { place, offset = 0 } = anchor.current ?? {};
    if (place === undefined || place < open.start) return;
    wanted.current = { place, offset };
    scroll.unpin();
    setReveals((count) => count + 1);
  }, []);

  const reveal = (wantedPlace: number): void => {
    const place = answersIn(open.entries).rowOf.get(wantedPlace) ?? wantedPlace;
    const first = now.current.top[0]?.place;
    wanted.current = { place };
    // Drawn again even where the same entries stay in the document.
    setReveals((count) => count + 1);
    if (first !== undefined && place < first && first > open.start) {
      scroll.unpin();
      panel.askOlder();
      return;
    }
    scroll.unpin();
    setStart(startAround(now.current.top, place));
  };
  useLayoutEffect(() => {
    const { place, offset } = wanted.current ?? {};
    if (place === undefined) {
      if (start !== undefined) scroll.settle();
      else panel.trim();
      return;
    }
    const entry = elementAt(scroller.current, place);
    if (entry === undefined) {
      if ((top[0]?.place ?? 0) > place) panel.askOlder();
      else if (start !== startAround(top, place)) setStart(startAround(top, place));
      // It is nowhere.
      else wanted.current = undefined;
      return;
    }
    wanted.current = undefined;
    const { current: view } = scroller;
    if (offset === undefined || view === null) entry.scrollIntoView({ block: "center" });
    else view.scrollTop = entry.offsetTop - view.offsetTop + offset;
  });

  usePanelEvent((event) => {
    if (event.type === "sent") scroll.pin();
    else if (event.type === "reveal") reveal(event.place);
    else if (event.type === "command" && event.command === "previous-prompt") goToPrompt(-1);
    else if (event.type === "command" && event.command === "next-prompt") goToPrompt(1);
  });
  const goToPrompt = (direction: -1 | 1): void => {
    const { current: view } = scroller;
    if (view === null) return;
    const prompt = promptBeside(view, direction, scroll.isPinned());
    if (prompt === undefined) {
      if (direction === -1) return;
      scroll.pin();
      panel.emit({ type: "command", command: "focus" });
      return;
    }
    scroll.unpin();
    prompt.scrollIntoView({ block: "start" });
    prompt.focus({ preventScroll: true });
  };

  return (
    <div class="log-frame">
      <div
        class={start === undefined ? "log following" : "log"}
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label={words("log.label", { agent })}
        tabIndex={0}
      >
        <div class="log-content" ref={content}>
          {shown.before > 0 || (top[0]?.place ?? open.start) > open.start ? (
            <p class="note older">{words("log.older")}</p>
          ) : undefined}
          {top.length === 0 ? (
            <div class="empty">
              <p>{words("log.empty", { agent })}</p>
              <p class="note">{words("compose.hint")}</p>
            </div>
          ) : undefined}
          {shown.entries.map((placed, index) => (
            <EntryView
              key={placed.entry.id}
              entry={placed.entry}
              place={placed.place}
              nested={nested.get(placed.entry.id)}
              isFirstReply={isFirstReply(shown, index)}
            />
          ))}
          <StatusRow />
        </div>
      </div>
      {asking === undefined ? undefined : (
        <button type="button" class="button latest asking-above" onClick={() => reveal(asking.place)}>
          <Icon name="question" />
          {words("log.question")}
        </button>
      )}
      {start === undefined ? undefined : (
        <button type="button" class="button latest" onClick={scroll.pin}>
          <Icon name="arrowDown" />
          {words("log.latest")}
        </button>
      )}
    </div>
  );
}

/** How many of the newest entries are drawn: more after each frame, until it is as many as are shown at first. */
function useNewest(): number {
  const [count, setCount] = useState(firstCount);
  // Effects come after the frame.
  useEffect(() => {
    if (count >= newestCount) return undefined;
    const timer = setTimeout(() => setCount(count + firstCount));
    return () => clearTimeout(timer);
  }, [count]);
  return count;
}

/** An open question that is too far back to be in the document. */
function openQuestionBefore({ entries, waiting }: ConversationSnapshot, shown: Shown): PlacedEntry | undefined {
  const first = shown.entries[0]?.place ?? 0;
  if (waiting === 0) return undefined;
  return entries.find(({ place, entry }) => place < first && entry.kind === "question" && entry.outcome === undefined);
}

function isFirstReply({ entries }: Shown, index: number): boolean {
  const isOwn = (placed: PlacedEntry | undefined): boolean => placed === undefined || placed.entry.kind === "prompt";
  return !isOwn(entries[index]) && isOwn(entries[index - 1]);
}

/** The first entry that is at least partly visible. */
function anchorIn(view: HTMLElement): { place?: number; offset?: number } {
  const { top } = view.getBoundingClientRect();
  for (const entry of view.querySelectorAll<HTMLElement>(".log-content > .entry")) {
    const rect = entry.getBoundingClientRect();
    if (rect.bottom > top + 1) return { place: Number(entry.dataset["place"]), offset: top - rect.top };
  }
  return {};
}

/** The entry at a place, or the one that it is nested in. */
function elementAt(view: HTMLElement | null, place: number): HTMLElement | undefined {
  const entries = Array.from(view?.querySelectorAll<HTMLElement>(".entry") ?? []);
  const exact = entries.find((entry) => Number(entry.dataset["place"]) === place);
  if (exact !== undefined) return exact;
  const [first] = entries;
  if (first === undefined || Number(first.dataset["place"]) > place) return undefined;
  const before = entries.findLast((entry) => Number(entry.dataset["place"]) < place);
  return entries.at(-1) === before ? undefined : before;
}

/** From the one that has the keyboard, else from what is seen; from the end it is the last one. */
function promptBeside(view: HTMLElement, direction: -1 | 1, isAtEnd: boolean): HTMLElement | undefined {
  const { top } = view.getBoundingClientRect();
  const prompts = Array.from(view.querySelectorAll<HTMLElement>(".entry-prompt"));
  const at = (prompt: HTMLElement): number => prompt.getBoundingClientRect().top - top;
  const focused = prompts.findIndex((prompt) => prompt === document.activeElement);
  const beside =
    direction === -1 ? prompts.findLast((prompt) => at(prompt) < -4) : prompts.find((prompt) => at(prompt) > 24);
  const near = isAtEnd && direction === -1 ? prompts.at(-1) : beside;
  const found = focused === -1 ? near : prompts[focused + direction];
  found?.setAttribute("tabindex", "-1");
  return found;
}

/** Entries that are in the document at most while somebody reads back. */
const mostShown = 300;

/** Entries that are drawn first. The others of the newest follow above them in steps of as many, so that what is read first is soon there. */
const firstCount = 20;

/** What of the entries is in the document. */
interface Shown {
  readonly entries: readonly PlacedEntry[];
  /** How many are loaded before and after. */
  readonly before: number;
  readonly after: number;
}

/** `start`: the place of the first one; undefined: the newest, `newest` of them. */
function shownOf(top: readonly PlacedEntry[], start: number | undefined, newest: number = newestCount): Shown {
  const first = start === undefined ? top.length - newest : top.findIndex(({ place }) => place >= start);
  const before = first < 0 ? Math.max(0, top.length - newest) : first;
  const entries = top.slice(before, start === undefined ? undefined : before + mostShown);
  return { entries, before, after: top.length - before - entries.length };
}

/** The start that shows a page more before, or after. */
function startMoved(top: readonly PlacedEntry[], { before }: Shown, direction: -1 | 1): number | undefined {
  const index = Math.max(0, before + direction * olderCount);
  return top[Math.min(index, Math.max(0, top.length - newestCount))]?.place;
}

/** The start that shows a place with some before it. */
function startAround(top: readonly PlacedEntry[], place: number): number | undefined {
  const index = top.findIndex((placed) => placed.place >= place);
  return top[Math.max(0, index - 20)]?.place;
}
