import type { Entry, FormQuestion, PromptBlock, QuestionEntry } from "@patchbay/conversations/model";

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
    case "question":
      return answered(entry);
    default:
      return "";
  }
}

/** What the agent planned or asked, and the answer. What it asked for a tool stands with that. */
function answered({ question, outcome }: QuestionEntry): string {
  const answer = outcome?.type === "answered" ? outcome.summary : "";
  switch (question.type) {
    case "permission":
      return "";
    case "plan":
      return [question.plan, answer === "" ? "" : `> ${answer}`].filter((part) => part !== "").join("\n\n");
    case "form":
      return [answer === "" ? formText(question) : question.message, ...answer.split("\n")]
        .filter((part) => part !== "")
        .map((line) => `> ${line}`)
        .join("\n");
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
      return entry.question.type === "form" ? formText(entry.question) : questionText(entry.question);
    default:
      return textOf(entry);
  }
}

function formText({ message, fields }: FormQuestion): string {
  return [message, ...fields.map(({ label }) => label)].filter((part) => part !== "").join("\n\n");
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
