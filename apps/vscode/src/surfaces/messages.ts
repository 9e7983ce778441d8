import { commands, type MessageOptions, type QuickPickItem, window } from "vscode";
import { l10n } from "@patchbay/languages/spoken";
import { shownText } from "./texts.ts";

// The only place that shows messages and lists, so that no text comes to a person as it is. Actions are our own words.

export async function inform(text: string, ...actions: readonly string[]): Promise<string | undefined> {
  return await window.showInformationMessage(shownText(text), ...actions);
}

export async function warn(text: string, ...actions: readonly string[]): Promise<string | undefined> {
  return await window.showWarningMessage(shownText(text), ...actions);
}

export async function reportError(text: string, ...actions: readonly string[]): Promise<string | undefined> {
  return await window.showErrorMessage(shownText(text), ...actions);
}

/**
 * A dialog in the middle of the window, for what the user has just begun. It takes the keyboard, and Enter chooses the
 * first action: a key on its way elsewhere must do no harm there. VS Code adds "Cancel".
 */
export async function askModally(
  text: string,
  actions: readonly string[],
  detail: readonly string[] = [],
): Promise<string | undefined> {
  const options: MessageOptions = { modal: true, detail: detail.map(shownText).join("\n") };
  return await window.showWarningMessage(shownText(text), options, ...actions);
}

/** A word in the status bar that goes by itself. */
export function note(text: string, milliseconds: number): void {
  window.setStatusBarMessage(shownText(text), milliseconds);
}

/** Lets the user choose one of a list. `staysOpen`: also while they look at something else. */
export async function choose<T extends QuickPickItem>(
  items: readonly T[],
  placeHolder: string,
  { staysOpen = false }: { readonly staysOpen?: boolean } = {},
): Promise<T | undefined> {
  const shown = items.map((item) => ({
    item,
    label: shownText(item.label),
    ...(item.description === undefined ? {} : { description: shownText(item.description) }),
  }));
  return (await window.showQuickPick(shown, { placeHolder, ignoreFocusOut: staysOpen }))?.item;
}

/** A line that the user may leave empty; undefined where they think better of it. It stays while they look at what it is about. */
export async function askForText(question: {
  readonly title: string;
  readonly placeholder: string;
  readonly prompt: string;
  /** What stands there already. */
  readonly value?: string;
}): Promise<string | undefined> {
  return await window.showInputBox({
    ...(question.value === undefined ? {} : { value: question.value }),
    title: shownText(question.title),
    placeHolder: question.placeholder,
    prompt: shownText(question.prompt),
    ignoreFocusOut: true,
  });
}

/** Tells the user that agents cannot be served, and offers to look into it. */
export async function tellFailure(message: string): Promise<void> {
  const showLog = l10n.t("Show Log");
  const diagnose = l10n.t("Diagnose Connection");
  const answer = await reportError(`Patchbay: ${message}`, showLog, diagnose);
  if (answer === showLog) await commands.executeCommand("patchbay.showLog");
  if (answer === diagnose) await commands.executeCommand("patchbay.diagnose");
}
