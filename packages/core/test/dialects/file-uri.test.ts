import { describe, expect, it } from "vitest";
import { fromFileUri, toFileUri } from "../../src/dialects/claude/file-uri.ts";

describe("file URIs", () => {
  it.each([
    ["/ws/a.ts", "file:///ws/a.ts"],
    ["/ws/a b#é?%20.ts", "file:///ws/a%20b%23%C3%A9%3F%2520.ts"],
    ["/ws/a\\b\nc.ts", "file:///ws/a%5Cb%0Ac.ts"],
  ])("%j is %s, and back", (path, uri) => {
    expect(toFileUri(path)).toBe(uri);
    expect(fromFileUri(uri)).toBe(path);
  });

  it("of Windows have slashes", () => {
    expect(toFileUri("C:\\ws\\a b.ts")).toBe("file:///C%3A/ws/a%20b.ts");
    expect(fromFileUri("file:///C%3A/ws/a%20b.ts")).toBe("C:/ws/a b.ts");
  });

  it.each(["https://example.org/a.ts", "untitled:Untitled-1", "a.ts", "file:///%zz"])("%s is none", (text) => {
    expect(fromFileUri(text)).toBeUndefined();
  });
});
