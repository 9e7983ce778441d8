import type { Entry } from "../model/entries.ts";

/** What was said, by the user and by the agent, and what was run. */
export function searchedText(entry: Entry): string {
  switch (entry.kind) {
    case "prompt":
      return entry.blocks
        .flatMap((block) => (block.type === "image" ? [] : block.type === "mention" ? [block.path] : [block.text]))
        .join("\n");
    case "message":
      return entry.text;
    case "tool":
      return `${entry.title}\n${entry.command ?? ""}`;
    default:
      return "";
  }
}
