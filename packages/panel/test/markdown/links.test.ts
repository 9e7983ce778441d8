import { describe, expect, it } from "vitest";
import { decodeReferences, linkTarget, namesFile } from "../../src/markdown/links.ts";

describe("the target of a link", () => {
  it.each([
    ["https://example.com/a?b=1#c", { kind: "web", href: "https://example.com/a?b=1#c" }],
    ["HTTP://EXAMPLE.com", { kind: "web", href: "http://example.com/" }],
    ["src/a.ts", { kind: "file", path: "src/a.ts" }],
    ["src/a.ts#L12", { kind: "file", path: "src/a.ts", line: 12 }],
    ["src/a.ts#L12-L20", { kind: "file", path: "src/a.ts", line: 12 }],
    ["src/a.ts:12", { kind: "file", path: "src/a.ts", line: 12 }],
    ["a.ts:12:3", { kind: "file", path: "a.ts", line: 12 }],
    ["/home/me/a%20b.ts", { kind: "file", path: "/home/me/a b.ts" }],
    ["C:\\work\\a.ts", { kind: "file", path: "C:\\work\\a.ts" }],
    ["100%.txt", { kind: "file", path: "100%.txt" }],
  ])("is known: %s", (address, target) => {
    expect(linkTarget(address)).toEqual(target);
  });

  it.each([
    "",
    "#part",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "javascript:1:2",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "command:workbench.action.terminal.new",
    "vscode://file/etc/passwd",
    "file:///etc/passwd",
    "//example.com/a",
    "\\\\server\\share",
    "mailto:a@example.com",
    "https://example.com@evil.test/",
    "https://user:secret@evil.test/",
    "https://exa\u202Emple.com",
    "src/\u202Esr.a",
    "a%0Ab",
    "https://",
  ])("is none: %j", (address) => {
    expect(linkTarget(address)).toBeUndefined();
  });
});

describe("character references", () => {
  it.each([
    ["a &lt;b&gt; &amp;amp; &quot;c&quot; &#39;d&#39; &#x41;&nbsp;e", "a <b> &amp; \"c\" 'd' A\u00a0e"],
    ["AT&T &unknown; &#0; &#xD800; &#x110000;", "AT&T &unknown; &#0; &#xD800; &#x110000;"],
  ])("are read in %s", (text, decoded) => {
    expect(decodeReferences(text)).toBe(decoded);
  });
});

describe("a file that is named as code", () => {
  it.each(["src/a.ts", "./a.test.tsx", "a.ts:12", "/home/me/app/main.py:3:14", "@scope/x.d.ts", "../b.go"])(
    "is known: %s",
    (code) => expect(namesFile(code)).toBe(true),
  );

  it.each([
    "a.ts",
    "npm test",
    "1/2",
    "object.method",
    "https://example.com/a.ts",
    "a/b",
    "x:12",
    "a b/c.ts",
    "--x=/a.b",
  ])("is not: %s", (code) => expect(namesFile(code)).toBe(false));
});
