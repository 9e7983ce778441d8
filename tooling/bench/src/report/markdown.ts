import {
  isReached,
  ownSubject,
  peerSubject,
  ratioTo,
  type ResultRow,
  type Results,
  show,
  showGoal,
} from "./results.ts";

/** The table: our ratio to the other companion beside the goal, then the figures of all. */
export function toMarkdown(results: Results): string {
  const hasPeer = results.subjects.includes(peerSubject);
  const others = results.subjects.filter((name) => name !== ownSubject && name !== peerSubject);
  const head = [
    "what",
    "goal",
    ...(hasPeer ? [`${ownSubject} / ${peerSubject}`] : []),
    "reached",
    ownSubject,
    ...(hasPeer ? [peerSubject] : []),
    ...others,
    `${ownSubject} / bare`,
  ];
  const lines = results.rows.map((row) => [
    row.name,
    showGoal(row.goal, row),
    ...(hasPeer ? [showRatio(row, peerSubject)] : []),
    { true: "yes", false: "**no**", undefined: "–" }[String(isReached(row))] ?? "–",
    show(row.medians[ownSubject], row.unit),
    ...(hasPeer ? [show(row.medians[peerSubject], row.unit)] : []),
    ...others.map((name) => show(row.medians[name], row.unit)),
    showRatio(row, "bare"),
  ]);
  return [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function showRatio(row: ResultRow, subject: string): string {
  const ratio = ratioTo(row, subject);
  if (ratio === undefined || ratio < 0) return "–";
  return ratio < 0.1 ? `${ratio.toPrecision(1)}x` : `${show(ratio)}x`;
}
