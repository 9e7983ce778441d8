import { readdirSync, readFileSync } from "node:fs";

// The pages of the walkthrough, which stand beside its steps. VS Code shows `page.nls.<language>.md` in the place of `page.md`.

const folder = new URL("../media/walkthrough/", import.meta.url);

/** The pages in English, by their names without the ending. */
export function walkthroughPages(): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return new Map(names.map((name) => [name.replace(/\.md$/u, ""), readFileSync(new URL(name, folder), "utf8")]));
}

/** What is said as it is: commands, keys, names of agents, and the line below a table's header. */
const fixed =
  /^(?:`[^`]+`|(?:Ctrl|Alt)\+\S+(?: \(\S+\))?|Gemini CLI|Qwen Code|Claude Code|Copilot CLI|Codex CLI|Pi|opencode|Kilo|-+|)$/u;

/** A page in another language, line by line, and a table cell by cell. */
export function pageIn(page: string, translate: (text: string) => string): string {
  const own = (text: string): string => (fixed.test(text) ? text : translate(text));
  const lines = page.split("\n").map((line) => {
    const cells = /^\|(?<cells>.*)\|$/u.exec(line)?.groups?.["cells"];
    if (cells !== undefined)
      return `| ${cells
        .split("|")
        .map((cell) => own(cell.trim()))
        .join(" | ")} |`;
    const {
      before = "",
      text = "",
      after = "",
    } = /^(?<before>!\[|- )?(?<text>.*?)(?<after>\]\(\S+\))?$/u.exec(line)?.groups ?? {};
    return `${before}${own(text)}${after}`;
  });
  return lines.join("\n");
}

/** What there is to translate in them. */
export function walkthroughUnits(): readonly string[] {
  const units = new Set<string>();
  for (const page of walkthroughPages().values()) {
    pageIn(page, (text) => {
      units.add(text);
      return text;
    });
  }
  return [...units];
}
