import type { HostMessage } from "@patchbay/core";
import { inform, reportError, warn } from "../surfaces/messages.ts";
import { localise, localiseAction } from "./localise-message.ts";

/** Shows a message of core as VS Code's notification: in the corner, never modal, never with the focus. */
export async function showMessage(message: HostMessage): Promise<string | undefined> {
  const labels = message.actions.map(localiseAction);
  const chosen = await show(message.severity, localise(message), labels);
  return chosen === undefined ? undefined : message.actions[labels.indexOf(chosen)];
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
