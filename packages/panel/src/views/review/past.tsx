import type { ChangedFile } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PastSides } from "../../messages/reviews.ts";
import { usePanel, usePanelEvent, useSelected, useWords } from "../../store/use-panel.ts";
import { canKeep, canUndo, FileName, KindBadges } from "../turns/changed-file.tsx";
import { FactNotes } from "../turns/file-hunks.tsx";
import { HunkBadge, HunkVerdicts, type PastVerdict, verdictsOn } from "../turns/hunk-verdicts.tsx";
import { turnsIn, useTurns } from "../turns/turns.ts";
import { IconButton } from "../widgets/icon.tsx";
import { shownPath, useFolders } from "../widgets/paths.ts";
import { PathText } from "../widgets/path-text.tsx";
import { LineCounts } from "../widgets/small-diff.tsx";
import { visibleLine } from "../widgets/visible-text.ts";
import type { Block } from "./blocks.ts";
import { FindInReview, type FoundLine } from "./find.tsx";
import { nextChange, pageClock, useIsWide, useLostKeys } from "./looking.ts";
import { type ComparedSides, compareSides } from "./past-sides.ts";
import { guardTime } from "./review-state.ts";
import { Rows } from "./rows.tsx";
import { SidesRow } from "./sides-row.tsx";
import type { ShownPast, ShownReviews } from "./shown-reviews.ts";

