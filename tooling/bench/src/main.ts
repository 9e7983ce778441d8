import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SubjectProcess } from "./client/subject-process.ts";
import { toMarkdown } from "./report/markdown.ts";
import { type Figures, ownSubject, peerSubject, summarise } from "./report/results.ts";
import { toSvg } from "./report/svg.ts";
import { blockRows } from "./rows/block-rows.ts";
import { callRows } from "./rows/call-rows.ts";
import { contextRows } from "./rows/context-rows.ts";
import { hookRows } from "./rows/hook-rows.ts";
import { ledgerRows } from "./rows/ledger-rows.ts";
import { restRows } from "./rows/rest-rows.ts";
import type { Measurement } from "./rows/row.ts";
import { startRows } from "./rows/start-rows.ts";

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    rounds: { type: "string", default: "5" },
    only: { type: "string", multiple: true, default: [] },
    subject: { type: "string", multiple: true, default: [] },
    against: { type: "string" },
    "add-to": { type: "string" },
    json: { type: "string" },
    svg: { type: "string" },
    markdown: { type: "string" },
  },
});

const node = [process.execPath, "--expose-gc", "--no-warnings"];
const subject = (name: string, ...args: readonly string[]): readonly string[] => [
  ...node,
  join(import.meta.dirname, "subjects", `${name}.ts`),
  ...args,
];
const all: readonly (readonly [string, readonly string[]])[] = [
  [ownSubject, subject("extension", join(import.meta.dirname, "..", "..", "..", "apps", "vscode"))],
  ...(values.against === undefined ? [] : [[peerSubject, ["/bin/sh", "-c", `exec ${values.against} "$0"`]] as const]),
  ["headless", subject("headless")],
  ["sdk", subject("sdk")],
  ["bare", subject("bare")],
];
const subjects = all.filter(([name]) => values.subject.length === 0 || values.subject.includes(name));
const measurements: readonly Measurement[] = [
  ...startRows,
  ...callRows,
  ...contextRows,
  ...hookRows,
  ...restRows,
  ...ledgerRows,
  ...blockRows,
];
const chosen = measurements.filter(
  ({ rows }) => values.only.length === 0 || rows.some(({ name }) => values.only.some((part) => name.includes(part))),
);
const rounds = Math.max(0, Number.parseInt(values.rounds, 10) || 0);
const earlier = values["add-to"];
const figures: Figures =
  earlier !== undefined && existsSync(earlier) ? JSON.parse(readFileSync(earlier, "utf8")).figures : {};
// Rounds of an earlier run count, so that the order goes on changing.
const taken = chosen.flatMap(({ rows }) => rows.flatMap(({ name }) => Object.values(figures[name] ?? {})));
const done = Math.max(0, ...taken.map((values) => values.length));

const folder = mkdtempSync(join(tmpdir(), "patchbay-bench-workspace-"));
try {
  for (let round = done; round < done + rounds; round += 1) {
    // Reversed every other round, so that what warms or wears the machine meets each subject alike.
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const measurement of chosen) {
      const { command: own, subjects: having } = measurement;
      const those =
        own === undefined ? order.filter(([name]) => having?.includes(name) ?? true) : ([[ownSubject, own]] as const);
      for (const [name, command] of those) await measure(measurement, name, command);
    }
    console.error(`round ${round + 1} of ${done + rounds}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const rows = (earlier === undefined ? chosen : measurements).flatMap((measurement) => measurement.rows);
const results = summarise(
  rows.filter(({ name }) => figures[name] !== undefined),
  // Also the other companion of an earlier run, which need not be started to be shown.
  [
    ownSubject,
    peerSubject,
    ...all.map(([name]) => name).filter((name) => name !== ownSubject && name !== peerSubject),
  ].filter((name) => Object.values(figures).some((row) => row[name] !== undefined)),
  figures,
);
console.log(toMarkdown(results));
const json = values.json ?? earlier;
if (values.markdown !== undefined) await writeFile(values.markdown, `${toMarkdown(results)}\n`);
if (json !== undefined) await writeFile(json, `${JSON.stringify(results, undefined, 2)}\n`);
if (values.svg !== undefined) await writeFile(values.svg, toSvg(results));

async function measure(measurement: Measurement, name: string, command: readonly string[]): Promise<void> {
  let running: SubjectProcess | undefined;
  try {
    running = await SubjectProcess.start(command, folder, measurement.environment);
    const taken = await measurement.measure(running, folder);
    for (const [index, row] of measurement.rows.entries()) {
      const value = taken[index];
      if (value !== undefined) ((figures[row.name] ??= {})[name] ??= []).push(value);
    }
  } catch (error) {
    const names = measurement.rows.map((row) => row.name).join(", ");
    console.error(`${names}; ${name}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await running?.end();
  }
}
