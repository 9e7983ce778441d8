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
    case "question": {
      const answer = entry.outcome?.type === "answered" ? entry.outcome.summary : "";
      if (entry.question.type === "plan") return `${entry.question.plan}\n${answer}`;
      return entry.question.type === "form" ? `${entry.question.message}\n${answer}` : "";
    }
    default:
      return "";
  }
}
