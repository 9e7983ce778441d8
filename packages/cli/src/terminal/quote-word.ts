/** A path or value as one word of a POSIX shell. */
export function quoteWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
