import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SubjectProcess } from "./client/subject-process.ts";
import { toMarkdown } from "./report/markdown.ts";
import { type Results, summarise } from "./report/results.ts";
import { toSvg } from "./report/svg.ts";
import { callRows } from "./rows/call-rows.ts";
import { contextRows } from "./rows/context-rows.ts";
import { leakRows } from "./rows/leak-rows.ts";
import type { Row } from "./rows/row.ts";
import { startRows } from "./rows/start-rows.ts";

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    rounds: { type: "string", default: "5" },
    only: { type: "string", multiple: true, default: [] },
    against: { type: "string" },
    json: { type: "string" },
    svg: { type: "string" },
    markdown: { type: "string" },
  },
});

const subjectsFolder = join(import.meta.dirname, "subjects");
const subjects: readonly (readonly [string, readonly string[]])[] = [
  ...["patchbay", "sdk", "bare"].map(
    (name) => [name, [process.execPath, "--expose-gc", "--no-warnings", join(subjectsFolder, `${name}.ts`)]] as const,
  ),
  ...(values.against === undefined ? [] : [["against", ["/bin/sh", "-c", `exec ${values.against} "$0"`]] as const]),
];
const rows: readonly Row[] = [...startRows, ...callRows, ...contextRows, ...leakRows].filter(
  (row) => values.only.length === 0 || values.only.some((part) => row.name.includes(part)),
);
const rounds = Math.max(1, Number.parseInt(values.rounds, 10) || 1);
const figures: Results = new Map();

const folder = mkdtempSync(join(tmpdir(), "patchbay-bench-workspace-"));
try {
  for (let round = 0; round < rounds; round += 1) {
    // Reversed every other round, so that what warms or wears the machine meets each subject alike.
    const order = round % 2 === 0 ? subjects : subjects.toReversed();
    for (const row of rows) for (const [name, command] of order) await measure(row, name, command);
    console.error(`round ${round + 1} of ${rounds}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const summary = summarise(
  rows,
  subjects.map(([name]) => name),
  figures,
);
console.log(toMarkdown(summary));
if (values.markdown !== undefined) await writeFile(values.markdown, `${toMarkdown(summary)}\n`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(summary, undefined, 2)}\n`);
if (values.svg !== undefined) await writeFile(values.svg, toSvg(summary));

async function measure(row: Row, name: string, command: readonly string[]): Promise<void> {
  const subject = await SubjectProcess.start(command, folder);
  try {
    const value = await row.measure(subject, folder);
    const key = `${row.name} ${name}`;
    figures.set(key, [...(figures.get(key) ?? []), value]);
  } catch (error) {
    console.error(`${row.name}, ${name}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await subject.end();
  }
}
