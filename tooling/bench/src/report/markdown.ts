import { show, type Summary } from "./results.ts";

/** The table, with patchbay's ratio to each other subject. */
export function toMarkdown(summary: Summary): string {
  const others = summary.subjects.filter((name) => name !== "patchbay");
  const head = ["what", ...summary.subjects, ...others.map((name) => `patchbay / ${name}`)];
  const lines = summary.rows.map((row) => {
    const own = row.medians["patchbay"];
    const ratios = others.map((name) => {
      const other = row.medians[name];
      return own === undefined || other === undefined || other === 0 ? "–" : `${show(own / other)}x`;
    });
    return [row.name, ...summary.subjects.map((name) => show(row.medians[name], row.unit)), ...ratios];
  });
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
