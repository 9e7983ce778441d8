import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf } from "../../src/agents/catalogue.ts";
import { attachPi } from "../../src/agents/pi/plugin.ts";
import type { PatchbayInAgent } from "../../src/agents/hook.ts";
import { findCompanions, runHook } from "../../src/hook-client/run-hook.ts";
import { createHookLab, type HookLab } from "./hook-lab.ts";

type Handler = (event: unknown, context: unknown) => Promise<unknown>;

interface Command {
  readonly handler: (typed: string, context: unknown) => Promise<void>;
  readonly getArgumentCompletions: (typed: string) => readonly { readonly value: string }[];
}

/** Pi's process as its extensions see it: what it runs for an event, and with which session. */
class PiProcess {
  /** By name. Pi gives two of one name a number each. */
  readonly commands: { readonly name: string; readonly command: Command }[] = [];
  /** What Pi's user sees of extensions: the line in the footer, and messages. */
  footer: string | undefined;
  readonly notices: string[] = [];
  hasUI = true;
  /** The session has ended: whatever was given to extensions throws. */
  isStale = false;
  readonly #handlers: { readonly name: string; readonly handler: Handler }[] = [];
  readonly interrupt: AbortController = new AbortController();
  readonly asked: unknown[] = [];
  readonly #cwd: string;

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** What it gives to one of its extensions. */
  newHost() {
    return {
      on: (name: string, handler: Handler) => void this.#handlers.push({ name, handler }),
      registerCommand: (name: string, command: Command) => void this.commands.push({ name, command }),
    };
  }

  get #context() {
    const ui = {
      setStatus: (_name: string, line: string | undefined) => void (this.footer = line),
      notify: (text: string) => void this.notices.push(text),
    };
    const lookAtUi = (): typeof ui => {
      if (this.isStale) throw new Error("This session has ended.");
      return ui;
    };
    return {
      cwd: this.#cwd,
      hasUI: this.hasUI,
      signal: this.interrupt.signal,
      sessionManager: { getSessionId: () => "s1" },
      get ui() {
        return lookAtUi();
      },
    };
  }

  /** Its user types `/patchbay`, with this behind it. */
  async type(typed: string): Promise<string | undefined> {
    await this.commands.at(-1)?.command.handler(typed, this.#context);
    return this.notices.at(-1);
  }

  /** Each answer to an event that is one. */
  async emit(name: string, event: object): Promise<readonly unknown[]> {
    const context = this.#context;
    const answers: unknown[] = [];
    for (const one of this.#handlers) {
      if (one.name === name) answers.push(await one.handler(event, context));
    }
    return answers.filter((answer) => answer !== undefined);
  }

  async call(toolName: string, input: object, toolCallId = "c1"): Promise<unknown> {
    return (await this.emit("tool_call", { toolName, toolCallId, input }))[0];
  }
}

function attach(pi: PiProcess, { platform }: Pick<HookLab, "platform">): void {
  attachPi(pi.newHost(), {
    ask: (event, patience) => {
      pi.asked.push(event);
      const question = { platform, dialect: agentOf("pi"), event: JSON.stringify(event), cwd: platform.workspace };
      return runHook({ ...question, ...patience });
    },
    editorOf: async (folder) => (await findCompanions(platform, agentOf("pi"), folder))[0]?.editorName,
  });
}

/** Patchbay as a test has it answer. */
function answering(ask: PatchbayInAgent["ask"]): PatchbayInAgent {
  return { ask, editorOf: () => Promise.resolve(undefined) };
}

async function startBoth() {
  const lab = await createHookLab();
  const pi = new PiProcess(lab.platform.workspace);
  // As each process begins: an extension of an earlier one acts no more, and its command was given to that one.
  const before = new PiProcess(lab.platform.workspace);
  attach(before, lab);
  await before.emit("session_start", { reason: "startup" });
  await before.emit("session_shutdown", {});
  attach(pi, lab);
  await pi.emit("session_start", { reason: "startup" });
  return { ...lab, pi, file: join(lab.platform.workspace, "file.txt") };
}

