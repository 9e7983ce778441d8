import { describe, expect, it } from "vitest";
import { pathsOfUri, toFileUri } from "../../src/agents/selection.ts";

describe("file URIs", () => {
  it.each([
    ["/ws/a.ts", "file:///ws/a.ts"],
    ["/ws/a b#é?%20.ts", "file:///ws/a%20b%23%C3%A9%3F%2520.ts"],
    ["/ws/a\\b\nc.ts", "file:///ws/a%5Cb%0Ac.ts"],
  ])("%j is %s, and back", (path, uri) => {
    expect(toFileUri(path)).toBe(uri);
    expect(pathsOfUri(uri).at(-1)).toBe(path);
  });

  it("of Windows have slashes", () => {
    expect(toFileUri("C:\\ws\\a b.ts")).toBe("file:///C%3A/ws/a%20b.ts");
    expect(pathsOfUri("file:///C%3A/ws/a%20b.ts").at(-1)).toBe("C:/ws/a b.ts");
    expect(pathsOfUri("file:///C:/ws/a b.ts")).toEqual(["C:/ws/a b.ts"]);
    expect(pathsOfUri("file://C:\\ws\\a b.ts")).toEqual(["C:\\ws\\a b.ts"]);
  });

  it.each([
    ["file:///w/C#/a b [id].ts", ["/w/C#/a b [id].ts"]],
    ["file:///w/größe?/文.ts", ["/w/größe?/文.ts"]],
    ["file:///w/100%.ts", ["/w/100%.ts"]],
    ["file:///w/a%20b.ts", ["/w/a%20b.ts", "/w/a b.ts"]],
    ["/w/a.ts", ["/w/a.ts"]],
  ])("%s may mean %j", (uri, paths) => {
    expect(pathsOfUri(uri)).toEqual(paths);
  });

  it.each(["https://example.org/a.ts", "untitled:Untitled-1", "a.ts", "file://server/share/a.ts"])(
    "%s is none",
    (text) => {
      expect(pathsOfUri(text)).toEqual([]);
    },
  );
});
