// @vitest-environment jsdom
import { SimulatedTheia } from "../../support/simulated-theia.ts";
import { URI } from "@theia/core/lib/common/uri";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WindowContext } from "../../../src/common/protocol.ts";
import { proposalDiffUri } from "../../../src/browser/review/proposal-resources.ts";
import { editorOf, type SimulatedEditor } from "../../support/simulated-editors.ts";

let theia: SimulatedTheia;
let pictures: WindowContext[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  theia = new SimulatedTheia();
  pictures = [];
  theia.context.onDidChange((context) => pictures.push(context));
});
afterEach(() => {
  theia.dispose();
  vi.useRealTimers();
});

async function openFile(name: string, text = "one\ntwo\nthree\n", mode = "activate"): Promise<SimulatedEditor> {
  const uri = new URI(`file:///workspace/${name}`);
  theia.files.set(uri.toString(), text);
  return editorOf(await theia.editors.open(uri, { mode }));
}

/** The picture that is due, if one is. */
function next(): WindowContext | undefined {
  const before = pictures.length;
  vi.advanceTimersByTime(1_000);
  expect(pictures.length - before).toBeLessThanOrEqual(1);
  return pictures[before];
}

function watch(): void {
  theia.context.setWanted(true);
  theia.context.start();
}

describe("the first picture", () => {
  it("has what the layout brought, with the cursor of the editor in front", async () => {
    const editor = await openFile("a.txt");
    editor.moveTo({ line: 1, character: 2 });
    await openFile("b.txt", "", "open");
    expect(next()).toBeUndefined();
    watch();
    expect(next()).toEqual({
      files: [
        { path: "/workspace/a.txt", dirty: false, languageId: "plaintext" },
        { path: "/workspace/b.txt", dirty: false, languageId: "plaintext" },
      ],
      focused: ["/workspace/a.txt"],
      active: { path: "/workspace/a.txt", cursor: { line: 1, character: 2 } },
      windowFocused: true,
    });
  });

  it("is empty where nothing is open", () => {
    watch();
    expect(next()).toMatchObject({ files: [], active: undefined });
  });
});

describe("once it watches", () => {
  let first: SimulatedEditor;

  beforeEach(async () => {
    first = await openFile("a.txt");
    watch();
    next();
  });

  it("says nothing while nothing changes", () => {
    expect(next()).toBeUndefined();
  });

  it("says where the user has gone: another tab, and back", async () => {
    await openFile("b.txt");
    expect(next()).toMatchObject({ focused: ["/workspace/b.txt"], active: { path: "/workspace/b.txt" } });
    await openFile("a.txt");
    expect(next()).toMatchObject({ focused: ["/workspace/a.txt"], active: { path: "/workspace/a.txt" } });
  });

  it("says which file is in front when the keys stay in a terminal", async () => {
    theia.shell.leave();
    await openFile("b.txt", "", "reveal");
    expect(next()).toMatchObject({ active: { path: "/workspace/b.txt" } });
  });

  it("says what is selected, and when nothing is any more", () => {
    first.moveTo({ line: 2, character: 1 }, { line: 0, character: 1 });
    expect(next()?.active).toEqual({
      path: "/workspace/a.txt",
      cursor: { line: 2, character: 1 },
      selection: { range: { start: { line: 0, character: 1 }, end: { line: 2, character: 1 } }, text: "ne\ntwo\nt" },
    });
    first.moveTo({ line: 2, character: 1 });
    expect(next()?.active).toEqual({ path: "/workspace/a.txt", cursor: { line: 2, character: 1 } });
  });

  it("makes one picture of many moves", () => {
    for (let line = 0; line < 3; line++) first.moveTo({ line, character: 0 });
    expect(next()?.active?.cursor).toEqual({ line: 2, character: 0 });
  });

  it("says what has unsaved changes, until it is saved", async () => {
    first.type("changed");
    expect(next()?.files).toEqual([{ path: "/workspace/a.txt", dirty: true, languageId: "plaintext" }]);
    await first.document.save();
    expect(next()?.files).toEqual([{ path: "/workspace/a.txt", dirty: false, languageId: "plaintext" }]);
  });

  it("forgets a file that is closed, and the one before is where the user was last", async () => {
    const second = await openFile("b.txt");
    next();
    theia.editors.all.find(({ editor }) => editor === second)?.dispose();
    expect(next()).toMatchObject({
      files: [{ path: "/workspace/a.txt" }],
      active: { path: "/workspace/a.txt" },
    });
    theia.editors.all[0]?.dispose();
    expect(next()).toMatchObject({ files: [], active: undefined });
    expect(theia.context.activeEditor).toBeUndefined();
  });

  it("counts a file once that two editors show, for as long as one of them does", async () => {
    const [widget] = theia.editors.all;
    if (widget === undefined) throw new Error("The file is not open.");
    const other = await theia.editors.split(widget);
    next();
    other.dispose();
    vi.advanceTimersByTime(1_000);
    theia.context.refresh();
    expect(next()?.files).toHaveLength(1);
  });

  it("knows nothing of what is no file, a proposal above all", async () => {
    await theia.proposals.show({
      id: "one",
      agentName: "Gemini CLI",
      path: "/workspace/b.txt",
      originalText: "",
      unsaved: false,
      standing: "unchanged",
      kind: "create",
      proposedText: "new",
      agentPresent: true,
    });
    await theia.editors.open(proposalDiffUri(new URI("file:///workspace/b.txt"), "one"), { mode: "activate" });
    theia.context.refresh();
    expect(next()).toMatchObject({ files: [{ path: "/workspace/a.txt" }], active: { path: "/workspace/a.txt" } });
  });

  it("reads nothing while no agent is there, and then what has become of it", () => {
    theia.context.setWanted(false);
    first.moveTo({ line: 1, character: 0 });
    expect(next()).toBeUndefined();
    theia.context.setWanted(true);
    expect(next()?.active?.cursor).toEqual({ line: 1, character: 0 });
  });

  it("says what is due before a question about it", () => {
    first.moveTo({ line: 1, character: 0 });
    const before = pictures.length;
    theia.context.flush();
    expect(pictures.slice(before).map(({ active }) => active?.cursor.line)).toEqual([1]);
    expect(next()).toBeUndefined();
  });

  it("says again what a new backend has not heard", () => {
    theia.context.refresh();
    expect(next()).toMatchObject({ files: [{ path: "/workspace/a.txt" }] });
  });

  it("says that the user has come to this window, whoever listens", () => {
    theia.context.setWanted(false);
    first.moveTo({ line: 1, character: 0 });
    window.dispatchEvent(new Event("focus"));
    expect(next()).toMatchObject({ windowFocused: true, active: { cursor: { line: 1, character: 0 } } });
  });
});
