import { show, type Summary } from "./results.ts";

const colours: Readonly<Record<string, string>> = {
  patchbay: "#2f6fde",
  sdk: "#c98a1b",
  bare: "#8a8f98",
  against: "#b0413e",
};
const labelWidth = 330;
const barWidth = 420;
const barHeight = 11;

/** Bars of each row, relative to its largest: shapes to look at, the figures stand beside them. */
export function toSvg(summary: Summary): string {
  const rowHeight = summary.subjects.length * (barHeight + 2) + 12;
  const height = summary.rows.length * rowHeight + 40;
  const parts = summary.rows.map((row, index) => {
    const top = 36 + index * rowHeight;
    const largest = Math.max(...Object.values(row.medians).map(Math.abs), Number.MIN_VALUE);
    const bars = summary.subjects.map((name, place) => {
      const value = row.medians[name];
      const y = top + place * (barHeight + 2);
      const width = value === undefined ? 0 : Math.max(1, (Math.abs(value) / largest) * barWidth);
      return `<rect x="${labelWidth}" y="${y}" width="${width.toFixed(1)}" height="${barHeight}" fill="${colours[name] ?? "#555"}"/><text x="${labelWidth + width + 6}" y="${y + 9}" font-size="10">${show(value, row.unit)}</text>`;
    });
    const better = row.lowerIsBetter ? "" : " (more is better)";
    return `<text x="${labelWidth - 10}" y="${top + 10}" text-anchor="end" font-size="12">${row.name}${better}</text>${bars.join("")}`;
  });
  const legend = summary.subjects
    .map(
      (name, index) =>
        `<rect x="${labelWidth + index * 110}" y="10" width="11" height="11" fill="${colours[name] ?? "#555"}"/><text x="${labelWidth + 16 + index * 110}" y="20" font-size="12">${name}</text>`,
    )
    .join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${labelWidth + barWidth + 120}" height="${height}" font-family="sans-serif"><rect width="100%" height="100%" fill="#fff"/>${legend}${parts.join("")}</svg>\n`;
}
