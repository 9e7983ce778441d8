const special = /[.+^$()|[\]\\]/;

/**
 * Compiles a glob of the kind editors use for exclusions: `*` within a segment, `**` over segments, `?`, `{a,b}`.
 * A pattern without a slash matches a name in any folder; one with a slash matches from a workspace root or anywhere below. A slash at either end says no more than the name.
 * Own code instead of a library because it is needed at start-up, where every kilobyte is paid for by everyone.
 */
export function compileGlob(pattern: string): RegExp {
  const body = pattern.replace(/^(?:\.?\/)+|\/+$/gu, "");
  let source = "";
  let depth = 0;
  for (let index = 0; index < body.length; index += 1) {
    const character = body.charAt(index);
    if (character === "*" && body.charAt(index + 1) === "*") {
      const overSegments = body.charAt(index + 2) === "/";
      source += overSegments ? "(?:.*/)?" : ".*";
      index += overSegments ? 2 : 1;
    } else if (character === "*") source += "[^/]*";
    else if (character === "?") source += "[^/]";
    else if (character === "{" && body.indexOf("}", index) > index) {
      source += "(?:";
      depth += 1;
    } else if (character === "}" && depth > 0) {
      source += ")";
      depth -= 1;
    } else if (character === "," && depth > 0) source += "|";
    else source += special.test(character) || character === "{" || character === "}" ? `\\${character}` : character;
  }
  // A folder named by the pattern excludes what is in it.
  return new RegExp(`(?:^|/)${source}${")".repeat(depth)}(?:/|$)`, "u");
}
