import type { Draft, PromptBlock } from "@patchbay/conversations/model";
import { promptText } from "../widgets/chip-words.ts";

/** What is being written: chips, and a text behind them. */
export interface Writing {
  readonly chips: readonly PromptBlock[];
  readonly text: string;
  /** What stood behind it in the queue. */
  readonly before?: Draft["before"];
}

export const nothingWritten: Writing = { chips: [], text: "" };

export function fromDraft({ blocks, before }: Pick<Draft, "blocks" | "before">): Writing {
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