describe("Pi with our extension", () => {
  it("waits for the user, and goes on with its own arguments when they accept", async () => {
    const { editor, pi } = await startBoth();
    const input = { path: "file.txt", content: "new\n" };
    const answer = pi.call("write", input);
    const view = await editor.nextView();
    expect(view.text).toBe("new\n");
    view.accept();
    expect(await answer).toBeUndefined();
    expect(input).toEqual({ path: "file.txt", content: "new\n" });
  });

  it("writes what the user made of it, and tells the model", async () => {
    const { editor, pi, file } = await startBoth();
    writeFileSync(file, "one\ntwo\n");
    const input = { path: "file.txt", edits: [{ oldText: "two", newText: "2" }], stray: true };
    const answer = pi.call("edit", input);
    const view = await editor.nextView();
    view.type("one\n2 by me\n");
    view.accept();
    expect(await answer).toBeUndefined();
    expect(input).toMatchObject({ path: "file.txt", edits: [{ oldText: "two", newText: "2 by me" }] });
    const content = [{ type: "text", text: "Done." }];
    const result = { toolName: "edit", toolCallId: "c1", input, content, isError: false };
    expect(await pi.emit("tool_result", result)).toEqual([
      { content: [...content, { type: "text", text: expect.stringMatching(/changed it: [^]*\n2 by me/u) }] },
    ]);
    // Once.
    expect(await pi.emit("tool_result", result)).toEqual([]);
  });

  it("tells the model nothing of a text that was not written", async () => {
    const { editor, pi } = await startBoth();
    const input = { path: "file.txt", content: "new\n" };
    const answer = pi.call("write", input);
    const view = await editor.nextView();
    view.type("mine\n");
    view.accept();
    await answer;
    expect(input.content).toBe("mine\n");
    const result = { toolName: "write", toolCallId: "c1", input, content: [], isError: true };
    expect(await pi.emit("tool_result", result)).toEqual([]);
  });

  it("does not write what the user rejects, and its model reads why", async () => {
    const { editor, pi } = await startBoth();
    const answer = pi.call("write", { path: "file.txt", content: "new\n" });
    const view = await editor.nextView();
    view.reject();
    expect(await answer).toEqual({ block: true, reason: expect.stringContaining("rejected it") });
  });

  it("withdraws the review when its user interrupts it, and asks nothing more in that message", async () => {
    const { companion, editor, pi } = await startBoth();
    const answer = pi.call("write", { path: "file.txt", content: "new\n" });
    const view = await editor.nextView();
    pi.interrupt.abort();
    expect(await answer).toBeUndefined();
    await editor.ended(view);
    expect(companion.proposals).toEqual([]);
    const before = pi.asked.length;
    expect(await pi.call("write", { path: "other.txt", content: "new\n" })).toBeUndefined();
    expect(pi.asked).toHaveLength(before);
  });

  describe("that asks about all tools of an answer before the first of them runs", () => {
    const one = { path: "file.txt", edits: [{ oldText: "one", newText: "1" }] };
    const two = { path: "file.txt", edits: [{ oldText: "two", newText: "2" }] };

    it("is asked about the second as the first leaves the file, without waiting for that", async () => {
      const { editor, pi, file, companion } = await startBoth();
      writeFileSync(file, "one\ntwo\nthree\n");
      const first = pi.call("edit", { ...one }, "c1");
      (await editor.nextView()).accept();
      expect(await first).toBeUndefined();
      const input = structuredClone(two);
      const second = pi.call("edit", input, "c2");
      const view = await editor.nextView();
      expect([view.originalText, view.text]).toEqual(["1\ntwo\nthree\n", "1\n2\nthree\n"]);
      expect(companion.proposals).toMatchObject([{ kind: "change", standing: "unchanged" }]);
      view.accept();
      expect(await second).toBeUndefined();
      expect(input).toEqual(two);
    });

    it("writes what the user made of both, and a file that the first one makes", async () => {
      const { editor, pi, file } = await startBoth();
      const first = { path: "file.txt", content: "one\ntwo\n" };
      const firstAnswer = pi.call("write", first, "c1");
      const firstView = await editor.nextView();
      firstView.type("one\ntwo\nby me\n");
      firstView.accept();
      await firstAnswer;
      const input = structuredClone(two);
      const secondAnswer = pi.call("edit", input, "c2");
      const view = await editor.nextView();
      expect([view.originalText, view.text]).toEqual(["one\ntwo\nby me\n", "one\n2\nby me\n"]);
      view.type("one\n2 and more\nby me\n");
      view.accept();
      expect(await secondAnswer).toBeUndefined();
      expect(first.content).toBe("one\ntwo\nby me\n");
      // As its tools do, one after the other.
      writeFileSync(file, first.content);
      const [edit] = input.edits;
      expect(first.content.replace(edit?.oldText ?? "", edit?.newText ?? "")).toBe("one\n2 and more\nby me\n");
    });

    it("makes both of the same file, with its mark and the ends of its lines", async () => {
      const { editor, pi, file } = await startBoth();
      writeFileSync(file, "\ufeffone\r\ntwo\r\n");
      const first = structuredClone(one);
      const firstAnswer = pi.call("edit", first, "c1");
      const firstView = await editor.nextView();
      firstView.type("1 and more\r\ntwo\r\n");
      firstView.accept();
      await firstAnswer;
      const second = structuredClone(two);
      const secondAnswer = pi.call("edit", second, "c2");
      const view = await editor.nextView();
      expect([view.originalText, view.text]).toEqual(["1 and more\r\ntwo\r\n", "1 and more\r\n2\r\n"]);
      view.type("1 and more\r\n2 as well\r\n");
      view.accept();
      expect(await secondAnswer).toBeUndefined();
      expect([first.edits, second.edits]).toEqual([
        [{ oldText: "one", newText: "1 and more" }],
        [{ oldText: "two", newText: "2 as well" }],
      ]);
    });

    it("is asked about the file as it is where the first was rejected, or has been written", async () => {
      const { editor, pi, file } = await startBoth();
      writeFileSync(file, "one\ntwo\n");
      const rejected = pi.call("edit", { ...one }, "c1");
      (await editor.nextView()).reject();
      await rejected;
      const accepted = pi.call("edit", structuredClone(two), "c2");
      const view = await editor.nextView();
      expect([view.originalText, view.text]).toEqual(["one\ntwo\n", "one\n2\n"]);
      view.accept();
      await accepted;
      writeFileSync(file, "one\n2\n");
      await pi.emit("tool_result", { toolName: "edit", toolCallId: "c2", input: two, content: [], isError: false });
      void pi.call("edit", { ...one }, "c3");
      const next = await editor.nextView();
      expect([next.originalText, next.text]).toEqual(["one\n2\n", "1\n2\n"]);
      next.reject();
    });

    it("is asked about the file as the user changed it meanwhile", async () => {
      const { editor, pi, file } = await startBoth();
      writeFileSync(file, "one\ntwo\nthree\n");
      const first = pi.call("edit", { ...one }, "c1");
      (await editor.nextView()).accept();
      await first;
      writeFileSync(file, "one\ntwo\nthree\nfour\n");
      const input = structuredClone(two);
      const second = pi.call("edit", input, "c2");
      const view = await editor.nextView();
      expect([view.originalText, view.text]).toEqual(["one\ntwo\nthree\nfour\n", "one\n2\nthree\nfour\n"]);
      view.accept();
      await second;
      expect(input).toEqual(two);
    });
  });

  it("asks nobody about tools that write nothing", async () => {
    const { pi } = await startBoth();
    const before = pi.asked.length;
    expect(await pi.call("read", { path: "file.txt" })).toBeUndefined();
    expect(pi.asked).toHaveLength(before);
  });

  it("asks once where the user and the folder have an extension each", async () => {
    const { editor, pi, ...lab } = await startBoth();
    attach(pi, lab);
    await pi.emit("session_start", { reason: "reload" });
    const before = pi.asked.length;
    const answer = pi.call("write", { path: "file.txt", content: "new\n" });
    (await editor.nextView()).accept();
    expect(await answer).toBeUndefined();
    expect(pi.asked).toHaveLength(before + 1);
  });

  it("goes on at once where there is no editor, and whatever breaks", async () => {
    const { companion, pi, platform } = await startBoth();
    await companion.stop();
    expect(await pi.call("write", { path: "file.txt", content: "new\n" })).toBeUndefined();
    const broken = new PiProcess(platform.workspace);
    attachPi(
      broken.newHost(),
      answering(() => Promise.reject(new Error("It broke."))),
    );
    attachPi(
      undefined,
      answering(() => Promise.resolve("{")),
    );
    await broken.emit("session_start", {});
    expect(await broken.call("write", { path: "file.txt", content: "new\n" })).toBeUndefined();
    const nonsense = new PiProcess(platform.workspace);
    attachPi(
      nonsense.newHost(),
      answering(() => Promise.resolve("{")),
    );
    await nonsense.emit("session_start", {});
    expect(await nonsense.call("write", { path: "file.txt", content: "new\n" })).toBeUndefined();
    expect(await nonsense.emit("before_agent_start", { prompt: "Do it." })).toEqual([]);
    await nonsense.emit("session_shutdown", {});
  });

  it("does nothing in the conversation panel, which asks by itself: everything is asked once", async () => {
    const { platform } = await startBoth();
    const mark = Symbol.for("patchbay.panel");
    Reflect.set(globalThis, mark, true);
    onTestFinished(() => void Reflect.deleteProperty(globalThis, mark));
    const pi = new PiProcess(platform.workspace);
    const asked: unknown[] = [];
    attachPi(
      pi.newHost(),
      answering((event) => Promise.resolve(void asked.push(event))),
    );
    await pi.emit("session_start", { reason: "startup" });
    await pi.emit("before_agent_start", { prompt: "Do it." });
    expect(await pi.call("write", { path: "file.txt", content: "new\n" })).toBeUndefined();
    expect(asked).toEqual([]);
    expect(pi.commands).toEqual([]);
  });

  it("tells the begin of its session first, and Pi's start does not wait for that", async () => {
    const { platform } = await startBoth();
    const pi = new PiProcess(platform.workspace);
    const asked: unknown[] = [];
    const held: (() => void)[] = [];
    attachPi(
      pi.newHost(),
      answering(({ hook_event_name: name }) => {
        asked.push(name);
        return new Promise((resolve) => held.push(() => resolve(undefined)));
      }),
    );
    await pi.emit("session_start", { reason: "startup" });
    const begun = pi.emit("before_agent_start", { prompt: "Do it." });
    expect(asked).toEqual(["SessionStart"]);
    held[0]?.();
    await expect.poll(() => asked).toEqual(["SessionStart", "before_agent_start"]);
    held[1]?.();
    expect(await begun).toEqual([]);
  });

  it("leaves nothing of the model's own arguments where others take their place", async () => {
    const { platform } = await startBoth();
    const pi = new PiProcess(platform.workspace);
    const given = { path: "file.txt", content: "mine\n" };
    attachPi(
      pi.newHost(),
      answering(() => Promise.resolve(JSON.stringify({ kind: "allow-changed", arguments: given, note: "n" }))),
    );
    await pi.emit("session_start", { reason: "startup" });
    const input = { path: "file.txt", content: "new\n", stray: true };
    expect(await pi.call("write", input)).toBeUndefined();
    expect(input).toEqual(given);
  });

  it("does not write its own text where it cannot be given the user's", async () => {
    const { platform } = await startBoth();
    const pi = new PiProcess(platform.workspace);
    attachPi(
      pi.newHost(),
      answering(() => Promise.resolve(JSON.stringify({ kind: "allow-changed", arguments: null, note: "n" }))),
    );
    await pi.emit("session_start", { reason: "startup" });
    const answer = await pi.call("write", { path: "file.txt", content: "new\n" });
    expect(answer).toEqual({ block: true, reason: expect.stringContaining("could not be passed on") });
  });

  it("has a line in its footer that names the editor, and what waits there", async () => {
    const { companion, editor, pi } = await startBoth();
    await expect.poll(() => pi.footer).toBe("Patchbay: Memory Editor");
    const answer = pi.call("write", { path: "dir/file.txt", content: "new\n" });
    const view = await editor.nextView();
    await expect.poll(() => pi.footer).toBe("Patchbay: Memory Editor · review file.txt");
    view.accept();
    await answer;
    expect(pi.footer).toBe("Patchbay: Memory Editor");
    await companion.stop();
    await pi.emit("session_start", { reason: "new" });
    await expect.poll(() => pi.footer).toBe("Patchbay: no editor");
    expect(await pi.type("status")).toContain("nothing that Pi does is reviewed");
  });

  it("shows nothing where nobody looks, or to a session that has ended", async () => {
    const { platform, ...lab } = await createHookLab();
    const headless = new PiProcess(platform.workspace);
    headless.hasUI = false;
    attach(headless, { platform });
    await headless.emit("session_start", { reason: "startup" });
    const stale = new PiProcess(platform.workspace);
    attach(stale, { platform });
    await stale.emit("session_start", { reason: "startup" });
    await expect.poll(() => stale.footer).toBeDefined();
    stale.isStale = true;
    const answer = stale.call("write", { path: "file.txt", content: "new\n" });
    (await lab.editor.nextView()).accept();
    expect(await answer).toBeUndefined();
    await stale.type("status");
    expect([headless.footer, stale.notices]).toEqual([undefined, []]);
  });

  it("takes /patchbay once, also where the user and the folder have an extension each, and again after a reload", async () => {
    const { pi, ...lab } = await startBoth();
    attach(pi, lab);
    expect(pi.commands.map(({ name }) => name)).toEqual(["patchbay", "patchbay"]);
    attach(pi, lab);
    expect(pi.commands).toHaveLength(2);
    const [, reloaded] = pi.commands;
    expect(reloaded?.command.getArgumentCompletions("p").map(({ value }) => value)).toEqual(["pause"]);
    expect(await pi.type("what")).toContain("/patchbay pause");
  });

  it("asks nothing while its user has paused reviews, and tells of its turns all the same", async () => {
    const { editor, companion, pi } = await startBoth();
    expect(await pi.type("pause")).toContain("Reviews are paused");
    expect(pi.footer).toBe("Patchbay: Memory Editor · reviews paused");
    expect(await pi.call("write", { path: "file.txt", content: "new\n" })).toBeUndefined();
    expect(editor.views).toEqual([]);
    expect(companion.activities).toMatchObject([{ agent: "pi", state: "working" }]);
    expect(await pi.type("review")).toBe("Connected to Memory Editor.");
    void pi.call("write", { path: "file.txt", content: "new\n" });
    const view = await editor.nextView();
    await expect.poll(() => pi.footer).toContain("review file.txt");
    expect(await pi.type(" status ")).toBe("Connected to Memory Editor. Waiting for your review there: file.txt");
    view.reject();
    await pi.type("pause");
    // A session begins with reviews.
    await pi.emit("session_start", { reason: "new" });
    void pi.call("write", { path: "file.txt", content: "new\n" });
    (await editor.nextView()).reject();
  });

  it("brings up in the editor what waits there", async () => {
    const { editor, companion, pi } = await startBoth();
    void pi.call("write", { path: "file.txt", content: "new\n" });
    const view = await editor.nextView();
    const [{ id } = { id: "" }] = companion.proposals;
    expect(await companion.hold(id)).toBe(true);
    await pi.type("review");
    (await editor.nextView((other) => other !== view)).reject();
  });

  it("reads with a prompt what is open in the editor, if that has changed", async () => {
    const { editor, pi, platform } = await startBoth();
    const read = async (): Promise<string> => JSON.stringify(await pi.emit("before_agent_start", { prompt: "Do it." }));
    expect(await read()).toBe("[]");
    const path = join(platform.workspace, "file.txt");
    writeFileSync(path, "one\ntwo\n");
    editor.openFile(path);
    expect(await read()).toContain("In front: ");
    expect(await read()).toBe("[]");
    editor.select({ start: { line: 1, character: 0 }, end: { line: 2, character: 0 } });
    expect(await read()).toContain("two");
  });

  it("is known to be at work, by its own process", async () => {
    const { companion, pi } = await startBoth();
    await pi.emit("before_agent_start", { prompt: "Rename it." });
    expect(companion.activities).toMatchObject([{ agent: "pi", state: "working", title: "Rename it." }]);
    expect(companion.activities[0]?.processes).toContain(process.pid);
    await pi.emit("agent_end", {});
    expect(companion.activities).toMatchObject([{ agent: "pi", state: "idle" }]);
    await pi.emit("session_shutdown", {});
    expect(companion.activities).toMatchObject([{ agent: "pi", state: "ended" }]);
  });

  it("finds the editor by a record that nobody else can read", async () => {
    const { companion, platform } = await startBoth();
    const { state } = companion;
    const port = state.kind === "listening" ? state.port : 0;
    const record: unknown = JSON.parse(readFileSync(join(platform.home, ".patchbay", "pi", `${port}.lock`), "utf8"));
    expect(record).toMatchObject({ workspaceFolders: [platform.workspace], pid: expect.any(Number) });
  });
});
