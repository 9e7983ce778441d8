/** No file that is shown is longer, UTF-16 units. */
const longestText = 64 * 1_048_576;

/**
 * A text with a part, or all of its occurrences, replaced. Undefined where that would be longer than any file that is shown: that is
 * known before it is made, for making it takes seconds.
 */
export function replaceInText(
  text: string,
  { from, to, isForAll }: { readonly from: string; readonly to: string; readonly isForAll: boolean },
): string | undefined {
  let count = isForAll ? 0 : 1;
  const grows = to.length - from.length;
  const most = grows > 0 ? Math.floor((longestText - text.length) / grows) : Number.POSITIVE_INFINITY;
  if (isForAll && grows > 0)
    for (let at = text.indexOf(from); at !== -1 && count <= most; at = text.indexOf(from, at + from.length)) count += 1;
  if (count > most) return undefined;
  return isForAll ? text.replaceAll(from, () => to) : text.replace(from, () => to);
}