/** What is already written: both sides, to be read, and what can still be kept and undone of it. */
export function Past({ shown, past }: { readonly shown: ShownReviews; readonly past: ShownPast }): JSX.Element {
  const panel = usePanel();
  const words = useWords();
  const folders = useFolders();
  const conversation = useSelected(({ open }) => open?.id);
  const turn = useTurns((open) => turnsIn(open).find((one) => one.turn === past.turn));
  const [chosen, setChosen] = useState("");
  const path = past.paths.includes(chosen) ? chosen : (past.paths[0] ?? "");
  const file = turn?.files.find((one) => one.path === path);
  const compared = useCompared(past, path);
  const scroller = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState<{ readonly key: number; readonly found?: FoundLine }>();
  const [isFinding, setFinding] = useState(false);
  const isWide = useIsWide(scroller);
  const [way, setWay] = useState<"unified" | "beside">();
  const isUnified = way === undefined ? !isWide : way === "unified";
  const act = (action: PastVerdict | "sides", hunk?: string): void => {
    if (conversation === undefined || past.turn === undefined) return;
    const about = { type: "changes", conversation, turn: past.turn, action, path } as const;
    panel.post({ ...about, ...(hunk === undefined ? {} : { hunk }) });
  };
  // What is shown stays until there is something newer.
  useEffect(() => act("sides"), [past.turn, path, file?.revision, file?.state]);
  usePanelEvent((event) => {
    if (event.type === "opened" && !event.isSame) shown.show(undefined);
  });
  const leave = (): void => {
    shown.show(undefined);
    panel.emit({ type: "command", command: "focus" });
  };
  const blocks = compared?.blocks ?? [];
  /** Behind the last hunk of a file comes the next file. */
  const go = (to: -1 | 1): void => {
    const firsts = blocks.filter(({ isFirst }) => isFirst);
    const at = document.activeElement?.closest<HTMLElement>("[data-block]")?.dataset["block"];
    const isAtEnd = firsts.length === 0 || String(firsts.at(to === 1 ? -1 : 0)?.key) === at;
    const next = past.paths.at((past.paths.indexOf(path) + to) % past.paths.length);
    if (isAtEnd && next !== undefined && past.paths.length > 1) return setChosen(next);
    const key = nextChange(blocks, scroller.current, to);
    setWanted(key === undefined ? undefined : { key });
  };
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
  // The user has asked for it.
  const isThere = compared !== undefined;
  useLayoutEffect(() => {
    const first = blocks.find(({ isFirst }) => isFirst);
    if (first === undefined) scroller.current?.focus({ preventScroll: true });
    else setWanted({ key: first.key });
  }, [isThere, path]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey;
    const isFind = event.key.toLowerCase() === "f" && event.ctrlKey !== event.metaKey && !event.altKey;
    if (event.key === "F7" && isPlain) go(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") leave();
    else if (isFind && !event.shiftKey) setFinding(true);
    else if (!(isPlain && !event.repeat && onBarKey(event))) return;
    event.preventDefault();
  };
  useLostKeys(onKeyDown);
  const shownAt = useRef(0);
  useLayoutEffect(() => void (shownAt.current = performance.now()), [isThere, path]);
  /** What has only just come into view takes no verdict. */
  const decide = (verdict: PastVerdict, hunk?: string): void => {
    if (performance.now() - shownAt.current >= guardTime) act(verdict, hunk);
  };
  const onBarKey = ({ target, key }: KeyboardEvent): boolean => {
    const bar = target instanceof HTMLElement && target.classList.contains("change-bar") ? target : undefined;
    if (bar === undefined) return false;
    if (key === "j" || key === "k") go(key === "j" ? 1 : -1);
    const verdict = barKeys[key];
    const hunk = compared?.sides.hunks?.[Number(bar.dataset["change"])];
    if (verdict === undefined || hunk === undefined || file === undefined) return key === "j" || key === "k";
    if (verdictsOn(hunk.state, file).includes(verdict)) decide(verdict, hunk.id);
    return true;
  };
  const place = shownPath(path, folders);
  return (
    <section
      class={`review past ${isUnified ? "unified" : "beside"}`}
      aria-label={words("past.label", { path: visibleLine(place) })}
      onKeyDown={onKeyDown}
    >
      <header class="head review-head">
        <IconButton icon="close" label={words("review.leave")} onClick={leave} />
        <h1 class="head-title">
          <span class="head-name" title={visibleLine(path)} dir="ltr">
            <PathText path={place} />
          </span>
        </h1>
        {compared === undefined ? undefined : (
          <span class="note review-count">{words("past.count", { count: compared.changes })}</span>
        )}
        <IconButton icon="arrowUp" label={words("review.previous")} onClick={() => go(-1)} />
        <IconButton icon="arrowDown" label={words("review.next")} onClick={() => go(1)} />
        <IconButton
          icon="search"
          label={words("find.label")}
          isPressed={isFinding}
          isDisabled={!isThere}
          onClick={() => setFinding(!isFinding)}
        />
        <IconButton
          icon="list"
          label={words("review.unified")}
          isPressed={isUnified}
          onClick={() => setWay(isUnified ? "beside" : "unified")}
        />
      </header>
      {isFinding && compared !== undefined ? (
        <FindInReview
          state={compared}
          rows={() => scroller.current}
          onGo={(found) => setWanted({ key: found.key, found })}
          onClose={() => {
            setFinding(false);
            scroller.current?.focus({ preventScroll: true });
          }}
        />
      ) : undefined}
      <div class="past-main">
        {past.paths.length > 1 ? (
          <Files files={turn?.files ?? []} paths={past.paths} path={path} onChoose={setChosen} />
        ) : undefined}
        <div ref={scroller} class="review-body" tabIndex={0} role="group" aria-label={words("review.sides")}>
          <Notes sides={past.sides.get(path)} compared={compared} kind={file?.kind} />
          {compared === undefined ? undefined : (
            <Rows
              key={path}
              state={compared}
              scroller={scroller}
              isUnified={isUnified}
              wanted={wanted?.key}
              draw={(block) => (
                <SidesRow
                  key={block.key}
                  {...compared.text}
                  block={block}
                  showsEnds
                  bar={
                    block.isFirst ? <PastBar block={block} compared={compared} file={file} act={decide} /> : undefined
                  }
                />
              )}
            />
          )}
        </div>
      </div>
      {file === undefined ? undefined : <Foot file={file} act={decide} />}
    </section>
  );
}

const barKeys: Readonly<Record<string, PastVerdict>> = { a: "keep", r: "undo", u: "redo" };

/** What came of a file, compared; what came before it is shown until then. */
function useCompared(past: ShownPast, path: string): ComparedSides | undefined {
  const [compared, setCompared] = useState<ComparedSides>();
  const sides = past.sides.get(path);
  const isOwn = compared?.sides.path === path;
  useEffect(() => {
    let isLate = false;
    if (sides !== undefined) {
      void compareSides(sides, isOwn ? compared : undefined, pageClock).then((found) => {
        if (!isLate) setCompared(found);
      });
    }
    return () => {
      isLate = true;
    };
  }, [sides]);
  return isOwn ? compared : undefined;
}

/** What there is to know besides the texts. */
function Notes({
  sides,
  compared,
  kind,
}: {
  readonly sides: PastSides | undefined;
  readonly compared: ComparedSides | undefined;
  readonly kind: ChangedFile["kind"] | undefined;
}): JSX.Element {
  const words = useWords();
  const notes: string[] = [];
  if (sides === undefined) notes.push(words("review.loading"));
  else if (sides.before === undefined && sides.after === undefined) {
    if (sides.target === undefined && kind !== "mode") notes.push(words("changes.noText"));
  } else if (sides.isFragment === true) notes.push(words("past.fragment"));
  else if (sides.before === undefined) notes.push(words("review.create"));
  else if (sides.after === undefined) notes.push(words("diff.deleted"));
  else if (compared?.changes === 0 && sides.mode === undefined) notes.push(words("past.same"));
  return (
    <div class="review-notes" role="status">
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {sides === undefined ? undefined : <FactNotes {...sides} />}
    </div>
  );
}

/** The bar of a hunk: what was decided of it, and what can be. */
function PastBar({
  block: { change = 0 },
  compared: { sides, changes },
  file,
  act,
}: {
  readonly block: Block;
  readonly compared: ComparedSides;
  readonly file: ChangedFile | undefined;
  readonly act: (verdict: PastVerdict, hunk: string) => void;
}): JSX.Element {
  const words = useWords();
  const hunk = sides.hunks?.[change];
  const label = words("review.change", { number: change + 1, count: changes });
  return (
    <div class="change-bar" role="group" aria-label={label} tabIndex={-1} data-change={change}>
      <span class="change-name">{label}</span>
      {hunk === undefined ? undefined : <HunkBadge state={hunk.state} />}
      {hunk === undefined || file === undefined ? undefined : (
        <HunkVerdicts id={hunk.id} state={hunk.state} file={file} act={act} />
      )}
    </div>
  );
}

/** The files of the turn. */
function Files({
  files,
  paths,
  path,
  onChoose,
}: {
  readonly files: readonly ChangedFile[];
  readonly paths: readonly string[];
  readonly path: string;
  readonly onChoose: (path: string) => void;
}): JSX.Element {
  const words = useWords();
  return (
    <nav class="past-files" aria-label={words("changes.title", { count: paths.length })}>
      <ul class="plain">
        {paths.map((one) => {
          const file = files.find((known) => known.path === one);
          return (
            <li key={one}>
              <button
                type="button"
                class={`changed-file ${file?.state === "undone" ? "undone" : ""}`}
                aria-current={one === path}
                onClick={() => onChoose(one)}
              >
                <FileName file={file ?? { path: one }} />
                {file?.lines === undefined ? undefined : <LineCounts {...file.lines} />}
                {file === undefined ? undefined : <KindBadges file={file} />}
                {file === undefined || file.state === "applied" ? undefined : (
                  <span class="badge">{words(`changes.${file.state}`)}</span>
                )}
              </button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

/** The verdicts on the file. None is the default of any key: each writes, or leaves a list. */
function Foot({
  file,
  act,
}: {
  readonly file: ChangedFile;
  readonly act: (verdict: PastVerdict) => void;
}): JSX.Element | undefined {
  const words = useWords();
  const verdicts: readonly PastVerdict[] = [
    ...(file.canRedo ? (["redo"] as const) : []),
    ...(canUndo(file) ? (["undo"] as const) : []),
    ...(canKeep(file) && (file.obstacle === undefined || file.state !== "applied") ? (["keep"] as const) : []),
  ];
  if (verdicts.length === 0 && file.obstacle === undefined) return undefined;
  return (
    <footer class="review-foot">
      {file.obstacle === undefined ? undefined : <span class="note">{file.obstacle}</span>}
      {verdicts.map((verdict) => (
        <button
          key={verdict}
          type="button"
          class={`button ${verdict === "keep" ? "primary" : ""}`}
          onClick={() => act(verdict)}
        >
          {words(verdict === "undo" && file.state === "queued" ? "changes.now" : `changes.${verdict}`)}
        </button>
      ))}
    </footer>
  );
}
