import type { SessionStart } from "../driver.ts";
import type { LineRange, PromptBlock } from "../model/index.ts";
import type { Environment } from "../process/children.ts";

/** Variables of the session's process. */
export const sessionEnvironment: Environment = {
  CLAUDE_CODE_ENTRYPOINT: "patchbay",
  // Without it there is no way back (`rewind_files`).
  CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true",
};

/** What Claude Code is started with. `newId` is the id of a session that is not one of its own. */
export function argumentsFor(start: SessionStart, newId: string, mode: string): readonly string[] {
  return [
    "--output-format",
    "stream-json",
    "--input-format",
    "stream-json",
    "--verbose",
    "--permission-prompt-tool",
    "stdio",
    "--include-partial-messages",
    "--setting-sources",
    "user,project,local",
    // Always: out of the box it is one that does not ask.
    "--permission-mode",
    mode,
    ...sessionArguments(start, newId),
  ];
}

function sessionArguments(start: SessionStart, newId: string): readonly string[] {
  switch (start.kind) {
    case "new":
      return ["--session-id", newId];
    case "resume":
      return ["--resume", start.sessionId];
    case "fork":
      return [
        "--resume",
        start.sessionId,
        "--fork-session",
        ...(start.upTo === undefined ? [] : ["--resume-session-at", start.upTo]),
      ];
  }
}

/** A block of a user message as the provider knows it. */
type Content =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
    }
  | {
      readonly type: "document";
      readonly source: { readonly type: "text"; readonly media_type: "text/plain"; readonly data: string };
      readonly title: string;
    };

/** A prompt as Claude Code takes it: a slash command must be the beginning of a text, a mention stands in one. */
export function contentOf(blocks: readonly PromptBlock[]): readonly Content[] {
  const contents: Content[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") contents.push({ type: "text", text });
    text = "";
  };
  const attached: Content[] = [];
  for (const block of blocks) {
    if (block.type === "text") text = joined(text, block.text);
    else if (block.type === "mention") text = joined(text, mentionOf(block.path, block.lines));
    else attached.push(block.type === "image" ? imageOf(block.mimeType, block.data) : documentOf(block));
  }
  flush();
  return [...contents, ...attached];
}

/** What is mentioned must not run into the words beside it. */
function joined(before: string, after: string): string {
  const isApart = before === "" || after === "" || /\s$/u.test(before) || /^\s/u.test(after);
  return isApart || /^[.,;:!?)]/u.test(after) ? before + after : `${before} ${after}`;
}

/** It reads the file itself where no lines are named; with lines the model does, which is told of them in words. */
function mentionOf(path: string, lines: LineRange | undefined): string {
  const place = lines === undefined ? path : `${path}#${lineMark(lines)}`;
  return /\s/u.test(place) ? `@"${place}"` : `@${place}`;
}

function lineMark({ start, end }: LineRange): string {
  return start === end ? `L${start}` : `L${start}-${end}`;
}

function imageOf(mimeType: string, data: string): Content {
  return { type: "image", source: { type: "base64", media_type: mimeType, data } };
}

function documentOf(block: Extract<PromptBlock, { type: "excerpt" }>): Content {
  const place =
    block.path === undefined ? [] : [block.lines === undefined ? block.path : `${block.path}#${lineMark(block.lines)}`];
  const title = [...new Set([block.title, ...place])].join(" · ");
  return { type: "document", source: { type: "text", media_type: "text/plain", data: block.text }, title };
}
