import { braceExpand, Minimatch, type MinimatchOptions } from "minimatch";

/** A pattern that says nothing certain, and why: a part of a sentence. */
export interface UnclearPattern {
  readonly pattern: string;
  readonly reason: string;
}

/** What the user's patterns leave out. */
export interface Exclusions {
  /** Patterns that cannot be understood. While there is one, everything is left out: it might have meant any file. */
  readonly unclear: readonly UnclearPattern[];
  excludes(path: string): boolean;
}

/**
 * Reads patterns as VS Code does: `*` and `?` within a name, `**` over folders, `{a,b}`, `[0-9]`, `[!0-9]`; everything
 * else means itself. A pattern without a slash is a name in any folder, one with a slash begins in any folder, and a
 * folder stands for all that is in it. The matching is minimatch's, whose time is bounded whatever the pattern: it comes
 * from settings, which may be those of a cloned repository.
 */
export function readExclusions(patterns: readonly string[], ignoreCase: boolean): Exclusions {
  const unclear: UnclearPattern[] = [];
  const globs: Minimatch[] = [];
  let characters = 0;
  const options: MinimatchOptions = { ...globOptions, nocase: ignoreCase };
  for (const pattern of patterns) {
    if (pattern === "") continue;
    const reading = readPattern(pattern);
    if (typeof reading === "string") unclear.push({ pattern, reason: reading });
    else if ((characters += reading.characters) > maximumCharacters)
      unclear.push({ pattern, reason: "all patterns together stand for too many" });
    else for (const glob of reading.globs) globs.push(new Minimatch(glob, options));
  }
  return {
    unclear,
    excludes: (path) => {
      if (unclear.length > 0) return true;
      const slashed = path.replaceAll("\\", "/");
      return globs.some((glob) => glob.match(slashed));
    },
  };
}

/** Only what VS Code's globs have; `platform`, because backslashes have been dealt with before. */
const globOptions: MinimatchOptions = {
  dot: true,
  noext: true,
  nonegate: true,
  nocomment: true,
  normalize: true,
  platform: "linux",
};

const maximumLength = 1_000;
/** Most patterns that the braces of one may stand for. */
const maximumExpansions = 500;
const maximumGlobstars = 20;
/** Braces in braces: each level is written out anew for the ones around it. */
const maximumBraceDepth = 10;
/** Of all patterns together, once their braces are written out: each costs time to read, and again for each file. */
const maximumCharacters = 32_000;

interface Reading {
  readonly globs: readonly string[];
  /** With its braces written out. */
  readonly characters: number;
}

/** What a pattern means, or why that cannot be told. */
function readPattern(pattern: string): Reading | string {
  if (pattern.includes("\0")) return "it is not a text";
  if (pattern.length > maximumLength) return "it is too long";
  if (!pattern.includes("\\")) return readGlob(pattern);
  // A backslash stands between folders on Windows, and elsewhere before what means itself: what either could mean is left out.
  const readings = [readGlob(pattern.replaceAll("\\", "/")), readGlob(pattern)];
  const clear = readings.filter((reading) => typeof reading !== "string");
  return clear.length === 0 ? "of its backslash" : sumOf(clear);
}

function readGlob(pattern: string): Reading | string {
  if (pattern.startsWith("!")) return "it begins with !";
  const body = pattern.replace(/^(?:\.?\/)+|\/+$/gu, "");
  if (body === "") return "it names nothing";
  const glob = new GlobReader(body).read();
  if (typeof glob === "string") return glob;
  const expanded = braceExpand(glob.text, { braceExpandMax: maximumExpansions + 1 });
  if (expanded.length > maximumExpansions) return "its braces stand for too many patterns";
  for (const one of expanded) {
    const segments = one.split("/");
    if (segments.some((segment) => segment === "." || segment === "..")) return "of a folder called . or ..";
    if (segments.filter((segment) => segment === "**").length > maximumGlobstars) return "it has too many **";
    if (one === "") return "one of its choices is empty";
  }
  const characters = expanded.reduce((sum, one) => sum + one.length, 0);
  return { globs: [`**/${glob.text}`, `**/${glob.text}/**`], characters };
}

function sumOf(readings: readonly Reading[]): Reading {
  const characters = readings.reduce((sum, one) => sum + one.characters, 0);
  return { globs: readings.flatMap(({ globs }) => globs), characters };
}

/** Checks what the library would take literally without a word, and writes what it reads otherwise than VS Code. */
class GlobReader {
  readonly #body: string;
  #at = 0;
  #depth = 0;

  constructor(body: string) {
    this.#body = body;
  }

  read(): { readonly text: string } | string {
    const text = this.#choices(false);
    return typeof text === "string" ? text : { text: text.join(",") };
  }

  /** The choices up to the end of a brace, or of the pattern: one then, with its commas. */
  #choices(inBraces: boolean): readonly string[] | string {
    const choices = [""];
    const add = (text: string): void => void choices.push((choices.pop() ?? "") + text);
    while (this.#at < this.#body.length) {
      const character = this.#body.charAt(this.#at);
      if (character === "}") return inBraces ? choices : "a brace is closed that was not opened";
      if (character === "," && inBraces) choices.push("");
      else if (character === "[") {
        const found = /^\[[!^]?[^\][/\\{},!^][^\][/\\{},]*\]/u.exec(this.#body.slice(this.#at))?.[0];
        if (found === undefined) return "of what stands in or after its bracket";
        if (hasRangeBackwards(found)) return "a range in its brackets goes backwards";
        add(found);
        this.#at += found.length - 1;
      } else if (character === "]") return "a bracket is closed that was not opened";
      else if (character === "{") {
        const written = this.#braces();
        if (written.reason !== undefined) return written.reason;
        add(written.text);
      } else if (character === "\\") {
        if (this.#at + 1 === this.#body.length) return "it ends with a backslash";
        add(this.#body.slice(this.#at, this.#at + 2));
        this.#at += 1;
      } else if (character === "(" && this.#isExtended()) return "patterns with a sign before ( are not known here";
      else add(character);
      this.#at += 1;
    }
    return inBraces ? "a brace is open" : choices;
  }

  #braces(): { readonly text: string; readonly reason?: string } {
    if (this.#body.charAt(this.#at - 1) === "$") return { text: "", reason: "of its ${" };
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > maximumBraceDepth) return { text: "", reason: "its braces are nested too deeply" };
    const choices = this.#choices(true);
    this.#depth -= 1;
    if (typeof choices === "string") return { text: "", reason: choices };
    const [only, ...others] = choices;
    if (others.length > 0) return { text: `{${choices.join(",")}}` };
    if (only === undefined || only === "") return { text: "", reason: "its braces are empty" };
    if (only.includes("..")) return { text: "", reason: "of the .. in its braces" };
    // One choice is itself; the library would look for braces in names.
    return { text: only };
  }

  /** Whether other tools would take a parenthesis for more than a letter. */
  #isExtended(): boolean {
    const before = this.#body.charAt(this.#at - 1);
    return /[@!+]/u.test(before) || (/[*?]/u.test(before) && this.#body.includes("|", this.#at));
  }
}

function hasRangeBackwards(brackets: string): boolean {
  return Array.from(brackets.matchAll(/(.)-(?=(.))/gsu)).some(([, from = "", to = ""]) => to !== "]" && from > to);
}
