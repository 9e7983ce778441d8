import { isReached, ownSubject, peerSubject, ratioTo, type Results, show } from "./results.ts";

const labelWidth = 400;
const scaleWidth = 430;
const rowHeight = 20;
const top = 52;

/** Ratios are drawn between a thousandth and a hundred times. */
const smallest = -3;
const largest = 2;

/**
 * Our ratio to another subject for each row, on a scale of powers of ten: a bar to the left of 1 is less than theirs. The
 * goal, where it is a ratio, is a mark on the scale.
 */
export function toSvg(results: Results): string {
  const other = results.subjects.includes(peerSubject) ? peerSubject : "sdk";
  const rows = results.rows.filter((row) => (ratioTo(row, other) ?? 0) > 0);
  const height = top + rows.length * rowHeight + 12;
  const lines = rows.map((row, index) => {
    const ratio = ratioTo(row, other) ?? 1;
    const y = top + index * rowHeight;
    const [from, to] = [place(ratio), place(1)].toSorted((a, b) => a - b);
    const isBetter = row.higherIsBetter === true ? ratio >= 1 : ratio <= 1;
    const colour = isReached(row) === false ? "#c98a1b" : isBetter ? "#2f6fde" : "#b0413e";
    const mark =
      row.goal?.ratio === undefined || other !== peerSubject
        ? ""
        : `<line x1="${place(row.goal.ratio)}" x2="${place(row.goal.ratio)}" y1="${y - 2}" y2="${y + 14}" stroke="#111" stroke-width="2"/>`;
    const figures = `${ratio < 0.1 ? ratio.toPrecision(1) : show(ratio)}x · ${show(row.medians[ownSubject], row.unit)}`;
    return [
      `<text x="${labelWidth - 10}" y="${y + 10}" text-anchor="end" font-size="11">${row.name}</text>`,
      `<rect x="${from}" y="${y}" width="${Math.max(1, (to ?? 0) - (from ?? 0)).toFixed(1)}" height="12" fill="${colour}"/>${mark}`,
      `<text x="${labelWidth + scaleWidth + 8}" y="${y + 10}" font-size="11">${figures}</text>`,
    ].join("");
  });
  const grid = Array.from({ length: largest - smallest + 1 }, (_none, index) => {
    const value = 10 ** (smallest + index);
    const x = place(value);
    const isOne = value === 1;
    return `<line x1="${x}" x2="${x}" y1="${top - 8}" y2="${height - 8}" stroke="${isOne ? "#444" : "#ddd"}"/><text x="${x}" y="${top - 12}" text-anchor="middle" font-size="11">${value}x</text>`;
  });
  const title = `${ownSubject} in relation to ${other === peerSubject ? "the other companion" : other}; black mark: goal; blue: reached or better, amber: goal not reached, red: worse`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${labelWidth + scaleWidth + 170}" height="${height}" font-family="sans-serif"><rect width="100%" height="100%" fill="#fff"/><text x="10" y="18" font-size="12">${title}</text>${grid.join("")}${lines.join("")}</svg>\n`;
}

function place(ratio: number): number {
  const power = Math.min(largest, Math.max(smallest, Math.log10(ratio)));
  return Math.round(labelWidth + ((power - smallest) / (largest - smallest)) * scaleWidth);
}
