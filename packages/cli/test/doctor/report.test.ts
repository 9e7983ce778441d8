import type { Finding, FindingValues } from "@patchbay/core";
import { createTestPlatform, isMissing } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { reportLines } from "../../src/doctor/report.ts";
import { DoctorLab } from "./doctor-lab.ts";
import { situations } from "./situations.ts";

/** In a path, in a setting, or anywhere else where a user may have it. */
const secret = "zanzibar";

function linesOf(findings: readonly Finding[], folder = "/home/zanzibar/secret-project"): readonly string[] {
  const platform = createTestPlatform();
  const process = { ...platform.process, homeDirectory: "/home/zanzibar", temporaryDirectory: "/tmp/zanzibar" };
  const environment = (name: string): string | undefined => (name === "TMUX" ? secret : undefined);
  return reportLines(findings, { folder, platform: { ...platform, process: { ...process, environment } } });
}

function valuesOf<Code extends keyof FindingValues>(code: Code, values: FindingValues[Code]): readonly string[] {
  const finding: unknown = { code, level: "problem", agents: ["claude"], values };
  if (!isFinding(finding)) throw new Error(code);
  return linesOf([finding]).slice(6);
}

/** The type of the values holds for the code, by the parameters above. */
function isFinding(value: unknown): value is Finding {
  return typeof value === "object" && value !== null;
}

describe("the report for strangers", () => {
  it("begins with the versions, and how agents are found from here", () => {
    const [patchbay, node, system, terminal] = linesOf([]);
    expect(patchbay).toMatch(/^patchbay: \d/u);
    expect(node).toBe(`node: ${process.versions.node}`);
    expect(system).toMatch(/^system: \w+ \w+$/u);
    expect(terminal).toBe("terminal: tmux");
  });

  it("keeps what tells the cause: places that are the same everywhere, ports, names of editors", () => {
    const editor = { name: "VS Code", port: 4711 };
    expect(valuesOf("token-refused", { editor, paths: ["/home/zanzibar/.claude/ide/4711.lock"] })).toEqual([
      "  editor: VS Code (port 4711)",
      "  paths: ~/.claude/ide/4711.lock",
    ]);
    expect(valuesOf("other-folder", { editor, open: "/home/zanzibar" })).toContain("  open: ~");
    expect(valuesOf("no-editor", { folder: "/home/zanzibar/secret-project" })).toEqual(["  folder: FOLDER"]);
    expect(valuesOf("policy-unclear", { file: "/home/zanzibar/secret-project/.patchbay.json" })).toEqual([
      "  file: FOLDER/.patchbay.json",
    ]);
  });

  it("tells nothing of the user's names", () => {
    const editor = { name: "zanzibar's editor", port: 4711 };
    const told = [
      valuesOf("other-folder", { editor, open: "/home/zanzibar/another/place" }),
      valuesOf("home-differs", { editor, theirs: "/Users/zanzibar", ours: "/home/zanzibar" }),
      valuesOf("root-by-sudo", { user: secret }),
      valuesOf("hook-beside-others", { file: "/etc/zanzibar", commands: ["zanzibar --token abc"] }),
      valuesOf("port-left-over", { variables: ["CLAUDE_CODE_SSE_PORT"], port: secret }),
      valuesOf("variable-differs", { editor, variable: "CLAUDE_CONFIG_DIR", theirs: "/zanzibar", ours: undefined }),
      valuesOf("never-asks", {
        mode: secret,
        setting: "permissions.defaultMode",
        asking: "default",
        file: "/home/zanzibar/secret-project/zanzibar/.claude/settings.json",
        userFile: "/home/zanzibar/.claude/settings.json",
        command: "claude",
        input: undefined,
      }),
    ].flat();
    expect(told.filter((line) => /zanzibar|secret|token/u.test(line))).toEqual([]);
    expect(told).toContain("  editor: another (port 4711)");
    expect(told).toContain("  open: ~/*/*");
    expect(told).toContain("  file: FOLDER/*/.claude/settings.json");
    expect(told).toContain("  mode: another");
    expect(told).toContain("  commands: 1");
    expect(told).toContain("  variable: CLAUDE_CONFIG_DIR");
  });

  it.for(situations)("names no path of the machine: $title", async ({ agents, make, needs = [] }, { skip }) => {
    skip(isMissing(...needs), `this system has no ${needs.join(", ")}`);
    const lab = new DoctorLab();
    onTestFinished(async () => await lab.dispose());
    const folder = await make(lab);
    const lines = await lab.report(agents ?? [], folder ?? undefined);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.includes(lab.platform.root))).toEqual([]);
  });
});
