// pnpm soak [--short] [--diffs N] [--agents 1,4,8] [--cuts 0.3] [--reloads N]
import process from "node:process";
import { parseArgs } from "node:util";
import { runSoak, type SoakResult } from "./soak/run-soak.ts";

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    diffs: { type: "string" },
    agents: { type: "string", default: "1,4,8" },
    cuts: { type: "string", default: "0.3" },
    reloads: { type: "string" },
  },
});

const mib = 1024 * 1024;
const diffs = Number(values.diffs ?? (values.short ? 300 : 10_000));
const reloads = Number(values.reloads ?? (values.short ? 1 : 10));

function row(cells: readonly (string | number)[]): string {
  const widths = [6, 7, 6, 7, 9, 6, 4, 6, 4, 4, 9, 6];
  return cells.map((cell, index) => String(cell).padStart(widths[index] ?? 8)).join("  ");
}

const results: { readonly agents: number; readonly result: SoakResult }[] = [];
for (const agents of values.agents.split(",").map(Number)) {
  const result = await runSoak({
    diffs,
    agents,
    cutShare: Number(values.cuts),
    thinkMs: 12,
    reloads,
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  results.push({ agents, result });
}

console.log("");
console.log(
  row(["agents", "diffs", "cuts", "reloads", "delivered", "voided", "lost", "astray", "dup", "bent", "memory", "s"]),
);
let failed = 0;
for (const { agents, result } of results) {
  const { tally, growth, seconds, faults, leftProposals } = result;
  const { cuts, delivered, voided, lost, astray, duplicated, bent } = tally;
  const memory = `${growth < 0 ? "" : "+"}${(growth / mib).toFixed(1)} MB`;
  console.log(
    row([
      agents,
      tally.diffs,
      cuts,
      tally.reloads,
      delivered,
      voided,
      lost,
      astray,
      duplicated,
      bent,
      memory,
      seconds.toFixed(0),
    ]),
  );
  const isFlat = growth < 4 * mib;
  if (!tally.isClean || faults.length > 0 || leftProposals > 0 || !isFlat) failed += 1;
  for (const finding of tally.findings) console.log(`        ${finding}`);
  for (const fault of faults) console.log(`        ${fault}`);
  if (leftProposals > 0) console.log(`        ${leftProposals} proposals were left open`);
  if (!isFlat) console.log("        the memory is not flat");
}
console.log("voided: the socket that carries Claude's answer was cut; nothing is answered, and nothing came later");
console.log("");
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
