import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DoctorLab } from "./doctor-lab.ts";

const elsewhere = { workspacePath: "/elsewhere", workspaceFolders: ["/elsewhere"] };

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
    expect(performance.now() - before).toBeLessThan(8_000);
  });

  it("comes a third later at most where editors hang in turn: at once, and once they have answered", async () => {
    const lab = makeLab();
    lab.waitMs = 3_000;
    lab.record("gemini", await lab.silentServer(), elsewhere);
    lab.record("gemini", await lab.hangingServer());
    lab.record("qwen", await lab.hangingServer());
    lab.record("claude", await lab.hangingServer());
    const before = performance.now();
    const { lines } = await lab.run([]);
    expect(performance.now() - before).toBeLessThan(2 * lab.waitMs);
    expect(lines.filter((line) => line.includes("has not answered in 1 s"))).toHaveLength(3);
  });

  it("gives an editor that answers late the time that it needs", async () => {
    const lab = makeLab();
    lab.waitMs = 2_000;
    lab.record("gemini", await lab.silentServer(), elsewhere);
    // Once all have been asked who they are, less than its time is left.
    lab.record("gemini", await lab.slowServer(1_200));
    const { code, lines } = await lab.run(["gemini"]);
    expect(lines).toContainEqual(expect.stringMatching(/^! .* answers slowly \(1\.\d s\)/u));
    expect([code, lines.at(-1)]).toEqual([0, "Agents started here can connect and will show their changes."]);
  });
});
