import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { claudeChecks } from "../../src/agents/claude/behaviour.ts";
import type { ReadRecord } from "../../src/agents/choice.ts";

const record = (port: number, folder = "/w"): ReadRecord => ({
  path: `/home/user/.claude/ide/${port}.lock`,
  port,
  folders: [folder],
  pid: undefined,
  modifiedMs: 0,
});

/** The version that it needs in a terminal with these variables, where these editors have left records. */
async function needed(
  version: string,
  environment: Readonly<Record<string, string>>,
  ...records: readonly ReadRecord[]
): Promise<string | undefined> {
  const platform = createMemoryPlatform({ environment });
  const { connectsByItself, editorTerminal } = await claudeChecks.readSettings({ platform, folder: "/w" });
  const text = environment["CLAUDE_CODE_SSE_PORT"];
  const namedPort = text === undefined ? undefined : claudeChecks.readPort?.(text);
  const facts = { platform, folder: "/w", namedPort, connectsByItself, editorTerminal };
  return await claudeChecks.neededVersion?.(version, records, facts);
}

const ours = { CLAUDE_CODE_SSE_PORT: "0.43255e5" };
const plain = { CLAUDE_CODE_SSE_PORT: "43255" };
const vscode = { TERM_PROGRAM: "vscode" };

// Each as the real agents, 2.1.209, 2.1.231 and 2.1.232, met it.
describe("a version of Claude Code that reads no exponent", () => {
  it.each([
    ["2.1.231", "2.1.232"],
    ["2.1.209", "2.1.232"],
    ["1.0.128", "2.1.232"],
    ["2.1.232", undefined],
    ["2.1.328", undefined],
    ["2.2.0", undefined],
  ])("takes none of two editors of a folder: %s needs %s", async (version, later) => {
    expect(await needed(version, ours, record(43_255), record(9))).toBe(later);
  });

  it("does not follow the port into another folder, nor to an editor that is not above it in the terminal of one", async () => {
    expect(await needed("2.1.231", ours, record(43_255, "/elsewhere"))).toBe("2.1.232");
    expect(await needed("2.1.231", { ...ours, ...vscode }, record(43_255))).toBe("2.1.232");
  });

  it("connects to the only editor of a folder, as the port names one, whichever", async () => {
    expect(await needed("2.1.231", ours, record(43_255))).toBeUndefined();
  });

  it("is not to blame for what a later one would not do either, nor where the port is plain", async () => {
    expect(await needed("2.1.231", ours, record(8), record(9))).toBeUndefined();
    expect(await needed("2.1.231", ours)).toBeUndefined();
    expect(await needed("2.1.231", {}, record(43_255), record(9))).toBeUndefined();
    expect(await needed("2.1.231", plain, record(43_255), record(9))).toBeUndefined();
  });
});
