/**
 * Characters that are no text: control characters, which end a command or speak to the terminal, line ends, and those that
 * reorder or hide text. Tabs stay.
 */
const unprintable =
  // oxlint-disable-next-line no-control-regex -- these are the characters to be found
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/**
 * A line that is shown somewhere: in a message, a notice, a list, a page or a buffer's name. Whatever comes from a file, an
 * agent or a setting goes through here first. What is no text stands in it as U+FFFD.
 */
export function plainLine(text: string): string {
  return text.replace(unprintable, "\ufffd");
}

/** The same for what users put into 'statusline' and the like, where a percent sign begins an item, which can be code. */
export function plainStatus(text: string): string {
  return plainLine(text).replaceAll("%", "\uff05");
}
