import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ReviewInfo } from "../../messages/reviews.ts";
import { usePanel, usePanelEvent, useWords, type Words } from "../../store/use-panel.ts";
import type { StringKey } from "../../strings.ts";
import { Icon, IconButton } from "../widgets/icon.tsx";
import { shownPath, useFolders } from "../widgets/paths.ts";
import { PathText } from "../widgets/path-text.tsx";
import { visibleLine } from "../widgets/visible-text.ts";
import { BlockRow } from "./block-row.tsx";
import { FindInReview, type FoundLine } from "./find.tsx";
import { nextChange, pageClock, useIsWide, useLostKeys } from "./looking.ts";
import { type ReviewNotice, ReviewState } from "./review-state.ts";
import { Rows } from "./rows.tsx";
import type { ShownReviews } from "./shown-reviews.ts";
import { keepOverReload, takeUnsent } from "./unsent-texts.ts";
import { UnwrittenText } from "./unwritten-text.tsx";

/** A review in the page: both sides, the right one to be edited, and the verdicts. */
export function Review({ shown, id }: { readonly shown: ShownReviews; readonly id: string }): JSX.Element {
  const panel = usePanel();
  const words = useWords();
  const folders = useFolders();
  const [, setVersion] = useState(0);
  // Also behind its end.
  const last = useRef<ReviewInfo | undefined>(undefined);
  const state = useMemo(
    () =>
      new ReviewState(
        id,
        (message) => panel.post(message),
        pageClock,
        () => setVersion((version) => version + 1),
        takeUnsent(id),
      ),
    [id],
  );
  const info = shown.reviews.find((one) => one.id === id) ?? last.current;
  if (info !== undefined) last.current = info;
  const unwritten = shown.unwritten.find((one) => one.id === id);
  const isReadOnly = info?.isReadOnly === true || state.end !== undefined;
  const scroller = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState<{ readonly key: number; readonly found?: FoundLine }>();
  const [isFinding, setFinding] = useState(false);
  const isWide = useIsWide(scroller);
  const [chosen, setChosen] = useState<"unified" | "beside">();
  const isUnified = chosen === undefined ? !isWide : chosen === "unified";
  useEffect(() => {
    const stop = shown.follow((message) => state.receive(message));
    if (!state.isAsked) state.text.ask();
    return () => {
      stop();
      state.dispose();
      panel.post({ type: "review-leave", id });
    };
  }, [state]);
  useEffect(() => keepOverReload(id, () => state.text.unsent), [state]);
  // The host knows nothing of this page, or knows it anew.
  usePanelEvent((event) => {
    if (event.type === "opened") state.text.ask();
  });
  useEffect(() => state.informed(), [info, state]);
  const show = (key: number | undefined): void => setWanted(key === undefined ? undefined : { key });
  const go = (way: -1 | 1): void => show(nextChange(state.blocks, scroller.current, way));
  useLayoutEffect(() => {
    const row = scroller.current?.querySelector(`[data-block="${wanted?.key}"]`);
    if (wanted?.found !== undefined) {
      const { side, line } = wanted.found;
      row?.querySelector(`.${side} [data-number="${line + 1}"]`)?.scrollIntoView({ block: "center" });
      return;
    }
    const bar = row?.querySelector<HTMLElement>(".change-bar");
    bar?.scrollIntoView({ block: "center" });
    bar?.focus({ preventScroll: true });
  }, [wanted]);
  // The next hunk comes in the place of the one that was decided.
  useLayoutEffect(() => {
    if (state.decidedAt === undefined) return;
    const changes = state.blocks.filter(({ isFirst }) => isFirst);
    const { line } = state.decidedAt;
    show((changes.find(({ right }) => right.start >= line) ?? changes.at(-1))?.key);
  }, [state.decidedAt]);
  // The user has asked for it.
  useLayoutEffect(() => {
    if (state.isLoaded) go(1);
  }, [state.isLoaded]);
  const leave = (): void => {
    shown.show(undefined);
    panel.emit({ type: "command", command: "focus" });
  };
  const hasVerdict = state.end === "accepted" || state.end === "rejected";
  useEffect(() => {
    if (hasVerdict) leave();
  }, [hasVerdict]);
  const onWay = (event: KeyboardEvent): void => {
    if (event.key === "F7" && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      go(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      event.preventDefault();
      leave();
    } else if (event.key.toLowerCase() === "f" && event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      setFinding(true);
    }
  };
  useLostKeys(onWay);
  /** The keys go to what was found, where it can be edited. */
  const leaveFinding = (found: FoundLine | undefined): void => {
    setFinding(false);
    if (found?.side === "right" && !isReadOnly) state.goTo(found);
    else scroller.current?.focus({ preventScroll: true });
  };
  const place = shownPath(info?.path ?? "", folders);
  const path = visibleLine(place);
  return (
    <section
      class={`review ${isUnified ? "unified" : "beside"}`}
      aria-label={words("review.label", { path })}
      aria-busy={!state.isLoaded}
      onKeyDown={(event) => {
        if (event.defaultPrevented) return;
        onWay(event);
        if (!event.defaultPrevented) changeKey(event, state, go);
      }}
    >
      <header class="head review-head">
        <IconButton icon="close" label={words("review.leave")} onClick={leave} />
        <h1 class="head-title">
          <span class="head-name" title={visibleLine(info?.path ?? "")} dir="ltr">
            <PathText path={place} />
          </span>
          <span class="head-agent">{info?.agentName}</span>
        </h1>
        <span class="note review-count">{countWords(state, info, words)}</span>
        <IconButton
          icon="arrowUp"
          label={words("review.previous")}
          onClick={() => go(-1)}
          isDisabled={state.changes === 0}
        />
        <IconButton
          icon="arrowDown"
          label={words("review.next")}
          onClick={() => go(1)}
          isDisabled={state.changes === 0}
        />
        <IconButton
          icon="undo"
          label={words("review.undo")}
          onClick={() => state.act({ type: "review-undo" })}
          isDisabled={state.isDeciding || (info?.decided ?? 0) === 0}
        />
        <IconButton
          icon="search"
          label={words("find.label")}
          isPressed={isFinding}
          onClick={() => (isFinding ? leaveFinding(undefined) : setFinding(true))}
        />
        <IconButton
          icon="list"
          label={words("review.unified")}
          isPressed={isUnified}
          onClick={() => setChosen(isUnified ? "beside" : "unified")}
        />
      </header>
      {isFinding ? (
        <FindInReview
          state={state}
          rows={() => scroller.current}
          onGo={(found) => setWanted({ key: found.key, found })}
          onClose={leaveFinding}
        />
      ) : undefined}
      <Notes state={state} info={info} isUnwritten={unwritten !== undefined} />
      <div ref={scroller} class="review-body" tabIndex={0} role="group" aria-label={words("review.sides")}>
        <Rows
          state={state}
          scroller={scroller}
          isUnified={isUnified}
          wanted={wanted?.key}
          draw={(block) => (
            <BlockRow key={block.key} state={state} block={block} isReadOnly={isReadOnly} onWay={onWay} />
          )}
        />
      </div>
      {state.end !== undefined ? undefined : unwritten === undefined ? (
        <Foot state={state} info={info} />
      ) : (
        <footer class="review-foot">
          <UnwrittenText text={unwritten} />
        </footer>
      )}
    </section>
  );
}

/** Letters decide where nothing is written: on the bar of a change, which takes the focus by F7 or a click. */
function changeKey(event: KeyboardEvent, state: ReviewState, go: (way: -1 | 1) => void): void {
  const { target } = event;
  const bar = target instanceof HTMLElement && target.classList.contains("change-bar") ? target : undefined;
  if (bar === undefined || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const line = Number(bar.dataset["line"]);
  const row = bar.closest(".review-row");
  switch (event.key) {
    case "j":
      go(1);
      break;
    case "k":
      go(-1);
      break;
    case "a":
      state.act({ type: "review-hunk", verdict: "accept", line });
      break;
    case "r":
      state.act({ type: "review-hunk", verdict: "reject", line });
      break;
    case "u":
      state.act({ type: "review-undo" });
      break;
    case "Enter":
      row?.querySelector("textarea")?.focus();
      break;
    default:
      return;
  }
  event.preventDefault();
}

function countWords(state: ReviewState, info: ReviewInfo | undefined, words: Words): string {
  if (!state.isLoaded) return words("review.loading");
  const decided = info?.decided ?? 0;
  const left = words("review.count", { count: state.changes });
  return decided === 0 ? left : `${left} · ${words("review.decided", { count: decided })}`;
}

const noticeKeys: Readonly<Record<ReviewNotice, StringKey>> = {
  changed: "review.changed",
  conflict: "review.conflictFirst",
  "read-only": "ask.readOnly",
  none: "review.none",
  failed: "review.failed",
  rebased: "review.rebased",
  elsewhere: "review.elsewhere",
};

/** What there is to know before a verdict, in words. What has just happened is said to screen readers, too. */
function Notes({
  state,
  info,
  isUnwritten,
}: {
  readonly state: ReviewState;
  readonly info: ReviewInfo | undefined;
  readonly isUnwritten: boolean;
}): JSX.Element {
  const words = useWords();
  const agent = info?.agentName ?? "";
  const notes: string[] = [];
  if (info?.kind === "create") notes.push(words("review.create"));
  if (info?.kind === "delete") notes.push(words("review.delete"));
  if (info?.isUnsaved === true) notes.push(words("review.unsaved"));
  if (info?.isReadOnly === true) notes.push(words("ask.readOnly"));
  if (info?.isAgentPresent === false && !isUnwritten) notes.push(words("review.agentGone", { agent }));
  if (info?.isDecidedInTerminal === true) notes.push(words("review.inTerminal", { agent }));
  const isConflict = info?.standing === "conflict" && state.end === undefined;
  const said = state.end === undefined ? state.notice : undefined;
  return (
    <div class="review-notes">
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <div role="status">
        {isConflict ? (
          <p class="review-notice warning">
            <Icon name="warning" /> {words("review.conflict")}
          </p>
        ) : undefined}
        {said === undefined ? undefined : (
          <p class="review-notice">
            <Icon name="info" /> {words(noticeKeys[said], { agent })}
          </p>
        )}
        {state.end === undefined ? undefined : (
          <p class="review-notice">
            <Icon name="info" /> {words(`review.ended.${state.end}`, { agent })}
          </p>
        )}
      </div>
    </div>
  );
}

/** The verdicts on the whole. Reject comes first and is no default of any key. */
function Foot({ state, info }: { readonly state: ReviewState; readonly info: ReviewInfo | undefined }): JSX.Element {
  const words = useWords();
  const [reason, setReason] = useState("");
  const agent = info?.agentName ?? "";
  const isOff = !state.isLoaded || state.isDeciding || info?.isAgentPresent === false;
  const reject = (): void => {
    const said = reason.trim();
    state.act({ type: "review-decide", verdict: "reject", ...(said === "" ? {} : { reason: said }) });
  };
  return (
    <footer class="review-foot">
      {info?.readsReasons === true ? (
        <input
          type="text"
          dir="auto"
          class="field"
          aria-label={words("ask.rejectWhy", { agent })}
          placeholder={words("ask.rejectWhy", { agent })}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
      ) : null}
      <button type="button" class="button" disabled={isOff} onClick={reject}>
        {words("review.reject")}
      </button>
      <button
        type="button"
        class="button primary"
        disabled={isOff || info?.standing === "conflict"}
        onClick={() => state.act({ type: "review-decide", verdict: "accept" })}
      >
        {words("review.accept")}
      </button>
    </footer>
  );
}
