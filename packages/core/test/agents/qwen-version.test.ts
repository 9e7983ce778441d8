import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { qwenChecks } from "../../src/agents/qwen/behaviour.ts";

const record = { path: "/home/user/.qwen/ide/1001.lock", port: 1001, folders: ["/w"], pid: 1, modifiedMs: 0 };

interface Place {
  readonly namedPort?: number;
  readonly container?: boolean;
  readonly folder?: string;
}

async function needed(
  version: string,
  { namedPort, container = false, folder = "/w" }: Place = {},
): Promise<string | undefined> {
  const platform = createMemoryPlatform();
  for (const directory of ["/w", folder]) platform.files.addDirectory(directory);
  if (container) platform.files.addFile("/.dockerenv", "");
  return await qwenChecks.neededVersion?.(version, [record], { platform, folder, namedPort });
}

describe("a version of Qwen Code that finds no editor", () => {
  it.each([
    ["0.5.2", "0.12.0"],
    ["0.7.1", "0.12.0"],
    ["0.10.1", "0.12.0"],
    ["0.10.1-nightly.20260212.fb9f3fb4", "0.12.0"],
    // Of these nothing is known.
    ["0.10.2", undefined],
    ["0.11.0", undefined],
    ["0.12.0", undefined],
    ["0.24.4", undefined],
    ["1.0.0", undefined],
  ])("without its port: %s needs %s", async (version, later) => {
    expect(await needed(version)).toBe(later);
  });

  it("finds one by its port, if it reads these records and is in no container", async () => {
    expect(await needed("0.10.1", { namedPort: 1001 })).toBeUndefined();
    expect(await needed("0.10.1", { namedPort: 9 })).toBe("0.12.0");
    expect(await needed("0.10.1", { namedPort: 1001, container: true })).toBe("0.12.0");
    expect(await needed("0.5.2", { namedPort: 1001 })).toBe("0.12.0");
  });

  it("is not to blame where no editor has the folder open", async () => {
    expect(await needed("0.10.1", { folder: "/other" })).toBeUndefined();
  });
});
