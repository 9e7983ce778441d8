import { createFakeClock, type FakeClock } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { createDiagnosticsTool } from "../../src/agents/claude/tools.ts";
import type { DiagnosticsServices } from "../../src/agents/diagnostics.ts";
import type { TextResult } from "../../src/agents/tool.ts";
import type { Diagnostic, FileDiagnostics, HostDiagnostics } from "../../src/editor-host.ts";
import { PatchbayError } from "../../src/support/errors.ts";

const problem: Diagnostic = {
  message: "No.",
  severity: "Error",
  range: { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } },
};

interface Asked {
  readonly clock: FakeClock;
  ask(uri?: string, signal?: AbortSignal): Promise<TextResult>;
}

/** The tool over an editor that answers as told, in a workspace `/w`. */
function setUp(diagnostics: HostDiagnostics, existing: readonly string[] = []): Asked {
  const clock = createFakeClock();
  const services: DiagnosticsServices = {
    host: { diagnostics },
    platform: { clock },
    mayName: () => true,
    checkPath: async (path) => {
      if (path.startsWith("/dev/")) throw new PatchbayError("path-refused", "The path is not a regular file.");
      return { real: path, inside: path.startsWith("/w/"), exists: existing.includes(path), size: 0, modifiedMs: 0 };
    },
  };
  const tool = createDiagnosticsTool(services);
  return { clock, ask: (uri, signal = new AbortController().signal) => tool.call({ uri }, signal) };
}

/** Knows one problem of every file that is asked about, at once; or of all of these. */
function knowing(files: readonly string[] = []): HostDiagnostics & { readonly asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = [];
  const known = (path: string): FileDiagnostics => ({ path, diagnostics: [problem] });
  return {
    asked,
    read: async (path) => {
      asked.push(path);
      return (path === undefined ? files : [path]).map(known);
    },
  };
}

const urisIn = (result: TextResult): readonly string[] =>
  JSON.parse(result.content[0]?.text ?? "").map(({ uri }: { readonly uri: string }) => uri);

const odd = ["/w/a b/x.ts", "/w/[id]/x.ts", "/w/C#/x.cs", "/w/100%/x.ts", "/w/größe/x.ts", "/w/文/x.ts", "/w/a?b.ts"];

describe("paths", () => {
  it.each(odd)("%s is asked about and answered as it is", async (path) => {
    const editor = knowing();
    const result = await setUp(editor, [path]).ask(`file://${path}`);
    expect(editor.asked).toEqual([path]);
    expect(urisIn(result)).toEqual([`file://${path}`]);
  });

  it("of the whole workspace are as they are", async () => {
    expect(urisIn(await setUp(knowing(odd)).ask())).toEqual(odd.map((path) => `file://${path}`));
  });

  it.each([
    ["the encoded one, where only that exists", ["/w/a b.ts"], "/w/a b.ts"],
    ["the one that stands there, where it exists as well", ["/w/a b.ts", "/w/a%20b.ts"], "/w/a%20b.ts"],
    ["the one that stands there, where neither exists", [], "/w/a%20b.ts"],
  ])(
    "that can be read in two ways mean %s; the answer has the form of the question",
    async (_which, existing, path) => {
      const editor = knowing();
      const result = await setUp(editor, existing).ask("file:///w/a%20b.ts");
      expect(editor.asked).toEqual([path]);
      expect(urisIn(result)).toEqual(["file:///w/a%20b.ts"]);
    },
  );

  it("outside the workspace, of no file and of no URI never reach the editor", async () => {
    const editor = knowing();
    const { ask } = setUp(editor);
    expect(urisIn(await ask("file:///etc/passwd"))).toEqual([]);
    await expect(ask("file:///dev/zero")).rejects.toMatchObject({ code: "path-refused" });
    expect(await ask("https://example.org/a.ts")).toMatchObject({ isError: true });
    expect(editor.asked).toEqual([]);
  });
});

describe("Claude Code's patience", () => {
  /** Says what it knows only when it is told to hurry. */
  const thorough: HostDiagnostics = {
    read: (path, signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve([{ path: path ?? "/w/all.ts", diagnostics: [problem] }])),
      ),
  };

  it.each([
    ["a file", "file:///w/a.ts", 500],
    ["all files", undefined, 2_000],
  ])(
    "about %s: an editor that still waits for a language server is asked for what it knows, in time",
    async (_what, uri, patience) => {
      const { ask, clock } = setUp(thorough);
      let isAnswered = false;
      const answer = ask(uri).finally(() => {
        isAnswered = true;
      });
      await clock.advanceAsync(patience / 2);
      expect(isAnswered).toBe(false);
      await clock.advanceAsync(patience / 2 - 75);
      expect(isAnswered).toBe(true);
      expect(urisIn(await answer)).toHaveLength(1);
      expect(clock.pending).toBe(0);
    },
  );

  it.each([
    ["a file", "file:///w/a.ts", 500],
    ["all files", undefined, 2_000],
  ])("about %s: an editor that does not answer at all costs no question", async (_what, uri, patience) => {
    const { ask, clock } = setUp({ read: () => new Promise(() => {}) });
    const answer = expect(ask(uri)).rejects.toMatchObject({ code: "host-failed" });
    await clock.advanceAsync(patience - 50);
    await answer;
    expect(clock.pending).toBe(0);
  });

  it("is over when it takes its question back", async () => {
    const { ask, clock } = setUp(thorough);
    const cancelled = new AbortController();
    const answer = ask("file:///w/a.ts", cancelled.signal);
    await clock.advanceAsync(10);
    cancelled.abort();
    expect(urisIn(await answer)).toEqual(["file:///w/a.ts"]);
  });
});
