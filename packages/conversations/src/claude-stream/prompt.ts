import type { LineRange, PromptBlock } from "../model/index.ts";

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
