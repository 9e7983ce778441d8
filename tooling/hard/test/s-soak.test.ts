import { describe, expect, it } from "vitest";
import { runSoak } from "../src/soak/run-soak.ts";
import { megabytes, mib } from "./editor.ts";

describe("soak, short", () => {
  it.each([1, 4, 8])("%i agents at once: nothing lost, astray or told twice", { timeout: 180_000 }, async (agents) => {
    const reloads = 2;
    const result = await runSoak({ diffs: 300, agents, cutShare: 0.3, thinkMs: 12, reloads });
    const { tally, growth, faults, leftProposals, leftToTerminals } = result;
    expect(tally.findings).toEqual([]);
    expect(faults).toEqual([]);
    expect(leftProposals).toBe(0);
    // Such an agent asks one thing at a time: a reload leaves one, and its next proposal says that the one before is answered.
    const asking = result.kinds.split(" ").filter((kind) => kind === "websocket").length;
    expect(leftToTerminals.edited + leftToTerminals.untouched).toBeLessThanOrEqual(reloads * asking);
    expect(leftToTerminals.untouched).toBeLessThanOrEqual(asking);
    expect(tally.cuts).toBeGreaterThan(50);
    expect(growth, megabytes(growth)).toBeLessThan(4 * mib);
  });
});
