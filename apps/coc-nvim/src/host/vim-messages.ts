import { displayWidth, type HostMessage, type HostMessages, type Logger, messageOf, onAbort } from "@patchbay/core";
import { templateOf } from "@patchbay/languages";
import { l10n, textsInUse } from "@patchbay/languages/spoken";
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
      const own = inOwnLanguage(message);
      if (message.actions.length === 0) {
        const wanted = level();
        if (wanted === "none" || (wanted === "problems" && message.severity === "info")) {
          logger.info("A notice was not shown", { code: message.code });
          return undefined;
        }
        await coc.notice(message.severity, lines(own), []).clicked;
        return undefined;
      }
      if (message.signal?.aborted === true) return undefined;
      const labels = message.actions.map((action) => l10n.t(action));
      const question = questions.ask(own, labels);
      // It was decided elsewhere.
      const following = onAbort(message.signal, () => question.withdraw());
      const text = l10n.t("{0} Answer with :CocCommand patchbay.answer", own);
      const notice = coc.notice(message.severity, lines(text), labels);
      void notice.clicked.then(
        (index) => {
          const label = labels[index];
          // Closing the notice is no answer: the question goes on waiting for the command.
          if (label !== undefined) question.withdraw(label);
        },
        (error: unknown) =>
          logger.warn("A notice could not be shown", { code: message.code, reason: messageOf(error) }),
      );
      const answer = await question.answer;
      following.dispose();
      // It would stand beside the text for ever.
      notice.close();
      if (answer === undefined) return undefined;
      onAnswer();
      return message.actions[labels.indexOf(answer)];
    },
  };
}

/** Core says it in English with its values apart, so that the sentence can be looked up. */
function inOwnLanguage({ text, values }: HostMessage): string {
  const template = templateOf(text, values, textsInUse().texts.keys());
  if (template === undefined) return text;
  return l10n.t(template, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, l10n.t(value)])));
}

/** Widest line of a notice, in columns: coc breaks longer ones where its buttons then fall out of the window. */
const widest = 54;
/** Longest path in a notice; of longer ones the end is shown, which tells more than the beginning. */
const longestPath = 40;

/** Where a line may end: before a blank, and in scripts without blanks between any two characters, but before no closing one. */
const pieces =
  / ?(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][、。，．：；？！」』）ー]*|[^ \p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+)/gu;

/** The lines of a notice in an editor of so many columns; `path` is what may be shortened in the text. */
export function noticeLines(text: string, path: string | undefined, columns: number): readonly string[] {
  const width = Math.max(20, Math.min(widest, columns - 18));
  const shown = path === undefined ? text : text.replaceAll(path, shortened(path, Math.min(longestPath, width)));
  const lines: string[] = [];
  for (const [piece] of plainLine(shown.replaceAll(/\s+/gu, " ")).trim().matchAll(pieces)) {
    const longer = `${lines.at(-1) ?? ""}${piece}`;
    if (lines.length > 0 && displayWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(piece.trim());
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
    text: l10n.t(
      "{path} was changed on disk; your unsaved text was left as it is. :w! keeps yours, :e! takes the file's, :CocCommand patchbay.compareWithDisk shows both.",
      { path },
    ),
    values: { path },
    actions: [],
  };
}
