import { visibleText } from "../../common/visible-text.ts";

// What is done to a text before a person sees it. Names of files, what an agent calls itself and what a setting holds are
// anybody's words: a cloned repository is enough. Where Theia reads more than plain text, they must stay plain text.
// Dialogs, tabs, tooltips and documents are plain text in Theia: for these there is `visibleText`.

/** Invisible and without a width: keeps two characters from being read as one mark. */
const joiner = "\u2060";

/**
 * For notifications, which Theia renders as Markdown: its links run commands, its pictures are loaded. Every character that
 * can begin something there is escaped.
 */
export function messageText(text: string): string {
  return visibleText(text).replace(/[\\`*_~[\]<>&]/g, String.raw`\$&`);
}

/** For what is drawn with icons, `$(name)`: the status bar and lists. An icon of our own is put before it. */
export function labelText(text: string): string {
  return visibleText(text).replaceAll("$(", `$${joiner}(`);
}

/** For a line typed into a terminal; undefined where it would be more than a line, or keys. */
export function terminalText(text: string): string | undefined {
  return visibleText(text) === text ? text : undefined;
}
