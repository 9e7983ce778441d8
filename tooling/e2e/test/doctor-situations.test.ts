import { describe, expect, it } from "vitest";
import { isRight } from "../src/doctor/meet.ts";
import type { Situation } from "../src/doctor/place.ts";
import { situations } from "../src/doctor/situations.ts";

describe("the situations of the doctor", () => {
  it("are many, each once, and of all outcomes", () => {
    expect(situations.length).toBeGreaterThanOrEqual(43);
    expect(new Set(situations.map(({ title }) => title)).size).toBe(situations.length);
    for (const agent of ["gemini", "qwen", "claude"])
      expect(new Set(situations.flatMap((one) => (one.agent === agent ? [one.does] : []))).size).toBeGreaterThan(1);
  });

  it("are right where the doctor and the agent agree, and the doctor says why", () => {
    const situation: Situation = { title: "", agent: "qwen", does: "stays away", says: "agent-too-old" };
    const said = { doctor: "stays away", agent: "stays away", findings: ["problem agent-too-old"] } as const;
    expect(isRight(situation, said)).toBe(true);
    expect(isRight(situation, { ...said, agent: "connects" })).toBe(false);
    expect(isRight(situation, { ...said, doctor: "connects" })).toBe(false);
    expect(isRight(situation, { ...said, findings: ["problem no-editor"] })).toBe(false);
  });
});
