/** How well a path fits: letters in order, better together, best in the name. Undefined: not at all. */
export function scoreOf(path: string, wanted: string): number | undefined {
  const slashed = path.replaceAll("\\", "/");
  const nameAt = slashed.lastIndexOf("/") + 1;
  const inName = slashed.indexOf(wanted, nameAt);
  if (inName >= 0) return 1_000 - (inName - nameAt) - slashed.length / 1_000;
  const whole = slashed.indexOf(wanted);
  if (whole >= 0) return 500 - slashed.length / 1_000;
  let at = 0;
  let gaps = 0;
  for (const letter of wanted) {
    const found = slashed.indexOf(letter, at);
    if (found < 0) return undefined;
    gaps += found - at;
    at = found + 1;
  }
  return -gaps - slashed.length / 1_000;
}
