import { type Logger, messageOf } from "@patchbay/core";
import type { SessionHost } from "../driver.ts";
import type { LineRange, PromptBlock } from "../model/index.ts";

/** A prompt as Pi takes it. */
export interface PiPrompt {
  readonly message: string;
  readonly images: readonly { readonly type: "image"; readonly data: string; readonly mimeType: string }[];
  /** Names of the images that the model does not take. */
  readonly leftOut: readonly string[];
}

/** One text, in which a slash command must be the beginning, and images beside it. */
export function promptOf(blocks: readonly PromptBlock[], takesImages: boolean): PiPrompt {
  let message = "";
  for (const block of blocks) {
    if (block.type === "text") message = joined(message, block.text);
    if (block.type === "mention") message = joined(message, mentionOf(block.path, block.lines));
    if (block.type === "excerpt") message = joined(message, excerptOf(block), "\n\n");
  }
  const images = blocks.flatMap((block) => (block.type === "image" ? [block] : []));
  return {
    message,
    images: takesImages ? images.map(({ data, mimeType }) => ({ type: "image", data, mimeType })) : [],
    leftOut: takesImages ? [] : images.map(({ name }) => name ?? "image"),
  };
}

/** What is mentioned must not run into the words beside it. */
function joined(before: string, after: string, between = " "): string {
  const isApart = before === "" || after === "" || (between === " " && (/\s$/u.test(before) || /^\s/u.test(after)));
  return isApart || /^[.,;:!?)]/u.test(after) ? before + after : `${before}${between}${after}`;
}

/** As Pi's own editor writes it: its model reads the file itself. */
function mentionOf(path: string, lines: LineRange | undefined): string {
  const place = /\s/u.test(path) ? `@"${path}"` : `@${path}`;
  return lines === undefined ? place : `${place} (${linesOf(lines)})`;
}

function excerptOf({ title, path, lines, text }: PromptBlock & { readonly type: "excerpt" }): string {
  const where = path === undefined ? title : lines === undefined ? path : `${path} (${linesOf(lines)})`;
  return `${where}:\n${fenced(text)}\n`;
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

/** Saves what a prompt mentions, and what else is open with changes: a command reads the disk, whatever the editor has. Never rejects. */
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
