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
    expect(rows()).toEqual(["a.ts+12−3", "b.tsNewLikely", "c.tsMovedAccepted", "d.tsPermissionsMay be yoursUndone"]);
    expect(document.querySelector(".changes-files .badge[title]")?.getAttribute("title")).toBe("old/c.ts");
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
        type: "rewind-preview",
        prompt: "p",
        canRewind: true,
        files: ["/home/me/shop/a.ts"],
        left: [{ path: "/home/me/shop/yours.ts", reason: "It has been changed since, and stays." }],
      }),
    );
    expect(panel.text).toContain("a.ts");
    expect(panel.text).toContain("yours.ts It has been changed since, and stays.");
    await panel.press("Restore");
    expect(panel.heard("rewind").map(({ dryRun }) => dryRun)).toEqual([true, false]);
  });
});
