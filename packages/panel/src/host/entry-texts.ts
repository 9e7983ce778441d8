import type { Entry, PromptBlock } from "@patchbay/conversations/model";

/** What was said, without what tools returned; empty for what says nothing. */
export function textOf(entry: Entry): string {
  switch (entry.kind) {
    case "prompt":
      return entry.blocks.map(blockText).join(" ");
    case "message":
    case "notice":
      return entry.text;
    case "tool":
      return `- ${entry.title === "" ? entry.name : entry.title}`;
    case "plan":
      return entry.steps.map(({ text, state }) => `- [${state === "done" ? "x" : " "}] ${text}`).join("\n");
    default:
      return "";
  }
}

/** Everything that an entry holds, for a document or a search. */
export function wholeText(entry: Entry): string {
  switch (entry.kind) {
    case "tool":
      return [entry.title, entry.command, entry.input, entry.output].filter((part) => part !== undefined).join("\n\n");
    case "thought":
      return entry.text;
    case "notice":
      return [entry.text, entry.detail].filter((part) => part !== undefined).join("\n\n");
    case "question":
      return entry.question.type === "form" ? entry.question.message : questionText(entry.question);
    default:
      return textOf(entry);
  }
}

function questionText(question: {
  readonly type: "permission" | "plan";
  readonly title?: string;
  readonly plan?: string;
  readonly command?: string;
}): string {
  return [question.title, question.plan, question.command].filter((part) => part !== undefined).join("\n\n");
}

function blockText(block: PromptBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "mention":
      return `@${block.path}`;
    case "excerpt":
      return block.title;
    case "image":
      return block.name ?? "image";
  }
}
