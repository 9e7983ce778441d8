import type { PromptBlock } from "@patchbay/conversations/model";
import type { IconName } from "./icon.tsx";
import { baseName } from "./paths.ts";
import { visibleLine } from "./visible-text.ts";

/** The text of a prompt, without what was added to it. */
export function promptText(blocks: readonly PromptBlock[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** What is written on a chip. */
export function chipLabel(block: PromptBlock): string {
  return visibleLine(nameOf(block));
}

function nameOf(block: PromptBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "mention":
    case "excerpt": {
      const name = block.type === "excerpt" ? block.title : baseName(block.path);
      const { lines } = block;
      if (lines === undefined) return name;
      const range = lines.start === lines.end ? `${lines.start}` : `${lines.start}–${lines.end}`;
      // The title of an excerpt may say it already.
      return name.endsWith(` ${range}`) ? name : `${name} ${range}`;
    }
    case "image":
      return block.name ?? block.mimeType.replace("image/", "").toUpperCase();
  }
}

const chipIcons: Readonly<Record<PromptBlock["type"], IconName>> = {
  text: "file",
  mention: "file",
  excerpt: "insert",
  image: "image",
};

export function chipIcon(block: PromptBlock): IconName {
  return block.type === "mention" && /[/\\]$/u.test(block.path) ? "folder" : chipIcons[block.type];
}
