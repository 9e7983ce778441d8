import { createMemoryPlatform } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { splitFolders as split } from "../../src/diagnosis/records.ts";

describe.each([
  ["linux", ":"],
  ["win32", ";"],
])("the folders of a record on %s", (platform, delimiter) => {
  const splitFolders = (text: string): readonly string[] => split(createMemoryPlatform({ platform }), text);

  it("are taken apart at the delimiter", () => {
    expect(splitFolders(["/a b", "/c%20d"].join(delimiter))).toEqual(["/a b", "/c%20d"]);
    expect(splitFolders("")).toEqual([]);
  });

  it("may have the delimiter in their names, encoded (Gemini CLI) or in a list (Qwen Code)", () => {
    const folder = `/a${delimiter}b`;
    expect(splitFolders(["/x", `/a${encodeURIComponent(delimiter)}b`].join(delimiter))).toEqual(["/x", folder]);
    expect(splitFolders(JSON.stringify([folder, "/x"]))).toEqual([folder, "/x"]);
  });

  it("are text where a list is broken", () => {
    expect(splitFolders("[/a")).toEqual(["[/a"]);
    expect(splitFolders("[1]")).toEqual(["[1]"]);
  });
});
