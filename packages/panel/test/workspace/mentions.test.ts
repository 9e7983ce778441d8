import type { PromptBlock } from "@patchbay/conversations";
import { createFakeClock } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { droppedBlocks, Mentions, type MentionSources, problemText } from "../../src/workspace/mentions.ts";

const selection: PromptBlock = { type: "excerpt", title: "b.ts 1–2", text: "two lines" };

function mentions(more: Partial<MentionSources> = {}): Mentions {
  return new Mentions({
    clock: createFakeClock(),
    files: { list: async () => ["/project/src/a.ts", "/project/src/b.ts", "/project/secret/key.ts"] },
    openFiles: () => ["/project/src/b.ts"],
    selection: () => undefined,
    mayName: (path) => !path.includes("secret"),
    shownPath: (path) => path.replace("/project/", ""),
    problems: async () => [],
    words: { selection: "Auswahl", problems: "Probleme", terminalOutput: "Ausgabe", terminal: (command) => command },
    ...more,
  });
}

const labels = async (asked: Mentions, query: string): Promise<readonly string[]> =>
  (await asked.find(query, "/project")).map(({ label }) => label);

describe("mentions", () => {
  it("list what is open first, and nothing that may not be named", async () => {
    expect(await labels(mentions(), "")).toEqual(["b.ts", "a.ts"]);
    expect(await labels(mentions(), "key")).toEqual([]);
  });

  it("list what is at hand before any file, found by its word in either language", async () => {
    const problems = async (): ReturnType<MentionSources["problems"]> => [
      { path: "/project/src/a.ts", line: 3, severity: "error", message: "no\n such name", source: "ts" },
    ];
    const asked = mentions({ selection: () => selection, problems });
    expect((await labels(asked, "")).slice(0, 2)).toEqual(["Auswahl", "Probleme"]);
    expect(await labels(asked, "selec")).toEqual(["Auswahl"]);
    expect(await asked.pick("problems")).toEqual([
      { type: "excerpt", title: "Probleme", text: "src/a.ts:3: error: no such name (ts)" },
    ]);
  });

  it("name no problem of a file that may not be named", async () => {
    const problems = async (): ReturnType<MentionSources["problems"]> => [
      { path: "/project/secret/key.ts", line: 1, severity: "error", message: "hidden" },
    ];
    expect(await mentions({ problems }).pick("problems")).toEqual([]);
  });

  it("come without symbols where a language server takes too long", async () => {
    const clock = createFakeClock();
    const asked = mentions({ clock, symbols: () => new Promise(() => undefined) }).find("a.ts", "/project");
    clock.advance(400);
    expect((await asked).map(({ label }) => label)).toContain("a.ts");
  });

  it("count the problems that are too many", () => {
    const one = { path: "a", line: 1, severity: "warning", message: "m" } as const;
    const lines = problemText(Array.from({ length: 103 }, () => one))?.split("\n");
    expect([lines?.length, lines?.at(-1)]).toEqual([101, "… and 3 more"]);
  });
});

describe("what is dropped", () => {
  it("is a mention where it is a file that may be named, and words where it is a link", () => {
    const mayName = (path: string): boolean => !path.includes("secret");
    const uris = ["file:///project/a%20b.ts", "file:///project/secret/key.ts", "https://example.com/x", "untitled:one"];
    expect(droppedBlocks(uris, mayName)).toEqual([
      { type: "mention", path: "/project/a b.ts" },
      { type: "text", text: "https://example.com/x " },
    ]);
  });

  it("is read as the editor reads it", () => {
    const pathOf = (uri: string): string | undefined => (uri === "remote:a" ? "/there/a" : undefined);
    expect(droppedBlocks(["remote:a", "file:///b"], () => true, pathOf)).toEqual([
      { type: "mention", path: "/there/a" },
    ]);
  });
});
