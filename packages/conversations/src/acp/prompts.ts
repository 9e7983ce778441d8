import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { type Logger, messageOf } from "@patchbay/core";
import type { SessionHost } from "../driver.ts";
import type { LineRange, PromptBlock, TurnEndReason } from "../model/index.ts";

/** What an agent takes in a prompt. */
export interface PromptForm {
  readonly images: boolean;
  readonly resources: boolean;
  /** Paths in links are taken letter by letter, without escapes. */
  readonly plainLinks: boolean;
}

/** A prompt as it is sent. */
export interface PromptContent {
  readonly blocks: readonly unknown[];
  /** Names of the images that the agent does not take. */
  readonly leftOut: readonly string[];
}

/** What the user changed in an edit before they allowed it: the model believes its own text. */
export interface EditedFile {
  readonly path: string;
  /** The file as it is now. */
  readonly text: string;
}

/** Saves what a prompt mentions, and what else is open with changes: most agents read the disk, whatever the editor has. Never rejects. */
export async function saveForPrompt(
  blocks: readonly PromptBlock[],
  host: Pick<SessionHost, "saveIfDirty" | "view">,
  logger: Logger,
): Promise<void> {
  try {
    const open = (await host.view?.openFiles()) ?? [];
    const dirty = open.flatMap(({ path, isDirty }) => (isDirty ? [path] : []));
    const mentioned = blocks.flatMap((block) => (block.type === "mention" ? [block.path] : []));
    await Promise.all(Array.from(new Set([...mentioned, ...dirty]), (path) => host.saveIfDirty(path)));
  } catch (error) {
    logger.warn("Files could not be saved before a prompt", { reason: messageOf(error) });
  }
}

/** The blocks of a prompt as the protocol has them; `edited` comes first, as it is about what was done before. */
export function contentOf(
  blocks: readonly PromptBlock[],
  edited: readonly EditedFile[],
  form: PromptForm,
): PromptContent {
  const leftOut = blocks.flatMap((block) => (block.type === "image" && !form.images ? [block.name ?? "image"] : []));
  const all = [...edited.flatMap(editedBlocks), ...blocks];
  return { blocks: all.flatMap((block) => blockOf(block, form)), leftOut };
}

/** What the model is told of an edit that the user changed. */
function editedBlocks({ path, text }: EditedFile): readonly PromptBlock[] {
  return [
    { type: "text", text: `Your edit of ${path} was changed before I accepted it. The file now has this text:\n` },
    { type: "excerpt", title: basename(path), path, text },
  ];
}

function blockOf(block: PromptBlock, form: PromptForm): readonly unknown[] {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "mention": {
      const link = { type: "resource_link", uri: uriOf(block.path, form), name: basename(block.path) };
      // A link names a whole file: some agents would take a fragment for a part of its name.
      return block.lines === undefined ? [link] : [link, { type: "text", text: ` (${linesOf(block.lines)})` }];
    }
    case "excerpt":
      return [excerptOf(block, form)];
    case "image":
      return form.images ? [{ type: "image", mimeType: block.mimeType, data: block.data }] : [];
  }
}

function excerptOf(
  { title, path, lines, text }: PromptBlock & { readonly type: "excerpt" },
  form: PromptForm,
): unknown {
  if (!form.resources) {
    const where = path === undefined ? title : lines === undefined ? path : `${path} (${linesOf(lines)})`;
    return { type: "text", text: `${where}:\n${fenced(text)}\n` };
  }
  const fragment = lines === undefined ? "" : `#L${lines.start}-L${lines.end}`;
  const uri = path === undefined ? `patchbay:${encodeURIComponent(title)}` : `${uriOf(path, form)}${fragment}`;
  return { type: "resource", resource: { uri, mimeType: "text/plain", text } };
}

function uriOf(path: string, form: PromptForm): string {
  return form.plainLinks ? `file://${path}` : pathToFileURL(path).href;
}

function linesOf({ start, end }: LineRange): string {
  return start === end ? `line ${start}` : `lines ${start}-${end}`;
}

/** A text in a fence that is longer than any in it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`{3,}/gu), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** A turn that is running. */
export interface Turn {
  readonly since: number;
  isStopped: boolean;
  /** The agent does not answer: the turn is over without it. */
  readonly abandon: () => void;
  readonly abandoned: Promise<"abandoned">;
  readonly ended: Promise<void>;
}

/** A turn, and what says that it is over. */
export function beginTurn(since: number): { readonly turn: Turn; readonly finish: () => void } {
  let abandon = (): void => {};
  let finish = (): void => {};
  const abandoned = new Promise<"abandoned">((resolve) => {
    abandon = () => resolve("abandoned");
  });
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { turn: { since, isStopped: false, abandon, abandoned, ended }, finish };
}

/** Why a turn has ended, by the protocol's names. */
export function reasonOf(stopReason: string): TurnEndReason {
  switch (stopReason) {
    case "cancelled":
      return "stopped";
    case "refusal":
      return "refused";
    case "max_tokens":
    case "max_turn_requests":
      return "limit";
    default:
      return "done";
  }
}
