/** Whether two texts differ in nothing but their line ends: documents have one kind, files may have several. */
export function sameLines(a: string, b: string): boolean {
  return a === b || toLineFeeds(a) === toLineFeeds(b);
}

function toLineFeeds(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/gu, "\n") : text;
}
