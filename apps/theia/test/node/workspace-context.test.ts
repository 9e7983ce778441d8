import type { EditorChange } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { createTestBackend, settle } from "../support/backend.ts";
import { open, theOnly } from "./workspace-windows.ts";

describe("context of several windows", () => {
  it("the active file is that of the window used last", async () => {
    const backend = createTestBackend();
    const one = await open(backend, "one");
    const two = await open(backend, "two");
    one.window.editor.openFile("/workspace/one.txt", "1");
    two.window.editor.openFile("/workspace/two.txt", "2");
    await settle();
    const { editors } = theOnly(backend).host;
    const changes: EditorChange[] = [];
    editors.onDidChange((change) => changes.push(change));
    one.window.use();
    await settle();
    expect(editors.active()?.path).toBe("/workspace/one.txt");
    expect(editors.openFiles()).toEqual(["/workspace/one.txt", "/workspace/two.txt"]);
    expect(changes).toContainEqual({ kind: "focused", path: "/workspace/one.txt" });
  });

  it("a file that two windows show is closed when neither does", async () => {
    const backend = createTestBackend();
    const one = await open(backend, "one");
    const two = await open(backend, "two");
    one.window.editor.openFile("/workspace/a.txt", "1");
    two.window.editor.openFile("/workspace/a.txt", "1");
    await settle();
    const { editors } = theOnly(backend).host;
    const closed: string[] = [];
    editors.onDidChange((change) => change.kind === "closed" && closed.push(change.path));
    one.window.editor.closeFile("/workspace/a.txt");
    await settle();
    expect(closed).toEqual([]);
    two.window.editor.closeFile("/workspace/a.txt");
    await settle();
    expect(closed).toEqual(["/workspace/a.txt"]);
  });

  it("is what the windows have open now, where nobody has told it yet", async () => {
    const backend = createTestBackend();
    const { window } = await open(backend, "one");
    window.isFollowed = false;
    window.editor.openFile("/workspace/a.txt", "1");
    await settle();
    const { editors } = theOnly(backend).host;
    expect(editors.openFiles()).toEqual([]);
    await editors.bringUpToDate?.();
    expect(editors.openFiles()).toEqual(["/workspace/a.txt"]);
    expect(editors.active()?.path).toBe("/workspace/a.txt");
  });

  it("a reload does not look like closing everything", async () => {
    const backend = createTestBackend();
    const before = await open(backend, "one");
    before.window.editor.openFile("/workspace/a.txt", "1");
    await settle();
    const { editors } = theOnly(backend).host;
    const changes: EditorChange[] = [];
    editors.onDidChange((change) => changes.push(change));
    before.service.dispose();
    await settle();
    expect(editors.active()?.path).toBe("/workspace/a.txt");
    const after = await open(backend, "one");
    after.window.editor.openFile("/workspace/a.txt", "1");
    await settle();
    expect(changes.filter((change) => change.kind === "closed" || change.kind === "opened")).toEqual([]);
  });

  it("nothing counts as open once no window came back", async () => {
    const backend = createTestBackend();
    const { window, service } = await open(backend, "one");
    window.editor.openFile("/workspace/a.txt", "1");
    await settle();
    service.dispose();
    await settle();
    await backend.clock.advanceAsync(30_000);
    const { editors } = theOnly(backend).host;
    expect(editors.openFiles()).toEqual([]);
    expect(editors.active()).toBeUndefined();
  });
});
