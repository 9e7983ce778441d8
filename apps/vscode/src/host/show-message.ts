import { l10n } from "vscode";
import type { HostMessage } from "@patchbay/core";
import { inform, reportError, warn } from "../surfaces/messages.ts";
import { localise, localiseAction } from "./localise-message.ts";

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
      signal.removeEventListener("abort", withdraw);
      settle();
    };
    const withdraw = (): void => question.answer(undefined);
    waiting.add(question);
    signal.addEventListener("abort", withdraw);
    shown.then(
      (action) => {
        if (waiting.has(question)) question.answer(action);
        // It still stood on the screen, and what it asks has been answered meanwhile.
        else if (action !== undefined) void inform(l10n.t("This has been answered already."));
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
