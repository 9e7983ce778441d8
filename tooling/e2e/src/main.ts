import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { join } from "node:path";
import { everyAgent } from "./agents/index.ts";

import { ensurePrerequisites } from "./prerequisites/prerequisites.ts";
import { allCases, chooseCases } from "./runner/cases.ts";
import { countLanes, thisMachine } from "./runner/lanes.ts";
import { runCases } from "./runner/run-cases.ts";
import { takeScreenshots } from "./screenshots.ts";

const root = join(import.meta.dirname, "..", "..", "..");

const usage = `Runs the real agents in the real editors.

  --list            print the cases and end
  --only <prefix>   editor[:agent[:scenario]], or panel[:agent], hook[:agent]; may be repeated, or comma-separated
  --without <prefix> but not these, named in the same way
  --lanes <number>  how many editors run side by side: else $PATCHBAY_E2E_LANES, else 2 where there are processors and memory
                    for them; 1 for times that are to be compared, and always with --record
  --record          write what went over the wire into packages/core/test/golden
  --screenshots     make the pictures of the documentation instead of testing
  --into <folder>   where --record or --screenshots write instead
  --report <file>   write how each case ended, with what it told and the times it noted, as JSON
`;

const { values } = parseArgs({
  // pnpm hands its own separator on.
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    list: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    without: { type: "string", multiple: true, default: [] },
    lanes: { type: "string" },
    record: { type: "boolean", default: false },
    screenshots: { type: "boolean", default: false },
    into: { type: "string" },
    report: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const wordsOf = (lists: readonly string[]): readonly string[] =>
  lists.flatMap((list) => list.split(",")).filter((word) => word !== "");

process.exitCode = await main();

async function main(): Promise<number> {
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const wishes = wordsOf(values.only);
  const cases = chooseCases(allCases(), wishes, wordsOf(values.without));
  if (values.list) {
    for (const one of cases) console.log(one.id);
    return 0;
  }
  const progress = (line: string): void => console.log(line);
  const lanes = countLanes(values.lanes ?? process.env["PATCHBAY_E2E_LANES"], thisMachine());
  if (values.screenshots) {
    await ensurePrerequisites(["vscode", "theia", ...everyAgent], progress);
    await takeScreenshots(values.into ?? join(root, "docs", "images"));
    return 0;
  }
  if (cases.length === 0) {
    console.log(`no case matches ${wishes.join(", ")}; --list shows them all`);
    return 2;
  }
  const possible = cases.filter((one) => one.editor.whyNot() === undefined);
  const names = possible.flatMap((one) => [
    ...one.editor.prerequisites,
    ...(one.agent === "all" ? everyAgent : [one.agent]),
    ...(one.scenario.beside ?? []),
  ]);
  await ensurePrerequisites([...new Set(names)], progress);
  const recordInto = values.record ? (values.into ?? join(root, "packages", "core", "test", "golden")) : undefined;
  const {
    passed,
    failed,
    skipped,
    cases: results,
  } = await runCases(cases, {
    recordInto,
    // Editors beside each other would write over each other's transcripts.
    lanes: values.record ? 1 : lanes,
    print: progress,
  });
  if (values.report !== undefined) await writeFile(values.report, `${JSON.stringify(results, undefined, 2)}\n`);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed === 0 ? 0 : 1;
}
