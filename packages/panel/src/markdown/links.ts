/** Where a link may lead: a page on the web or a file. Everything else is dead text. */
export type LinkTarget =
  | { readonly kind: "web"; readonly href: string }
  | { readonly kind: "file"; readonly path: string; readonly line?: number };

/** Control characters, and those that turn the direction of text: an address with one is not what it looks like. */
const deceptive = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const scheme = /^([a-z][a-z\d+.-]+):/iu;
const lineSuffix = /^(?<path>.*?)(?:#L(?<anchor>\d+)(?:[-,C].*)?|:(?<line>\d+)(?::\d+)?(?:-\d+)?)$/u;

/** Agents name files as code, mostly with their folder or a line: it has a name with an ending. */
export function namesFile(code: string): boolean {
  return (
    /^(?:\.{0,2}\/)?(?:[\w@.+-]+\/)*[\w@.+-]*\w\.[a-z]\w{0,7}(?::\d+(?::\d+)?)?$/iu.test(code) && /\/|:\d/u.test(code)
  );
}

/** Reads the address of a link. Undefined: it leads nowhere. */
export function linkTarget(address: string): LinkTarget | undefined {
  const text = address.trim();
  if (text === "" || text.startsWith("#") || deceptive.test(text)) return undefined;
  const name = scheme.exec(text)?.[1]?.toLowerCase();
  if (name === "http" || name === "https") return webTarget(text);
  if (text.startsWith("//") || text.startsWith("\\\\")) return undefined;
  // A colon before the line number makes a file name look like a scheme.
  if (name !== undefined && !/^[^:]+\.[^:]*:\d+(?::\d+)?$/u.test(text)) return undefined;
  return fileTarget(text);
}

function webTarget(text: string): LinkTarget | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  // A name before the host pretends to be the host.
  if (url.username !== "" || url.password !== "") return undefined;
  return { kind: "web", href: url.href };
}

function fileTarget(text: string): LinkTarget | undefined {
  const found = lineSuffix.exec(text)?.groups;
  const line = Number(found?.anchor ?? found?.line ?? Number.NaN);
  const path = decode(found?.path ?? text.replace(/#.*$/u, ""));
  if (path === undefined || path === "" || deceptive.test(path)) return undefined;
  return Number.isSafeInteger(line) ? { kind: "file", path, line } : { kind: "file", path };
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // A per cent sign of the file's own name.
    return path;
  }
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  trade: "™",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  larr: "←",
  rarr: "→",
  times: "×",
  middot: "·",
  bull: "•",
  colon: ":",
};

/** Character references in text; as nothing goes through HTML, nobody else reads them. */
export function decodeReferences(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/giu, (whole, decimal, hex, name) => {
    if (typeof name === "string") return named[name] ?? whole;
    const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd8_00 && code <= 0xdf_ff) ? String.fromCodePoint(code) : whole;
  });
}
