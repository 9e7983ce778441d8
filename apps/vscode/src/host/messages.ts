import { isAbsolute } from "node:path";
import { type HostMessage, onAbort } from "@patchbay/core";
import { templateOf } from "@patchbay/languages";
import { l10n, textsInUse } from "@patchbay/languages/spoken";
import { inform, reportError, warn } from "../surfaces/messages.ts";
import { shortened, shortPathOf } from "../surfaces/texts.ts";

/** Questions that wait for an answer. VS Code gives no way to take a notification back, but it can be answered elsewhere. */
const waiting: Set<{ readonly message: HostMessage; readonly answer: (action: string | undefined) => void }> =
  new Set();

/** Shows a message of core as VS Code's notification: in the corner, never modal, never with the focus. */
export async function showMessage(message: HostMessage): Promise<string | undefined> {
  const { signal } = message;
  if (signal?.aborted === true) return undefined;
  const labels = message.actions.map(localiseAction);
  const shown = show(message.severity, localise(message), labels).then((chosen) =>
    chosen === undefined ? undefined : message.actions[labels.indexOf(chosen)],
  );
  if (signal === undefined) return await shown;
  return await new Promise((resolve, reject) => {
    const question = { message, answer: (action: string | undefined) => end(() => resolve(action)) };
    const end = (settle: () => void): void => {
      waiting.delete(question);
      following.dispose();
      settle();
    };
    waiting.add(question);
    const following = onAbort(signal, () => question.answer(undefined));
    shown.then(
      (action) => {
        if (waiting.has(question)) question.answer(action);
        // It still stood on the screen, and what it asks has been answered meanwhile.
        else if (action !== undefined) void inform(l10n.t("This has already been answered."));
      },
      (error: unknown) => end(() => reject(error)),
    );
  });
}

/** Answers a question that is also asked in a notification. */
export function answerQuestion(code: string, values: HostMessage["values"], action: string): void {
  for (const { message, answer } of waiting) {
    const isMeant = Object.entries(values).every(([name, value]) => message.values[name] === value);
    if (message.code === code && isMeant) answer(action);
  }
}

async function show(
  severity: HostMessage["severity"],
  text: string,
  actions: readonly string[],
): Promise<string | undefined> {
  switch (severity) {
    case "info":
      return await inform(text, ...actions);
    case "warning":
      return await warn(text, ...actions);
    case "error":
      return await reportError(text, ...actions);
  }
}

/**
 * A message of core in the user's language, with paths as the user knows them. Core says it in English with the values
 * apart, so the sentence can be looked up.
 */
export function localise(message: HostMessage): string {
  const values = Object.entries(message.values).map(([name, value]) => [
    name,
    shortened(isAbsolute(value) ? shortPathOf(value) : l10n.t(value)),
  ]);
  const { text } = message;
  const template = templateOf(text, message.values, textsInUse().texts.keys()) ?? guessed(message);
  return l10n.t(template, Object.fromEntries(values));
}

function localiseAction(action: string): string {
  return l10n.t(action);
}

/** Without a translation any places will do that make the same sentence. Short values are left alone: they may occur anywhere. */
function guessed({ text, values }: HostMessage): string {
  return Object.entries(values)
    .filter(([, value]) => value.length > 2)
    .sort(([, a], [, b]) => b.length - a.length)
    .reduce((sentence, [name, value]) => sentence.replaceAll(value, `{${name}}`), text);
}
