import { describe, expect, it } from "vitest";
import { readEditorFacts, tmuxServerOf } from "../../src/host/editor-facts.ts";
import { createIdentity } from "../../src/host/vim-host.ts";

describe("what the agents are told", () => {
  const facts = { pid: 10, isNeovim: false, temporaryDirectory: undefined, tmuxServer: undefined };

  it("is the editor first, then its parent, then the tmux server", () => {
    expect(createIdentity({ ...facts, tmuxServer: 7 }, 9, "1.0.0", "/tmp").pids).toEqual([10, 9, 7]);
    expect(createIdentity({ ...facts, tmuxServer: 9 }, 9, "1.0.0", "/tmp").pids).toEqual([10, 9]);
  });

  it("is never the first process of the machine", () => {
    expect(createIdentity(facts, 1, "1.0.0", "/tmp").pids).toEqual([10]);
    expect(createIdentity(facts, undefined, "1.0.0", "/tmp").pids).toEqual([10]);
  });

  it("is the editor's temporary directory, not the one coc gives its own process", () => {
    expect(createIdentity({ ...facts, temporaryDirectory: "/my/tmp" }, 9, "1.0.0", "/tmp").temporaryDirectory).toBe(
      "/my/tmp",
    );
    expect(createIdentity(facts, 9, "1.0.0", "/tmp").temporaryDirectory).toBe("/tmp");
  });

  it("reads what the editor says, with nothing taken for granted", () => {
    expect(readEditorFacts({ pid: 5, nvim: 1, temporary: "/t//", tmux: "/tmp/tmux-0/default,77,0" })).toMatchObject({
      pid: 5,
      isNeovim: true,
      temporaryDirectory: "/t",
      tmuxServer: 77,
      directory: "",
    });
    expect(readEditorFacts(null).temporaryDirectory).toBeUndefined();
    expect(tmuxServerOf("")).toBeUndefined();
    expect(tmuxServerOf("/a,b/default,12,3")).toBe(12);
  });
});
