import type { Reporter, TestCase, TestModule } from "vitest/node";
import { statements } from "./statements.ts";

interface Row {
  state: "holds" | "fails" | "skipped";
  note: string;
}

const idPattern = /^([A-Z]\d\d)\b/u;

/** Prints the scorecard: every statement with its id, what does not hold, and the counts. */
export default class ScorecardReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => Array.from(module.children.allTests()));
    const rows = new Map<string, Row>();
    const further: { readonly name: string; readonly row: Row }[] = [];
    for (const test of tests) {
      const row = rowOf(test);
      const id = idPattern.exec(test.name)?.[1];
      if (id === undefined || statements[id] === undefined) further.push({ name: test.name, row });
      else rows.set(id, worse(rows.get(id), row));
    }
    const lines = ["", "Scorecard"];
    for (const [id, text] of Object.entries(statements)) {
      const row = rows.get(id) ?? { state: "skipped", note: "was not run" };
      lines.push(line(id, text, row));
    }
    lines.push("", "Further");
    for (const { name, row } of further) lines.push(line("   ", name, row));
    lines.push(
      "",
      count("", rows, (id) => !id.startsWith("W")),
      count("W ", rows, (id) => id.startsWith("W")),
    );
    const skipped = tests.filter((test) => test.result().state === "skipped");
    if (skipped.length > 0) lines.push(`${skipped.length} skipped, each with its reason above`);
    // A module that could not even be loaded has failed, too.
    const broken = modules.filter((module) => module.state() === "failed" && module.errors().length > 0).length;
    const passed = tests.filter((test) => test.result().state === "passed").length;
    const failed = tests.filter((test) => test.result().state === "failed").length + broken;
    lines.push("", `${passed} passed, ${failed} failed`);
    // After vitest's own summary, so that the count stands last.
    process.once("exit", () => process.stdout.write(`${lines.join("\n")}\n`));
  }
}

function rowOf(test: TestCase): Row {
  const result = test.result();
  const measured = test
    .annotations()
    .map(({ message }) => message)
    .join("; ");
  if (result.state === "passed") return { state: "holds", note: measured };
  if (result.state === "failed") return { state: "fails", note: result.errors[0]?.message.split("\n")[0] ?? "" };
  return { state: "skipped", note: (result.state === "skipped" ? result.note : undefined) ?? "skipped" };
}

function worse(one: Row | undefined, other: Row): Row {
  if (one === undefined) return other;
  const rank = { holds: 0, skipped: 1, fails: 2 } as const;
  if (rank[one.state] !== rank[other.state]) return rank[one.state] > rank[other.state] ? one : other;
  return { state: one.state, note: [one.note, other.note].filter((note) => note !== "").join("; ") };
}

function line(id: string, text: string, { state, note }: Row): string {
  const mark = { holds: "ok  ", fails: "FAIL", skipped: "skip" }[state];
  return `  ${mark} ${id} ${text}${note === "" ? "" : `  [${note}]`}`;
}

function count(prefix: string, rows: ReadonlyMap<string, Row>, counts: (id: string) => boolean): string {
  const ids = Object.keys(statements).filter(counts);
  const holding = ids.filter((id) => rows.get(id)?.state === "holds");
  const others = ids.filter((id) => rows.get(id)?.state !== "holds");
  return `${prefix}${holding.length}/${ids.length}${others.length === 0 ? "" : `  (not: ${others.join(" ")})`}`;
}
