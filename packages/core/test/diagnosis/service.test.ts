import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CodexService, type CodexServiceOptions, createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { diagnose } from "../../src/diagnosis/examine.ts";

const readOnly = 'sandbox_mode = "read-only"\n';

/** Somebody who uses Codex CLI without its hook. */
function createLab(config: string) {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const home = join(platform.home, ".codex");
  mkdirSync(home);
  const file = join(home, "config.toml");
  writeFileSync(file, config);
  const listen = async (options: Partial<CodexServiceOptions> = {}): Promise<CodexService> => {
    const service = new CodexService({ home, temporaryDirectory: platform.tmp, ...options });
    await service.listen();
    onTestFinished(() => service.kill());
    return service;
  };
  const found = async (): Promise<readonly object[]> => {
    const findings = await diagnose(platform, { folder: platform.workspace, agents: ["codex"], elsewhere: [] });
    return findings
      .filter(({ code }) => /hook|asks|service|directory/u.test(code))
      .map(({ code, level, values }) => ({ code, level, values }));
  };
  return { file, listen, found };
}

describe.skipIf(process.platform === "win32")("Codex CLI's own service, examined", () => {
  it("has reviews without the hook where it asks before it writes", async () => {
    const { found, listen } = createLab(`${readOnly}approval_policy = "on-request" # as before\n`);
    expect(await found()).toEqual([]);
    const { asked } = await listen();
    expect(await found()).toEqual([]);
    expect(asked).toEqual(["initialize", "initialized"]);
  });

  it("has none where its policy never asks, or its sandbox lets it write", async () => {
    const hook = { code: "hook-not-installed", level: "problem", values: {} };
    for (const [config, setting, mode, asking] of [
      ["approval_policy = 'never'\n", "approval_policy", "never", "on-request"],
      [
        'sandbox_mode = "workspace-write"\napproval_policy = "on-request"\n',
        "sandbox_mode",
        "workspace-write",
        "read-only",
      ],
    ]) {
      const { found, file } = createLab(config ?? "");
      const command = "codex --sandbox read-only --ask-for-approval on-request";
      const values = { mode, setting, asking, file, userFile: file, command, input: undefined };
      expect(await found()).toEqual([hook, { code: "never-asks", level: "problem", values }]);
    }
    // Where neither is set that depends on the folder; where it may not write it does not.
    expect(await createLab("").found()).toEqual([hook]);
    expect(await createLab(`${readOnly}approval_policy = "never"\n`).found()).toEqual([hook]);
  });

  it("is missed where it has been told not to start it", async () => {
    const { found, file } = createLab(`${readOnly}[features]\ndaemon_auto_start = false\n`);
    expect(await found()).toEqual([
      { code: "hook-not-installed", level: "problem", values: {} },
      { code: "service-off", level: "hint", values: { setting: "features.daemon_auto_start", file } },
    ]);
  });

  it("is unknown where it speaks otherwise, or says nothing", async () => {
    for (const options of [{ greeting: { name: "another" } }, { isSilent: true }]) {
      const { found, listen } = createLab(readOnly);
      const service = await listen(options);
      expect(await found()).toMatchObject([{ code: "service-unknown", level: "problem" }]);
      await service.kill();
      // What one has left behind says nothing.
      expect(await found()).toEqual([]);
    }
  });

  it("is left alone where others may write to where it listens", async () => {
    const { found, listen } = createLab(readOnly);
    const service = await listen();
    const directory = dirname(service.place);
    chmodSync(directory, 0o777);
    expect(await found()).toEqual([{ code: "directory-open-to-others", level: "problem", values: { directory } }]);
    expect(service.asked).toEqual([]);
  });
});
