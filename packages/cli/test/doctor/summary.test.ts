import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DoctorLab } from "./doctor-lab.ts";

function makeLab(): DoctorLab {
  const lab = new DoctorLab();
  onTestFinished(async () => await lab.dispose());
  lab.settle();
  return lab;
}

describe("what the doctor says at its end", () => {
  it("is no good news where no agent is on the PATH, though each has settings", async () => {
    const lab = makeLab();
    lab.terminalOf(await lab.start("Editor", [lab.folder]));
    for (const command of ["gemini", "qwen", "claude"]) rmSync(join(lab.platform.root, "bin", command));
    const { code, lines } = await lab.run([]);
    expect(code).toBe(1);
    expect(lines.join("\n")).not.toContain("✓");
    expect(lines.at(-1)).toBe("No agent was found on this terminal's PATH.");
  });

  it("counts problems of agents that are there beside one that was asked for and is not", async () => {
    const lab = makeLab();
    rmSync(join(lab.platform.root, "bin", "claude"));
    rmSync(lab.inHome(".claude/settings.json"));
    const { code, lines } = await lab.run(["gemini", "claude"]);
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatch(/^2 problems found\./u);
  });

  it("offers an explanation of problems, and none under good news or a hint", async () => {
    const lab = makeLab();
    expect((await lab.run(["gemini"])).lines.at(-1)).toMatch(/found\. To have one explained: .* --explain no-editor$/u);
    await lab.start("Editor", [lab.folder]);
    const { code, lines } = await lab.run(["claude"]);
    expect([code, lines[0]]).toEqual([0, expect.stringContaining("[waits-to-be-told]")]);
    expect(lines.at(-1)).toBe("Agents started here can connect and will show their changes.");
  });

  it("comes within the time that one attempt takes, however many agents meet an editor that hangs", async () => {
    const lab = makeLab();
    const port = await lab.hangingServer();
    for (const agent of ["gemini", "qwen", "claude"] as const) lab.record(agent, port, { authToken: agent });
    const before = performance.now();
    await lab.run([]);
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});
