import { displayWidth } from "@patchbay/core";

/**
 * Breaks lines between words so that they fit into `columns` (undefined: as they are). What follows stands under the text:
 * indented like the line, or like the second column where there is one (two spaces or more before it). A word that is wider
 * than a line stays whole, so that paths and commands can be copied.
 */
export function wrapText(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split("\n")
    .flatMap((line) => (displayWidth(line) <= columns ? [line] : wrapLine(line, columns)))
    .join("\n");
}

const shape = /^(?<lead> *)(?:(?<head>\S.*?)(?<gap> {2,}))?(?<rest>\S.*)$/u;

const widestColumn = 36;

function wrapLine(line: string, columns: number): readonly string[] {
  const { lead = "", head = "", gap = "", rest = line } = shape.exec(line)?.groups ?? {};
  if (head === "") return fill(rest, lead, lead, columns);
  const first = lead + head + gap;
  // A sentence that has two spaces somewhere is no column.
  if (displayWidth(first) > widestColumn) return fill(head + gap + rest, lead, lead, columns);
  // A first column that leaves too little room stands alone.
  if (displayWidth(first) > columns / 2) {
    const indent = `${lead}    `;
    return [...fill(head, lead, indent, columns), ...fill(rest, indent, indent, columns)];
  }
  return fill(rest, first, " ".repeat(displayWidth(first)), columns);
}

function fill(text: string, first: string, indent: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && displayWidth(line) + 1 + displayWidth(word) > columns) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

/** The end of a text where it is too wide, after an ellipsis: of a path the end tells more. */
export function fitEnd(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const characters = Array.from(text);
  while (characters.length > 0 && displayWidth(characters.join("")) > columns - 1) characters.shift();
  return `…${characters.join("")}`;
}

/** The begin of a text where it is too wide, before an ellipsis. */
export function fitStart(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const characters = Array.from(text);
  while (characters.length > 0 && displayWidth(characters.join("")) > columns - 1) characters.pop();
  return `${characters.join("")}…`;
}

/** Lines of a table: a header, a rule and the rows, each column as wide as its widest cell. Cells must be safe to print. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = header.map((title, column) =>
    Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? "";
        return cell + " ".repeat(Math.max(0, width - displayWidth(cell)));
      })
      .join("  ")
      .trimEnd();
  return [line(header), widths.map((width) => "─".repeat(width)).join("  "), ...rows.map((row) => line(row))];
}

/** Names as a part of a sentence: `a, b and c`. */
export function listOf(names: readonly string[], joint: "and" | "or"): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} ${joint} ${last}`;
}
