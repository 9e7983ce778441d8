// @vitest-environment jsdom
import type { Entry } from "@patchbay/conversations/model";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PageHost } from "../../bench/page-host.ts";
import { sampleConversation } from "../../bench/sample.ts";
import { TestPanel } from "../support/panel.tsx";

let panel: TestPanel | undefined;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  panel?.close();
});

const message = (id: string, text: string, parent?: string): Entry => ({
  kind: "message",
  id,
  at: 0,
  text,
  isComplete: true,
  ...(parent === undefined ? {} : { parent }),
});

describe("the panel", () => {
  it("offers what is installed, and says how to install the rest", async () => {
    panel = await TestPanel.start(new PageHost());
    await panel.press("Claude Code");
    expect(panel.heard("new-conversation")).toEqual([{ type: "new-conversation", agent: "claude" }]);
    await panel.press("Add another agent…");
    expect(panel.heard("add-agent")).toHaveLength(1);
    await panel.press("How to install Qwen Code");
    expect(panel.heard("open-link")).toHaveLength(1);
  });

  it("says in one line why no agent is started here, and nothing of installing any", async () => {
    const host = new PageHost();
    host.settings = { ...host.settings, notice: "This workspace is not trusted." };
    host.agents = host.agents.map((agent) => ({ ...agent, isInstalled: false }));
    panel = await TestPanel.start(host);
    expect(panel.text).toContain("This workspace is not trusted.");
    expect(panel.text).not.toMatch(/not installed|how to install|no supported agent/iu);
  });

  it("names the folder of a conversation where the workspace has several, of two with one name with what is around it", async () => {
    panel = await TestPanel.show([message("m", "Hello")]);
    const { host } = panel;
    const folder = "/home/me/shop";
    host.conversations = [
      { id: "c1", agent: "claude", folder, title: "One", changedAt: 1, state: "idle" },
      { id: "c2", agent: "claude", folder: "/home/me/docs", title: "Two", changedAt: 0, state: "idle" },
    ];
    await panel.do(() => host.hello());
    expect(panel.one(".head-agent", HTMLElement).textContent).toBe("Claude Code");
    host.settings = { ...host.settings, folders: [folder, "/home/me/docs"] };
    await panel.do(() => host.hello());
    expect(panel.one(".head-agent", HTMLElement).textContent).toBe("Claude Code · shop");
    await panel.press("Show conversations");
    const notes = Array.from(panel.root.querySelectorAll(".row-note"), (note) => note.textContent);
    expect(notes).toEqual([
      expect.stringMatching(/^Claude Code · shop · /u),
      expect.stringMatching(/^Claude Code · docs · /u),
    ]);
    host.settings = { ...host.settings, folders: [folder, "/home/you/shop"] };
    await panel.do(() => host.hello());
    expect(panel.one(".head-agent", HTMLElement).textContent).toBe("Claude Code · me/shop");
  });

  it("cuts a long title at its end, whichever way it is written", async () => {
    panel = await TestPanel.show([message("m", "Hello")], {
      queue: [{ id: "w", blocks: [{ type: "text", text: "שלום" }] }],
    });
    const { host } = panel;
    const folder = "/home/me/shop";
    host.conversations = [{ id: "c1", agent: "claude", folder, title: "שלום", changedAt: 1, state: "idle" }];
    await panel.do(() => host.hello());
    await panel.press("Show conversations");
    for (const place of [".head-name", ".row-title", ".queue-text"]) {
      expect([place, panel.root.querySelector(place)?.getAttribute("dir")]).toEqual([place, "auto"]);
    }
  });

  it("says what failed and loses nothing: the host is asked for everything again, and the draft is there", async () => {
    panel = await TestPanel.show([message("m", "Hello")]);
    await panel.write("Half a thou");
    const broken = vi.spyOn(Intl, "RelativeTimeFormat").mockImplementation(function fail() {
      throw new Error("no times here");
    });
    panel.host.conversations = [
      { id: "c2", agent: "gemini", folder: "/home/me/shop", title: "Other", changedAt: 0, state: "idle" },
    ];
    await panel.do(() => panel?.host.hello());
    await panel.press("Show conversations");
    expect(panel.text).toContain("safe");
    expect(panel.heard("failed")[0]?.message).toContain("no times here");
    broken.mockRestore();
    await panel.press("Reload");
    await panel.do(() => panel?.store.update({ isListing: false }));
    expect(panel.heard("ready").at(-1)).toEqual({ type: "ready", conversation: "c1" });
    expect(panel.area.value).toBe("Half a thou");
    expect(panel.text).toContain("Hello");
  });

  it("shows everything but the entry that cannot be shown", async () => {
    const broken = vi.spyOn(Intl, "NumberFormat").mockImplementation(function fail() {
      throw new Error("no numbers here");
    });
    panel = await TestPanel.show(
      [
        message("m", "Hello"),
        { kind: "turn-end", id: "e", at: 0, reason: "done", usage: { currency: "EUR" }, cost: 1 },
      ],
      { usage: {} },
    );
    broken.mockRestore();
    expect(panel.text).toContain("Hello");
    expect(panel.text).toContain("This part can’t be shown.");
  });

  it("tells the host which message it could not read, without its contents", async () => {
    panel = await TestPanel.show([]);
    await panel.do(() => {
      dispatchEvent(new MessageEvent("message", { data: { type: "hello", secret: "token" } }));
    });
    const said = panel.heard("failed").map(({ message: text }) => text);
    expect(said.length).toBeGreaterThan(0);
    expect(said.join("")).not.toContain("token");
  });

  it("shows what a subagent did below the tool call that started it, when it is opened", async () => {
    panel = await TestPanel.show([
      { kind: "tool", id: "t", at: 0, tool: "subagent", name: "Task", title: "Look around", state: "done" },
      message("n", "Found two.", "t"),
      message("m", "Done."),
    ]);
    expect(panel.text).toContain("Subagent steps: 1");
    expect(panel.text).not.toContain("Found two.");
    await panel.do(() => panel?.one(".tool-head", HTMLButtonElement).click());
    expect(panel.root.querySelector(".nested")?.textContent).toContain("Found two.");
  });

  it("leads to a question that is far back", async () => {
    const question: Entry = {
      kind: "question",
      id: "q",
      at: 0,
      question: { type: "permission", toolId: "t", title: "Far back", choices: [] },
    };
    const later = Array.from({ length: 200 }, (_unused, index) => message(`m${index}`, "Later"));
    panel = await TestPanel.show([]);
    const open = { ...sampleConversation([question, ...later], 0), waiting: 1 };
    await panel.do(() => panel?.host.say({ type: "conversation", open }));
    expect(panel.text).not.toContain("Far back");
    await panel.press("Show the open question");
    expect(panel.text).toContain("Far back");
  });

  it("draws the newest entries first, and after that the others that are shown at first", async () => {
    vi.useFakeTimers();
    const shown = await TestPanel.show(
      Array.from({ length: 200 }, (_unused, index) => message(`m${index}`, `No. ${index}.`)),
    );
    panel = shown;
    const drawn = (): readonly string[] =>
      Array.from(shown.root.querySelectorAll(".log-content > .entry"), ({ textContent }) => textContent.trim());
    expect(drawn()).toHaveLength(20);
    expect(drawn().at(-1)).toContain("No. 199.");
    for (let step = 0; step < 4; step += 1) await shown.do(() => vi.advanceTimersByTime(1));
    expect(drawn()).toHaveLength(60);
    expect(drawn().at(0)).toContain("No. 140.");
    expect(drawn().at(-1)).toContain("No. 199.");
  });

  it("shows only the end of a large output, and offers the whole", async () => {
    panel = await TestPanel.show([
      {
        kind: "tool",
        id: "t",
        at: 0,
        tool: "execute",
        name: "Bash",
        title: "Build",
        state: "done",
        output: `The very start\n${"line\n".repeat(5000)}last`,
      },
    ]);
    await panel.do(() => panel?.one(".tool-head", HTMLButtonElement).click());
    expect(panel.text).toContain("last");
    expect(panel.text).not.toContain("The very start");
    await panel.press("Open output in an editor");
    expect(panel.heard("open-entry")).toEqual([{ type: "open-entry", conversation: "c1", entry: "t" }]);
  });

  it("lists those that wait first, and asks before one is deleted", async () => {
    const host = new PageHost();
    host.conversations = [
      { id: "a", agent: "claude", folder: "/home/me/shop", title: "Idle", changedAt: 3, state: "idle" },
      { id: "b", agent: "claude", folder: "/home/me/shop", title: "Works", changedAt: 1, state: "running" },
      { id: "c", agent: "claude", folder: "/home/me/shop", title: "Waits", changedAt: 0, state: "waiting" },
    ];
    host.open(sampleConversation([], 0));
    panel = await TestPanel.start(host);
    await panel.press("Show conversations");
    const titles = Array.from(panel.root.querySelectorAll(".row-title"), ({ textContent }) => textContent);
    expect(titles).toEqual(["Waits", "Works", "Idle"]);
    await panel.press("Delete");
    expect(panel.heard("delete")).toEqual([]);
    await panel.press("Delete");
    expect(panel.heard("delete")).toEqual([{ type: "delete", conversation: "c" }]);
  });

  it("takes the user's own fonts", async () => {
    panel = await TestPanel.show([]);
    const { settings } = panel.host;
    await panel.do(() =>
      panel?.host.say({ type: "settings", settings: { ...settings, fontFamily: "Inter", fontSize: 15 } }),
    );
    const { style } = document.documentElement;
    expect([style.getPropertyValue("--panel-font-family"), style.getPropertyValue("--panel-font-size")]).toEqual([
      "Inter",
      "15px",
    ]);
    await panel.do(() => panel?.host.say({ type: "settings", settings }));
    expect(style.getPropertyValue("--panel-font-size")).toBe("");
  });

  it("offers each way to sign in, and to try again", async () => {
    panel = await TestPanel.show([], {
      state: { kind: "signed-out", methods: [{ id: "oauth", name: "Log in with Google" }] },
    });
    await panel.press("Log in with Google");
    await panel.press("Try Again");
    expect(panel.heard("act")).toEqual([
      { type: "act", conversation: "c1", action: "sign-in", method: "oauth" },
      { type: "act", conversation: "c1", action: "retry" },
    ]);
  });

  it("shows what a command has printed without the codes of its colours", async () => {
    const output = "\u001B[1;31mred\u001B[0m and \u001B[38:5:2mgreen";
    const tool = { kind: "tool", id: "t", at: 0, tool: "execute", name: "Bash", title: "ls", state: "failed" } as const;
    panel = await TestPanel.show([{ ...tool, command: "ls", output }]);
    if (!panel.text.includes("red")) panel.one(".tool-head", HTMLButtonElement).click();
    await panel.do(() => undefined);
    expect(panel.text).toContain("red and green");
  });

  it("tries again what did not work where the agent has ended, and does not say twice why", async () => {
    const reason = "Claude Code (claude) is not installed.";
    panel = await TestPanel.show(
      [{ kind: "notice", id: "n", at: 0, level: "error", text: reason, action: "install" }],
      {
        state: { kind: "ended", reason },
      },
    );
    expect(panel.text.split(reason)).toHaveLength(2);
    await panel.press("Try Again");
    expect(panel.heard("act")).toEqual([{ type: "act", conversation: "c1", action: "retry" }]);
  });

  it("says what the newest turn did to its files, how sure that is and what was decided, and what cannot be undone", async () => {
    const file = { kind: "changed", mark: "exact", state: "applied", canRedo: false } as const;
    panel = await TestPanel.show([], {
      turns: [
        {
          turn: "t1",
          files: [
            { ...file, path: "/home/me/shop/a.ts", lines: { added: 12, removed: 3 } },
            {
              ...file,
              path: "/home/me/shop/b.ts",
              kind: "created",
              mark: "likely",
              obstacle: "No copy of it was kept.",
            },
            {
              ...file,
              path: "/home/me/shop/c.ts",
              kind: "moved",
              movedFrom: "/home/me/shop/old/c.ts",
              state: "accepted",
            },
            { ...file, path: "/home/me/shop/d.ts", kind: "mode", mark: "unknown", state: "undone", canRedo: true },
          ],
          more: 2,
        },
      ],
    });
    await panel.press("Changed files: 6");
    const rows = (): readonly string[] =>
      Array.from(document.querySelectorAll(".changes-files li"), (row) => row.textContent ?? "");
    expect(rows()).toEqual([
      "a.ts+12−3",
      "b.tsNewLikely",
      "c.ts ← old/c.tsMovedAccepted",
      "d.tsPermissionsMay be yoursUndone",
    ]);
    expect(panel.text).toContain("More files: 2");
    expect(panel.button("No copy of it was kept.").disabled).toBe(true);
    for (const name of ["Keep", "Undo", "Redo", "Keep All", "Undo All"]) await panel.press(name);
    const about = { type: "changes", conversation: "c1", turn: "t1" };
    expect(panel.heard("changes")).toEqual([
      { ...about, action: "keep", path: "/home/me/shop/a.ts" },
      { ...about, action: "undo", path: "/home/me/shop/a.ts" },
      { ...about, action: "redo", path: "/home/me/shop/d.ts" },
      { ...about, action: "keep" },
      { ...about, action: "undo" },
    ]);
    expect(document.body.textContent).not.toContain("Redo All");
  });

  it("shows a bar below each turn, and that of the newest beside the composer until there is another prompt", async () => {
    const file = { kind: "changed", mark: "exact", state: "applied", canRedo: false } as const;
    const prompt = (id: string): Entry => ({ kind: "prompt", id, at: 0, blocks: [{ type: "text", text: id }] });
    const end = (id: string, of?: string): Entry => ({
      kind: "turn-end",
      id,
      at: 0,
      reason: "done",
      ...(of === undefined ? {} : { prompt: of }),
    });
    const turns = [
      { turn: "t1", prompt: "p1", files: [{ ...file, path: "/home/me/shop/a.ts" }], more: 0 },
      { turn: "t3", prompt: "p3", files: [{ ...file, path: "/home/me/shop/c.ts", state: "kept" }], more: 1 },
    ] as const;
    // The prompt of the first turn is not loaded; an earlier version did not tell whose turn the second one was.
    const entries = [end("e1", "p1"), prompt("p2"), end("e2"), prompt("p3"), end("e3")];
    panel = await TestPanel.show(entries, { turns });
    const inLog = (): readonly (string | undefined)[] =>
      Array.from(
        document.querySelectorAll(".log .changes"),
        (bar) => bar.closest<HTMLElement>(".entry")?.dataset["id"],
      );
    const inFoot = (): readonly string[] =>
      Array.from(document.querySelectorAll(".foot .changes"), ({ textContent }) => textContent);
    expect(inLog()).toEqual(["e1"]);
    expect(inFoot()).toEqual(["Changed files: 2Review All"]);
    await panel.do(() => panel?.host.add(prompt("p4")));
    expect(inLog()).toEqual(["e1", "e3"]);
    expect(inFoot()).toEqual([]);
    // Both are closed, and what is decided elsewhere is seen there.
    await panel.press("Changed files: 1");
    expect(panel.text).not.toContain("c.ts");
    const undone = { ...turns[0], files: [{ ...turns[0].files[0], state: "undone", canRedo: true }] } as const;
    await panel.do(() => panel?.host.status({ turns: [undone, turns[1]] }));
    expect(document.querySelector(".log .changes-files")?.textContent).toContain("a.tsUndone");
    await panel.press("Redo All");
    expect(panel.heard("changes")).toMatchObject([{ turn: "t1", action: "redo" }]);
  });

  it("shows the hunks of a file, with what was decided of each, and decides them", async () => {
    const file = {
      path: "/home/me/shop/a.ts",
      kind: "changed",
      mark: "exact",
      state: "partly",
      canRedo: true,
      revision: "1",
    } as const;
    panel = await TestPanel.show([], { turns: [{ turn: "t1", files: [file], more: 0 }] });
    await panel.press("Changed files: 1");
    await panel.press("Show changed lines");
    const about = { type: "changes", conversation: "c1", turn: "t1", path: file.path } as const;
    expect(panel.heard("changes")).toEqual([{ ...about, action: "view" }]);
    const hunk = { above: ["same\n"], below: [], more: 0 };
    const hunks = [
      { ...hunk, id: "a", state: "open", beforeStart: 1, afterStart: 1, before: ["one\n"], after: ["ONE\n", "TWO\n"] },
      { ...hunk, id: "b", state: "kept", beforeStart: 9, afterStart: 10, before: ["old\r\n"], after: ["old\n"] },
      { ...hunk, id: "c", state: "undone", beforeStart: 19, afterStart: 20, before: ["gone\n"], after: [] },
      { ...hunk, id: "d", state: "queued", beforeStart: 29, afterStart: 29, before: [], after: ["more\n"], more: 7 },
    ];
    const view = { hunks, more: 3, mode: { before: 0o644, after: 0o755 } };
    const say = async (change: object): Promise<void> =>
      await panel?.do(() =>
        panel?.host.say({ type: "changes", about: { kind: "view", turn: "t1", path: file.path, ...change } }),
      );
    await say({ view });
    expect(Array.from(document.querySelectorAll(".hunk"), ({ textContent }) => textContent)).toEqual([
      "Lines 2–3KeepUndo1 same2−removed: one2+added: ONE3+added: TWO",
      "Line 11KeptUndo10 same10−removed: old␍11+added: old",
      "Line 20UndoneRedo20 same20−removed: gone",
      "Line 30Undo pendingKeepUndo Now29 same30+added: more7 more lines",
    ]);
    expect(panel.text).toContain("Permissions: 644 → 755");
    expect(panel.text).toContain("More changes: 3");
    const inHunks = Array.from(document.querySelectorAll<HTMLButtonElement>(".hunk button"));
    for (const button of inHunks) await panel.do(() => button.click());
    expect(panel.heard("changes").slice(1)).toEqual([
      { ...about, action: "keep", hunk: "a" },
      { ...about, action: "undo", hunk: "a" },
      { ...about, action: "undo", hunk: "b" },
      { ...about, action: "redo", hunk: "c" },
      { ...about, action: "keep", hunk: "d" },
      { ...about, action: "undo", hunk: "d" },
    ]);
    // What is shown is asked for anew when there is something newer, and nobody else's answer is taken for it.
    await panel.do(() => panel?.host.status({ turns: [{ turn: "t1", files: [{ ...file, revision: "2" }], more: 0 }] }));
    expect(panel.heard("changes").at(-1)).toEqual({ ...about, action: "view" });
    await panel.do(() =>
      panel?.host.say({ type: "changes", about: { kind: "view", turn: "t2", path: file.path, view: { more: 0 } } }),
    );
    expect(document.querySelectorAll(".hunk")).toHaveLength(4);
    await say({ view: { more: 0, target: { after: "../b.ts" } } });
    expect(document.querySelector(".hunks")?.textContent).toBe("Link to: ../b.ts");
    await say({});
    expect(document.querySelector(".hunks")?.textContent).toBe("The text of this file can’t be shown.");
  });

  it("names the files that a command changed below it, with the lines that are its own alone", async () => {
    const file = { kind: "changed", mark: "likely", state: "applied", canRedo: false } as const;
    const counted = { ...file, lines: { added: 2, removed: 1 } };
    const run = (id: string): Entry => ({
      kind: "tool",
      id,
      at: 0,
      tool: "execute",
      name: "Bash",
      title: `make ${id}`,
      state: "done",
    });
    panel = await TestPanel.show([run("r1"), run("r2"), run("r3")], {
      turns: [
        {
          turn: "t1",
          files: [
            { ...counted, path: "/home/me/shop/src/a.ts", commands: ["r1"] },
            { ...counted, path: "/home/me/shop/b.ts", commands: ["r1", "r2"] },
            { ...file, path: "/home/me/shop/c.bin", kind: "binary", isNew: true, state: "undone", commands: ["r2"] },
            { ...counted, path: "/home/me/shop/d.ts", mark: "exact" },
          ],
          more: 0,
        },
      ],
    });
    const rows = Array.from(document.querySelectorAll(".tool"), (tool) =>
      Array.from(tool.querySelectorAll(".command-files li"), ({ textContent }) => textContent),
    );
    expect(rows).toEqual([["a.tssrc+2−1", "b.ts"], ["b.ts", "c.binNewBinaryUndone"], []]);
    await panel.do(() => document.querySelector<HTMLButtonElement>(".command-files button")?.click());
    expect(panel.heard("changes")).toEqual([
      { type: "changes", conversation: "c1", turn: "t1", action: "review", path: "/home/me/shop/src/a.ts" },
    ]);
  });

  it("offers to take an undo of all files back, and not to wait for the end of the turn", async () => {
    const file = { path: "/home/me/shop/a.ts", kind: "changed", mark: "exact", canRedo: true } as const;
    panel = await TestPanel.show([], { turns: [{ turn: "t1", files: [{ ...file, state: "undone" }], more: 0 }] });
    await panel.press("Redo All");
    const waiting = { ...file, canRedo: false, state: "queued" } as const;
    await panel.do(() => panel?.host.status({ turns: [{ turn: "t1", files: [waiting], more: 0 }] }));
    await panel.press("Changed files: 1");
    expect(panel.text).toContain("Undo pending");
    await panel.press("Undo Now");
    expect(panel.heard("changes")).toMatchObject([{ action: "redo" }, { action: "undo", path: file.path }]);
  });

  it("sends an earlier prompt again in other words, with what went with it", async () => {
    const image = { type: "image", mimeType: "image/png", data: "AA==" } as const;
    const blocks = [image, { type: "text", text: "Do it" } as const];
    panel = await TestPanel.show([{ kind: "prompt", id: "p", at: 0, blocks }]);
    await panel.press("Edit and resend");
    expect(panel.text).toContain("This one stays as it is");
    const area = panel.one(".confirmation textarea", HTMLTextAreaElement);
    expect(area.value).toBe("Do it");
    expect(document.activeElement).toBe(area);
    area.value = "Do it well";
    await panel.key("Enter", { isComposing: true }, area);
    await panel.key("Enter", { shiftKey: true }, area);
    expect(panel.heard("resend")).toEqual([]);
    await panel.key("Enter", {}, area);
    expect(panel.heard("resend")).toEqual([
      { type: "resend", conversation: "c1", prompt: "p", blocks: [image, { type: "text", text: "Do it well" }] },
    ]);
    expect(panel.root.querySelector(".confirmation")).toBeNull();
  });

  it("leaves an earlier prompt as it is when its editing is given up", async () => {
    panel = await TestPanel.show([{ kind: "prompt", id: "p", at: 0, blocks: [{ type: "text", text: "Do it" }] }]);
    await panel.press("Edit and resend");
    await panel.key("Escape", {}, panel.one(".confirmation textarea", HTMLTextAreaElement));
    expect(panel.root.querySelector(".confirmation")).toBeNull();
    expect(panel.heard("resend")).toEqual([]);
  });

  it("copies an earlier prompt to the message box where the agent cannot fork", async () => {
    const { capabilities } = sampleConversation([], 0);
    panel = await TestPanel.show(
      [{ kind: "prompt", id: "p", at: 0, blocks: [{ type: "text", text: "Do it" }] }],
      capabilities === undefined ? {} : { capabilities: { ...capabilities, forkBefore: false } },
    );
    await panel.press("Copy to message box");
    expect(panel.area.value).toBe("Do it");
  });

  it("says how a turn has ended, and what it has cost alone", async () => {
    const usage = { inputTokens: 10, outputTokens: 5, cost: 4, currency: "EUR" };
    panel = await TestPanel.show([
      { kind: "turn-end", id: "e1", at: 0, reason: "done", durationMs: 1000, usage, cost: 1.5 },
      { kind: "turn-end", id: "e2", at: 0, reason: "failed", durationMs: 2000, usage: { cost: 4, currency: "EUR" } },
    ]);
    const ends = Array.from(panel.root.querySelectorAll(".turn-end"), ({ textContent }) => textContent);
    expect(ends).toEqual(["1 s · 15 tokens · €1.50", "The turn failed · 2 s"]);
  });

  it("says what a mode means that never asks, as long as it holds", async () => {
    panel = await TestPanel.show([]);
    expect(panel.text).not.toContain("without asking");
    const options = sampleConversation([], 0).options.map((one) =>
      one.id === "mode" ? { ...one, value: "auto" } : one,
    );
    await panel.do(() => panel?.host.status({ options }));
    expect(panel.text).toContain("Auto: Claude Code changes files and runs commands without asking.");
  });

  it("shows what Patchbay has said in the user's language", async () => {
    const text = "The conversation is saved again.";
    panel = await TestPanel.show([{ kind: "notice", id: "n", at: 0, level: "info", text }]);
    expect(panel.text).toContain(text);
    const own = "Die Unterhaltung wird wieder gespeichert.";
    await panel.do(() => panel?.store.update({ strings: { [`say:${text}`]: own } }));
    expect(panel.text).toContain(own);
  });

  it("restores files after it has shown which", async () => {
    panel = await TestPanel.show([{ kind: "prompt", id: "p", at: 0, blocks: [{ type: "text", text: "Do it" }] }]);
    await panel.press("Restore files to this point");
    await panel.do(() =>
      panel?.host.say({
        type: "changes",
        about: {
          kind: "restoring",
          prompt: "p",
          restoring: {
            canRewind: true,
            files: [
              { path: "/home/me/shop/gone.ts", kind: "deleted", fate: "back" },
              { path: "/home/me/shop/new.bin", kind: "binary", isNew: true, fate: "back" },
              { path: "/home/me/shop/lib/b.ts", kind: "moved", movedFrom: "/home/me/shop/a.ts", fate: "partly" },
              { path: "/home/me/shop/yours.ts", kind: "changed", fate: "yours", reason: "It has been changed since." },
              { path: "/home/me/shop/big.bin", kind: "binary", fate: "lost", reason: "No copy of it was kept." },
            ],
          },
        },
      }),
    );
    expect(Array.from(panel.root.querySelectorAll(".restored"), ({ textContent }) => textContent)).toEqual([
      "These get back what they held:gone.tsDeleted",
      "These are new since then, and go to the trash:new.binNewBinary",
      "These come back in part; lines that were changed since stay:b.tslib ← a.tsMoved",
      "These stay as they are:yours.tsIt has been changed since.",
      "These can’t come back:big.binBinaryNo copy of it was kept.",
    ]);
    await panel.press("Restore");
    expect(panel.heard("rewind").map(({ dryRun }) => dryRun)).toEqual([true, false]);
  });
});
