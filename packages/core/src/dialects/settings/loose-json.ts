/** Parses JSON with comments and trailing commas, as the agents' settings may have them; undefined where it is neither. */
export function parseLooseJson(text: string): unknown {
  try {
    return JSON.parse(plain(text));
  } catch {
    return undefined;
  }
}

/** Strings are kept as they are; comments and trailing commas outside of them go. */
function plain(text: string): string {
  const withoutComments = text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu, (match) =>
    match.startsWith('"') ? match : " ",
  );
  return withoutComments.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/gu, (match) => (match.startsWith('"') ? match : ""));
}
