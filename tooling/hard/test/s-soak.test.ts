import { describe, expect, it } from "vitest";
import { runSoak } from "../src/soak/run-soak.ts";
import { megabytes, mib } from "./editor.ts";

describe("soak, short", () => {
  it.each([1, 4, 8])("%i agents at once: nothing lost, astray or told twice", { timeout: 180_000 }, async (agents) => {
    const result = await runSoak({ diffs: 300, agents, cutShare: 0.3, thinkMs: 12, reloads: 2 });
    const { tally, growth, faults, leftProposals } = result;
    expect(tally.findings).toEqual([]);
    expect(faults).toEqual([]);
    expect(leftProposals).toBe(0);
    expect(tally.cuts).toBeGreaterThan(50);
    expect(growth, megabytes(growth)).toBeLessThan(4 * mib);
  });
});
