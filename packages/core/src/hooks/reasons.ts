import { splitByteOrderMark } from "../diff/text-fidelity.ts";
import { limitText } from "../support/text.ts";

/** The model can read the rest of a longer text nowhere: it is told that there is more. */
const longestTextBytes = 65_536;

/** What the model reads when the user has said no. */
export function rejectionReason(path: string, reason: string | undefined): string {
  const said = reason?.trim() ?? "";
  const rejected = `The user reviewed this change of ${path} in their editor and rejected it. Nothing was written.`;
  return said === ""
    ? `${rejected} Ask them what they want instead, or go on with something else.`
    : `${rejected} They say: ${said}`;
}

/** What the model reads where nobody decided before the hook's time was up. */
export const undecidedReason =
  "Nobody decided on this change in the editor in time, so nothing was written. Ask the user to review it, then try again.";

/** What the model reads when the user does not want a command to run. */
export function rejectedCommandReason(reason: string | undefined): string {
  const said = reason?.trim() ?? "";
  const rejected = "The user was asked about this command in their editor and rejected it. It was not run.";
  return said === ""
    ? `${rejected} Ask them what they want instead, or go on with something else.`
    : `${rejected} They say: ${said}`;
}

/** What the model reads where nobody answered before the hook's time was up. */
export const unansweredCommandReason =
  "Nobody answered in the editor in time whether this command may run, so it was not run. Ask the user to answer there, then try again.";

/** What the model reads where the user wants another text, and the tool cannot be told so. */
export function rewrittenReason(path: string, text: string): string {
  const { body } = splitByteOrderMark(text);
  const told = limitText(body, longestTextBytes);
  if (told.length < body.length) {
    return `The user reviewed this change of ${path} and changed it. Their text is too long to be told here: ask them to write it themselves.`;
  }
  return `The user reviewed this change of ${path} and wrote this instead. Nothing was written yet: write exactly this text, and do not undo their changes.\n${told}`;
}

/** What the model reads where the user's text is written in place of its own; `text`: what stands there now. */
export function changedNote(path: string, text: string | undefined): string {
  const told = text === undefined ? undefined : splitByteOrderMark(text).body;
  const changed = `The user reviewed this change of ${path} and changed it: what is written is their text, not yours. Do not undo their changes.`;
  return told === undefined || limitText(told, longestTextBytes).length < told.length
    ? `${changed} Read the file before you go on with it.`
    : `${changed} In place of your text stands:\n${told}`;
}

/** What the model reads where the user wants the file as it is. */
export function unchangedReason(path: string): string {
  return `The user reviewed this change of ${path} and took all of it back: the file stays as it is.`;
}

/** What the model reads where a change that has to be reviewed cannot be shown. */
export function unclearReason(path: string): string {
  return `The user wants to review every change of ${path}, and this one cannot be shown to them: its old text does not stand in the file exactly once, or the file is not text. Read the file again and use its exact text, or write the whole file.`;
}
