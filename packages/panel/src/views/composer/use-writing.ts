import type { Draft, PromptBlock } from "@patchbay/conversations/model";
import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { usePanel, usePanelEvent, useSelected } from "../../store/use-panel.ts";
import { promptText } from "../widgets/chip-words.ts";

/** What is being written: chips, and a text behind them. */
interface Writing {
  readonly chips: readonly PromptBlock[];
  readonly text: string;
  /** What stood behind it in the queue. */
  readonly before?: Draft["before"];
}

export const nothingWritten: Writing = { chips: [], text: "" };

function fromDraft({ blocks, before }: Pick<Draft, "blocks" | "before">): Writing {
  return { chips: blocks.filter(({ type }) => type !== "text"), text: promptText(blocks), ...behind(before) };
}

/** As an optional part of something. */
export function behind(before: Draft["before"]): Pick<Draft, "before"> {
  return before === undefined ? {} : { before };
}

export function toBlocks({ chips, text }: Writing): readonly PromptBlock[] {
  return text === "" ? chips : [...chips, { type: "text", text }];
}

/** The name of a prompt: a UUID. Pages that came without TLS have no `crypto.randomUUID`. */
export function newPromptId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/u, "$1-$2-4$3-8$4-$5");
}

/** Chips with new ones, each of them once. */
export function addChips(chips: readonly PromptBlock[], more: readonly PromptBlock[]): readonly PromptBlock[] {
  const known = new Set(chips.map((chip) => JSON.stringify(chip)));
  return [...chips, ...more.filter((block) => block.type !== "text" && !known.has(JSON.stringify(block)))];
}

/** What is being asked for at the caret: context by `@`, or a command by `/` at the beginning. */
export interface Query {
  readonly kind: "mention" | "command";
  readonly text: string;
  /** Where it begins, the sign included. */
  readonly from: number;
}

export function queryAt(text: string, caret: number): Query | undefined {
  const before = text.slice(0, caret);
  if (/^\/[^\n]*$/u.test(before)) return { kind: "command", text: before.slice(1), from: 0 };
  const found = /(?:^|[\s(])@([^\s@]{0,200})$/u.exec(before)?.[1];
  return found === undefined ? undefined : { kind: "mention", text: found, from: caret - found.length - 1 };
}

/** How long a draft may be newer here than with the host, ms. */
const draftDelay = 300;

/** At the first of these a page still has the time in which what it sends leaves it. */
const leaving = ["blur", "beforeunload", "pagehide"];

/** What is being written in the open conversation, and kept: with the page at once, with the host soon after. */
export function useWriting(area: RefObject<HTMLTextAreaElement | null>): {
  readonly writing: Writing;
  readonly change: (next: Partial<Writing>, caret?: number) => void;
  readonly history: (step: -1 | 1) => boolean;
} {
  const panel = usePanel();
  const conversation = useSelected((state) => state.open?.id);
  const [writing, setWriting] = useState<Writing>(nothingWritten);
  const latest = useRef(writing);
  latest.current = writing;
  const caret = useRef<number | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const shownFor = useRef<string | undefined>(undefined);

  const handOver = useCallback(
    (draft: Draft): void => {
      const id = shownFor.current;
      if (id === undefined) return;
      panel.post({ type: "draft", conversation: id, draft });
      panel.kept.handedOver(id);
    },
    [panel],
  );

  const flush = useCallback(() => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    handOver(draftOf(latest.current, area.current));
  }, [handOver]);

  const change = useCallback(
    (next: Partial<Writing>, caretNow?: number): void => {
      const changed = { ...latest.current, ...next };
      // Where all of it is gone, what comes next has no place in the queue yet.
      const now = toBlocks(changed).length === 0 ? nothingWritten : changed;
      latest.current = now;
      caret.current = caretNow;
      setWriting(now);
      const id = shownFor.current;
      if (id === undefined) return;
      panel.kept.set(id, { draft: draftOf(now, area.current) });
      timer.current ??= setTimeout(flush, draftDelay);
      // What was sent must not stand in another page any more.
      if (toBlocks(now).length === 0) flush();
    },
    [panel, flush],
  );

  const adopt = useCallback((draft: Draft | undefined): void => {
    const now = draft === undefined ? nothingWritten : fromDraft(draft);
    latest.current = now;
    caret.current = draft?.caret;
    setWriting(now);
  }, []);

  // Another conversation has another draft.
  useLayoutEffect(() => {
    if (shownFor.current !== undefined) flush();
    shownFor.current = conversation;
    const held = panel.state.open?.draft;
    const draft = conversation === undefined ? undefined : panel.kept.draftOf(conversation, held);
    adopt(draft);
    // What a page writes in its last moment may reach nobody but the browser.
    if (draft !== undefined && draft.at !== held?.at) handOver(draft);
    return undefined;
  }, [conversation]);

  useEffect(() => {
    // Who reloads a window leaves the page first.
    for (const event of leaving) addEventListener(event, flush);
    return () => {
      for (const event of leaving) removeEventListener(event, flush);
    };
  }, [flush]);

  useLayoutEffect(() => {
    const { current } = area;
    if (current === null) return;
    if (current.value !== writing.text) current.value = writing.text;
    if (caret.current !== undefined) current.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  }, [writing]);

  usePanelEvent((event) => {
    if (event.type === "draft") {
      const { conversation: id, draft } = event;
      // What is being written here this moment is newer still.
      if (timer.current !== undefined || id !== shownFor.current) return;
      if (panel.kept.draftOf(id, draft) !== draft) return;
      panel.kept.set(id, { draft });
      adopt(draft);
    }
    if (event.type !== "insert") return;
    const { text, chips } = latest.current;
    const added = promptText(event.blocks);
    const at = area.current?.selectionStart ?? text.length;
    const end = Math.max(at, area.current?.selectionEnd ?? at);
    change(
      {
        chips: addChips(chips, event.blocks),
        text: text.slice(0, at) + added + text.slice(end),
        ...behind(event.before),
      },
      at + added.length,
    );
    area.current?.focus();
  });

  const history = useHistory(latest, change);
  return { writing, change, history };
}

function draftOf(writing: Writing, area: HTMLTextAreaElement | null): Draft {
  const caret = area?.selectionStart ?? writing.text.length;
  return { blocks: toBlocks(writing), caret, at: Date.now(), ...behind(writing.before) };
}

/** Earlier prompts by the arrow keys; what was being written waits below the newest. */
function useHistory(
  latest: { readonly current: Writing },
  change: (next: Partial<Writing>, caret?: number) => void,
): (step: -1 | 1) => boolean {
  const panel = usePanel();
  const at = useRef<{ readonly back: number; readonly shown: string; readonly own: string } | undefined>(undefined);
  return (step) => {
    const prompts = (panel.state.open?.entries ?? []).flatMap(({ entry }) =>
      entry.kind === "prompt" && entry.parent === undefined ? [promptText(entry.blocks)] : [],
    );
    const now = at.current?.shown === latest.current.text ? at.current : undefined;
    if (now === undefined && (step === 1 || latest.current.text !== "")) return false;
    const back = (now?.back ?? 0) - step;
    const own = now?.own ?? latest.current.text;
    const shown = back === 0 ? own : prompts.at(-back);
    if (shown === undefined || back < 0) return now !== undefined;
    at.current = back === 0 ? undefined : { back, shown, own };
    change({ text: shown }, step === -1 ? 0 : shown.length);
    return true;
  };
}
