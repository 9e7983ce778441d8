import { displayWidth } from "./display-width.ts";

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
