import { agents as all } from "@patchbay/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { formatDemo, isAsExpected } from "../../src/demo/demo-stage.ts";
import { runDemo } from "../../src/demo/run-demo.ts";
import { createPaint } from "../../src/terminal/paint.ts";

/** Of the others there is nothing to be reviewed, or nobody to be played. */
const agents = all.filter(({ contextOnly, transport }) => contextOnly !== true && transport !== "hook");

/** What each agent does alone, before all change one file and then see it closed. */
const steps = 6;

describe("the demonstration", () => {
  afterEach(() => vi.unstubAllGlobals());

  it("plays every step with every agent, and everything is as expected", async () => {
    const rows = await runDemo();
    expect(rows.filter((row) => !isAsExpected(row))).toEqual([]);
    expect(new Set(rows.map((row) => row.agent))).toEqual(
      new Set([...agents.map(({ agentName }) => agentName), "all"]),
    );
    const readers = agents.filter(({ takesEdits }) => !takesEdits);
    expect(rows).toHaveLength(agents.length * (steps + 2) + 1 - readers.length);
  });

  it("waits for nothing more of an agent that cannot connect", async () => {
    vi.stubGlobal("fetch", async () => await Promise.reject(new Error("connect UNKNOWN")));
    const rows = await runDemo();
    const byFetch = rows.filter(({ agent }) => agent === "Gemini CLI" || agent === "Qwen Code");
    expect(byFetch.map(({ step }) => step)).toEqual(["discovery", "discovery"]);
    expect(byFetch[0]?.happened).toContain("could not connect");
    expect(rows.filter((row) => !byFetch.includes(row) && !isAsExpected(row))).toEqual([]);
  });

  it("shows what differs, and counts", () => {
    const row = { agent: "Gemini CLI", step: "accept", expected: "x", happened: "\u001b[2Jy" };
    const lines = formatDemo([row, { ...row, happened: "x" }], createPaint(false));
    expect(lines.join("\n")).toContain("\\e[2Jy");
    expect(lines.filter((line) => line.endsWith("DIFFERS"))).toHaveLength(1);
    expect(lines.at(-1)).toBe("1 of 2 as expected");
  });
});
