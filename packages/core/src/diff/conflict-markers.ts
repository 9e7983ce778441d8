/** First line of a conflict in the right side of a review: what follows stands in the file now. */
export const conflictStart = "<<<<<<< current file";
/** Between both versions. */
export const conflictMiddle = "=======";
/** Last line of a conflict: what stands above it is what was proposed or typed. */
export const conflictEnd = ">>>>>>> proposed change";

/** Whether a text still holds a conflict that `mergeTexts` marked. */
export function hasConflict(text: string): boolean {
  return hasLine(text, conflictStart) || hasLine(text, conflictEnd);
}

function hasLine(text: string, line: string): boolean {
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const after = text.charAt(at + line.length);
    if ((at === 0 || /[\r\n]/u.test(text.charAt(at - 1))) && /^[\r\n]?$/u.test(after)) return true;
  }
  return false;
}
