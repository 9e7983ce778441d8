import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Range } from "@patchbay/core";
import { type DiffControls, type EditorHostControls, editorHostContract } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { parseFilePlace, toOpenPlace } from "../../src/host/open-files.ts";
import { HeadlessHost } from "../../src/host/headless-host.ts";

function createDiffControls(host: HeadlessHost, id: string): DiffControls {
  const { diffs } = host;
  return {
    isShown: async () => diffs.find(id) !== undefined,
    leftText: async () => diffs.find(id)?.original ?? "",
    rightText: async () => diffs.find(id)?.text ?? "",
    type: async (text) => void diffs.edit(id, text),
    accept: async () => void diffs.accept(id),
    reject: async () => void diffs.reject(id),
    // There is no view to close: leaving a proposal is rejecting it.
    close: async () => void diffs.reject(id),
  };
}

async function create(): Promise<EditorHostControls> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-headless-")));
  const answers: (string | undefined)[] = [];
  const host = new HeadlessHost({
    folder,
    storageDirectory: undefined,
    ask: async () => answers.shift(),
  });
  const start = { line: 0, character: 0 };
  const inActive = (selection: Range): void => {
    const path = host.editors.active()?.path;
    if (path !== undefined) void host.documents.open({ path, range: selection, preview: false, focus: true });
  };
  return {
    host,
    folder,
    writeDisk: async (path, text) => writeFileSync(path, text),
    readDisk: async (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
    openFile: async (path) => host.editors.open({ path, cursor: start }),
    focusFile: async (path) => host.editors.open({ path, cursor: start }),
    closeFile: async (path) => void host.editors.close(path),
    setCursor: async (position) => inActive({ start: position, end: position }),
    select: async (range) => inActive(range),
    focusTerminal: async () => {},
    focusedElement: async () => "the terminal",
    questionsAsked: () => 0,
    diff: (id) => createDiffControls(host, id),
    settle: async () => await new Promise<void>((resolve) => setImmediate(resolve)),
    answerNextMessage: (action) => void answers.push(action),
    dispose: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

editorHostContract({ runner: { describe, it }, create });

describe("places that the user types", () => {
  const folder = mkdtempSync(join(tmpdir(), "patchbay-places-"));
  writeFileSync(join(folder, "a.txt"), "one\r\ntwo 😀\r\nthree");

  it("are a file, a line, or lines", () => {
    const path = resolve("/w/a.txt");
    expect(parseFilePlace("a.txt", "/w")).toEqual({ path });
    expect(parseFilePlace("a.txt:3", "/w")).toEqual({ path, lines: { start: 2 } });
    expect(parseFilePlace(path, "/w")).toEqual({ path });
    expect(parseFilePlace(`${path}:3`, "/x")).toEqual({ path, lines: { start: 2 } });
    expect(parseFilePlace("b/a:b.txt:3-5", "/w")).toEqual({
      path: resolve("/w/b/a:b.txt"),
      lines: { start: 2, end: 4 },
    });
    expect(parseFilePlace("a.txt:5-3", "/w")).toEqual({ path, lines: { start: 4, end: 4 } });
    expect(parseFilePlace("/x/a.txt:0", "/w")).toEqual({ path: resolve("/x/a.txt:0") });
  });

  it("become selections of whole lines, to the end of the last one", () => {
    const place = toOpenPlace(parseFilePlace("a.txt:2-3", folder));
    expect(place.selection).toEqual({ start: { line: 1, character: 0 }, end: { line: 2, character: 5 } });
    expect(toOpenPlace(parseFilePlace("a.txt:1-2", folder)).cursor).toEqual({ line: 1, character: 6 });
    expect(toOpenPlace(parseFilePlace("a.txt:2", folder))).toMatchObject({ cursor: { line: 1, character: 0 } });
  });
});
