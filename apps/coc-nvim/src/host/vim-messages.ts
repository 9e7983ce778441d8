import { type HostMessage, type HostMessages, type Logger, messageOf } from "@patchbay/core";
import { plainLine } from "../vim/shape.ts";
import type { CocServices } from "../vim/vim.ts";
import type { PendingQuestions } from "./pending-questions.ts";

/**
 * Messages beside the text, in coc's notices: they take no focus and never make Vim wait for a key. A question has its
 * buttons for the mouse and waits for `:CocCommand patchbay.answer` otherwise.
 */
export function createVimMessages(
  coc: Pick<CocServices, "notice" | "columns">,
  questions: PendingQuestions,
  level: () => "all" | "problems" | "none",
  onAnswer: () => void,
  logger: Logger,
): HostMessages {
  return {
    show: async (message: HostMessage) => {
      const lines = (text: string): readonly string[] => noticeLines(text, message.values["path"], coc.columns());
      if (message.actions.length === 0) {
        const wanted = level();
        if (wanted === "none" || (wanted === "problems" && message.severity === "info")) {
          logger.info("A notice was not shown", { code: message.code });
          return undefined;
        }
        await coc.notice(message.severity, lines(message.text), []).clicked;
        return undefined;
      }
      if (message.signal?.aborted === true) return undefined;
      const question = questions.ask(message.text, message.actions);
      // It was decided elsewhere.
      message.signal?.addEventListener("abort", () => question.withdraw(), { once: true });
      const text = `${message.text} Answer with :CocCommand patchbay.answer`;
      const notice = coc.notice(message.severity, lines(text), message.actions);
      void notice.clicked.then(
        (index) => {
          const action = message.actions[index];
          // Closing the notice is no answer: the question goes on waiting for the command.
          if (action !== undefined) question.withdraw(action);
        },
        (error: unknown) =>
          logger.warn("A notice could not be shown", { code: message.code, reason: messageOf(error) }),
      );
      const answer = await question.answer;
      // It would stand beside the text for ever.
      notice.close();
      if (answer !== undefined) onAnswer();
      return answer;
    },
  };
}

/** Widest line of a notice, in characters: coc breaks longer ones where its buttons then fall out of the window. */
const widest = 54;
/** Longest path in a notice; of longer ones the end is shown, which tells more than the beginning. */
const longestPath = 40;

/** The lines of a notice in an editor of so many columns; `path` is what may be shortened in the text. */
export function noticeLines(text: string, path: string | undefined, columns: number): readonly string[] {
  const width = Math.max(20, Math.min(widest, columns - 18));
  const shown = path === undefined ? text : text.replaceAll(path, shortened(path, Math.min(longestPath, width)));
  const lines: string[] = [];
  for (const word of plainLine(shown.replaceAll(/\s+/gu, " ")).split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function shortened(path: string, limit: number): string {
  if (path.length <= limit) return path;
  const parts = path.split("/");
  let end = parts.pop() ?? "";
  while (parts.length > 0 && end.length + (parts.at(-1)?.length ?? 0) + 3 <= limit) end = `${parts.pop()}/${end}`;
  return `…/${end}`;
}

/** Said where others have written a file whose buffer has unsaved text. */
export function textKept(path: string): HostMessage {
  return {
    code: "unsaved-text-kept",
    severity: "warning",
    text: `${path} was changed on disk; your unsaved text was left as it is. :w! keeps yours, :e! takes the file's, :CocCommand patchbay.compareWithDisk shows both.`,
    values: { path },
    actions: [],
  };
}
