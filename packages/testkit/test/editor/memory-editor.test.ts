import type { DiffRequest, DiffViewEvents, EditorChange } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { createMemoryEditor } from "../../src/index.ts";

const request: DiffRequest = {
  id: "p1",
  agentName: "Gemini CLI",
  path: "/w/a.ts",
  kind: "change",
  proposedText: "new\n",
  agentPresent: true,
  originalText: "",
  unsaved: false,
  standing: "unchanged",
};

function recordEvents(): { readonly events: DiffViewEvents; readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    events: {
      edited: () => seen.push("edited"),
      accepted: (text) => seen.push(`accepted ${JSON.stringify(text)}`),
      rejected: () => seen.push("rejected"),
      closed: () => seen.push("closed"),
    },
  };
}

describe("the in-memory editor", () => {
  it("tells what is open, where the user is, and what is selected", () => {
    const editor = createMemoryEditor({ folders: ["/w"] });
    const changes: EditorChange[] = [];
    editor.editors.onDidChange((change) => changes.push(change));
    editor.openFile("/w/a.ts", "one\ntwo 😀\nthree");
    editor.openFile("/w/b.ts", "");
    editor.focusFile("/w/a.ts");
    editor.select({ start: { line: 0, character: 2 }, end: { line: 1, character: 6 } });
    expect(editor.editors.openFiles()).toEqual(["/w/a.ts", "/w/b.ts"]);
    expect(editor.editors.active()).toMatchObject({ path: "/w/a.ts", cursor: { line: 1, character: 6 } });
    expect(editor.editors.active()?.readSelection(100)).toBe("e\ntwo 😀");
    expect(editor.editors.active()?.readSelection(3)).toBe("e\nt");
    editor.setCursor({ line: 0, character: 0 });
    expect(editor.editors.active()?.selection).toBeUndefined();
    editor.closeFile("/w/a.ts");
    expect(editor.editors.active()?.path).toBe("/w/b.ts");
    expect(changes.map((change) => change.kind)).toEqual([
      "opened",
      "focused",
      "opened",
      "focused",
      "focused",
      "selection",
      "selection",
      "closed",
    ]);
  });

  it("fires when folders and trust change", () => {
    const editor = createMemoryEditor({ folders: ["/w"] });
    const seen: string[] = [];
    editor.workspace.onDidChangeFolders(() => seen.push(editor.workspace.folders().join()));
    editor.workspace.onDidChangeTrust(() => seen.push(String(editor.workspace.trusted())));
    editor.setFolders(["/w", "/x"]);
    editor.setTrusted(false);
    expect(seen).toEqual(["/w,/x", "false"]);
  });

  it("lets a view be typed into and accepted once", async () => {
    const editor = createMemoryEditor();
    const { events, seen } = recordEvents();
    const opening = await editor.diffs.open(request, events);
    expect(opening.kind).toBe("opened");
    const [view] = editor.openViews;
    view?.type("mine\n");
    view?.accept();
    view?.reject();
    expect(seen).toEqual(["edited", 'accepted "mine\\n"']);
    expect(view?.isOpen).toBe(true);
    if (opening.kind === "opened") await opening.view.close("accepted");
    expect(view?.state).toEqual({ kind: "accepted" });
    expect(editor.focus).toBe("terminal");
  });

  it("declines and fails on demand", async () => {
    const editor = createMemoryEditor();
    editor.declinesDiffs = true;
    expect(await editor.diffs.open(request, recordEvents().events)).toEqual({ kind: "declined" });
    editor.fail("diffs.open", new Error("no window"));
    await expect(editor.diffs.open(request, recordEvents().events)).rejects.toThrow("no window");
    editor.declinesDiffs = false;
    expect((await editor.diffs.open(request, recordEvents().events)).kind).toBe("opened");
  });

  it("keeps messages and answers them", async () => {
    const editor = createMemoryEditor();
    const message = {
      code: "outside-workspace",
      severity: "warning",
      text: "Open it?",
      values: {},
      actions: ["Open"],
    } as const;
    const answer = editor.messages.show(message);
    (await editor.messages.next("outside-workspace")).answer("Open");
    expect(await answer).toBe("Open");
    editor.messages.answerWith("outside-workspace", undefined);
    expect(await editor.messages.show(message)).toBeUndefined();
    expect(await editor.messages.show({ ...message, code: "notice", actions: [] })).toBeUndefined();
    expect(editor.shownMessages).toHaveLength(3);
  });

  it("has documents and diagnostics", async () => {
    const editor = createMemoryEditor({ readDisk: () => "disk" });
    await editor.documents.open({ path: "/w/a.ts", preview: false, focus: true });
    expect(editor.focus).toBe("/w/a.ts");
    expect(await editor.documents.readText("/w/a.ts", 2)).toBe("di");
    editor.makeDirty("/w/a.ts", "typed");
    expect(editor.documents.isDirty("/w/a.ts")).toBe(true);
    expect(await editor.documents.save("/w/a.ts")).toBe(true);
    expect(editor.documents.isDirty("/w/a.ts")).toBe(false);
    expect(editor.documents.isDirty("/w/none")).toBeUndefined();
    editor.setDiagnostics({ path: "/w/a.ts", diagnostics: [] });
    const { signal } = new AbortController();
    expect(await editor.diagnostics.read("/w/b.ts", signal)).toEqual([]);
    expect(await editor.diagnostics.read(undefined, signal)).toHaveLength(1);
  });
});
