import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createTestPlatform, type TestPlatform } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findServingEditors, type RunningEditor } from "../../src/diagnosis/running-editors.ts";

let platform: TestPlatform;

function editor(name: string, folders: readonly string[], answers = true): RunningEditor {
  return {
    name,
    editorId: undefined,
    port: 1,
    pid: 1,
    isElsewhere: false,
    folders,
    agents: ["gemini"],
    records: [],
    answers,
    isSilent: false,
    waitedMs: 1,
  };
}

async function serving(editors: readonly RunningEditor[], folder: string): Promise<readonly string[]> {
  return (await findServingEditors(platform, editors, folder)).map(({ name }) => name);
}

beforeEach(() => {
  platform = createTestPlatform();
});

afterEach(() => platform.dispose());

describe("the editors that serve a folder", () => {
  it("are those with it or a folder above it, the nearest first", async () => {
    const inner = join(platform.workspace, "inner");
    mkdirSync(inner);
    const editors = [
      editor("outer", [platform.workspace]),
      editor("inner", [platform.home, inner]),
      editor("other", [join(platform.workspace, "inn")]),
      editor("below", [join(inner, "deep")]),
    ];
    expect(await serving(editors, inner)).toEqual(["inner", "outer"]);
    expect(await serving(editors.toReversed(), inner)).toEqual(["inner", "outer"]);
  });

  it("are found beside one with a folder that cannot be looked at", async () => {
    const realPath = async (path: string): Promise<string | undefined> => {
      if (path.startsWith("/gone"))
        throw Object.assign(new Error("transport endpoint is not connected"), { code: "ENOTCONN" });
      return await platform.files.realPath(path);
    };
    const machine = { ...platform, files: { ...platform.files, realPath } };
    const editors = [editor("far", ["/gone/mount"]), editor("here", [platform.workspace])];
    const found = await findServingEditors(machine, editors, platform.workspace);
    expect(found.map(({ name }) => name)).toEqual(["here"]);
    expect(await findServingEditors(machine, editors, "/gone/mount/sub")).toMatchObject([{ name: "far" }]);
  });

  it("are found through links, and only while they answer", async () => {
    const link = join(platform.root, "link");
    symlinkSync(platform.workspace, link);
    const editors = [editor("gone", [platform.workspace], false), editor("here", [link])];
    expect(await serving(editors, platform.workspace)).toEqual(["here"]);
    expect(await serving([editor("here", [platform.workspace])], link)).toEqual(["here"]);
  });
});
