import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AgentId, agentOf } from "../../src/agents/catalogue.ts";
import type { PatchbayInAgent } from "../../src/agents/hook.ts";
import { attachOpenCode, type OpenCodeHooks } from "../../src/agents/opencode-family/plugin.ts";
import { runHook } from "../../src/hook-client/run-hook.ts";
import { createHookLab, type HookLab } from "./hook-lab.ts";

interface Input {
  filePath?: string;
  [name: string]: unknown;
}

/** The agent's process as its plugins see it: tools of one answer run at once, and each plugin is told of everything. */
class OpenCodeProcess {
  readonly plugins: OpenCodeHooks[] = [];
  readonly replies: unknown[] = [];
  readonly asked: Readonly<Record<string, unknown>>[] = [];
  readonly host: object;

  constructor(directory: string) {
    const post = async (reply: unknown): Promise<void> => void this.replies.push(reply);
    // A method of the client's class.
    this.host = { directory, client: Object.create({ postSessionIdPermissionsPermissionId: post }) as unknown };
  }

  async event(type: string, properties: object): Promise<void> {
    for (const { event } of this.plugins) await event({ event: { id: "e1", type, properties } });
  }

  /** What the model reads where the tool does not run; undefined: it runs. */
  async before(tool: string, args: Input, callID = "c1", sessionID = "s1"): Promise<string | undefined> {
    try {
      for (const one of this.plugins) await one["tool.execute.before"]({ tool, sessionID, callID }, { args });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** What the model reads of a tool that has run. */
  async after(tool: string, args: Input, callID = "c1", sessionID = "s1"): Promise<string> {
    const output = { title: "", output: "Done.", metadata: {} };
    for (const one of this.plugins) await one["tool.execute.after"]({ tool, sessionID, callID, args }, output);
    return output.output;
  }

  async prompt(text: string, sessionID = "s1"): Promise<readonly unknown[]> {
    const parts: unknown[] = [{ id: "prt_1", messageID: "msg_1", sessionID, type: "text", text }];
    for (const one of this.plugins) await one["chat.message"]({ sessionID }, { message: {}, parts });
    return parts.slice(1);
  }
}

function attach(agent: OpenCodeProcess, { platform }: Pick<HookLab, "platform">, id: AgentId = "opencode"): void {
  const patchbay: PatchbayInAgent = {
    ask: (event, patience) => {
      agent.asked.push(event);
      const question = { platform, dialect: agentOf(id), event: JSON.stringify(event), cwd: platform.workspace };
      return runHook({ ...question, ...patience });
    },
    editorOf: () => Promise.resolve(undefined),
  };
  agent.plugins.push(attachOpenCode(agent.host, patchbay));
}

async function startBoth(id: AgentId = "opencode") {
  const lab = await createHookLab();
  const agent = new OpenCodeProcess(lab.platform.workspace);
  attach(agent, lab, id);
  return { ...lab, agent, file: join(lab.platform.workspace, "file.txt") };
}

describe.each(["opencode", "kilo"] as const)("%s with our plugin", (id) => {
  it("waits for the user, goes on with its own arguments when they accept, and asks nothing more", async () => {
    const { agent, companion, editor, file } = await startBoth(id);
    const args = { filePath: file, content: "new\n" };
    const answer = agent.before("write", args);
    const view = await editor.nextView();
    expect(view.text).toBe("new\n");
    expect(companion.proposals).toMatchObject([{ agentName: agentOf(id).agentName }]);
    view.accept();
    expect(await answer).toBeUndefined();
    expect(args).toEqual({ filePath: file, content: "new\n" });
    const question = { id: "per_1", sessionID: "s1", permission: "edit", tool: { callID: "c1" } };
    await agent.event("permission.asked", { ...question, permission: "external_directory" });
    await agent.event("permission.asked", { ...question, tool: { callID: "c9" } });
    expect(agent.replies).toEqual([]);
    await agent.event("permission.asked", question);
    expect(agent.replies).toEqual([{ path: { id: "s1", permissionID: "per_1" }, body: { response: "once" } }]);
    expect(await agent.after("write", args)).toBe("Done.");
    await agent.event("permission.asked", question);
    expect(agent.replies).toHaveLength(1);
  });
});

describe("opencode with our plugin", () => {
  it("writes what the user made of an edit, and tells the model once", async () => {
    const { agent, editor, file } = await startBoth();
    writeFileSync(file, "\ufeffone\r\ntwo\r\n");
    const args = { filePath: "file.txt", oldString: "two", newString: "2", stray: true };
    const answer = agent.before("edit", args);
    const view = await editor.nextView();
    view.type("one\r\n2\r\nby me\r\n");
    view.accept();
    expect(await answer).toBeUndefined();
    expect(args).toMatchObject({ filePath: "file.txt", oldString: "two", newString: "2\nby me" });
    expect(await agent.after("edit", args)).toMatch(/^Done\.\n\nThe user reviewed [^]*changed it: [^]*\n2\nby me$/u);
    expect(await agent.after("edit", args)).toBe("Done.");
  });

  it("writes what the user made of a whole file, and of a patch", async () => {
    const { agent, editor, file } = await startBoth();
    const write: Input = { filePath: file, content: "new\n" };
    const first = agent.before("write", write, "c1");
    const view = await editor.nextView();
    view.type("mine\n");
    view.accept();
    expect(await first).toBeUndefined();
    expect(write["content"]).toBe("mine\n");
    await agent.after("write", write, "c1");
    writeFileSync(file, "one\ntwo\nthree\n");
    const patch: Input = { patchText: "*** Begin Patch\n*** Update File: file.txt\n@@\n-two\n+2\n*** End Patch" };
    const second = agent.before("apply_patch", patch, "c2");
    const patchView = await editor.nextView((one) => one !== view);
    expect(patchView.text).toBe("one\n2\nthree\n");
    patchView.type("one\n2 by me\nthree\n");
    patchView.accept();
    expect(await second).toBeUndefined();
    expect(patch["patchText"]).toBe("*** Begin Patch\n*** Update File: file.txt\n@@\n-two\n+2 by me\n*** End Patch");
  });

  it.each([
    ["+", ""],
    ["+new", "new\n"],
    ["+new\n+", "new\n"],
    ["+new\n+\n+", "new\n\n"],
  ])("shows what %j in a patch makes of a new file, and writes the user's own empty lines", async (added, text) => {
    const { agent, editor } = await startBoth();
    const patch: Input = { patchText: `*** Begin Patch\n*** Add File: new.txt\n${added}\n*** End Patch` };
    const answer = agent.before("apply_patch", patch);
    const view = await editor.nextView();
    expect(view.text).toBe(text);
    view.type("mine\n\n\n");
    view.accept();
    expect(await answer).toBeUndefined();
    expect(patch["patchText"]).toBe("*** Begin Patch\n*** Add File: new.txt\n+mine\n+\n+\n+\n*** End Patch");
  });

  it("does not write what the user rejects, and its model reads why", async () => {
    const { agent, editor, file } = await startBoth();
    const answer = agent.before("write", { filePath: file, content: "new\n" });
    (await editor.nextView()).reject();
    expect(await answer).toContain("rejected it");
    await agent.event("permission.asked", { id: "p", sessionID: "s1", permission: "edit", tool: { callID: "c1" } });
    expect(agent.replies).toEqual([]);
  });

  it.each([
    ["session.error", { sessionID: "s1" }],
    ["session.idle", { sessionID: "s1" }],
    ["message.part.updated", { sessionID: "s1", part: { callID: "c1", tool: "write", state: { status: "error" } } }],
  ])("withdraws the review when its user interrupts it (%s), and nothing is written", async (type, properties) => {
    const { agent, companion, editor, file } = await startBoth();
    const answer = agent.before("write", { filePath: file, content: "new\n" });
    const view = await editor.nextView();
    await agent.event(type, { ...properties, sessionID: "s2", part: { callID: "c2", state: { status: "error" } } });
    expect(companion.proposals).toHaveLength(1);
    await agent.event(type, properties);
    expect(await answer).toContain("interrupted");
    await editor.ended(view);
    expect(companion.proposals).toEqual([]);
  });

  it("asks about two edits of one answer one after the other, the second as the first leaves the file", async () => {
    const { agent, editor, file, companion } = await startBoth();
    writeFileSync(file, "one\ntwo\nthree\n");
    const first = { filePath: file, oldString: "one", newString: "1" };
    const second = { filePath: file, oldString: "three", newString: "3" };
    const answers = [agent.before("edit", first, "c1"), agent.before("edit", second, "c2")];
    const view = await editor.nextView();
    expect(companion.proposals).toHaveLength(1);
    view.type("1 by me\ntwo\nthree\n");
    view.accept();
    expect(await answers[0]).toBeUndefined();
    const next = await editor.nextView((one) => one !== view);
    expect([next.originalText, next.text]).toEqual(["1 by me\ntwo\nthree\n", "1 by me\ntwo\n3\n"]);
    next.accept();
    expect(await answers[1]).toBeUndefined();
    expect([first.newString, second.newString]).toEqual(["1 by me", "3"]);
  });

  it("asks nothing about what waits behind a review that its user interrupts", async () => {
    const { agent, editor, file } = await startBoth();
    const answers = ["c1", "c2"].map((call) => agent.before("write", { filePath: file, content: call }, call));
    const view = await editor.nextView();
    await agent.event("session.idle", { sessionID: "s1" });
    expect(await Promise.all(answers)).toEqual([expect.stringContaining("interr"), expect.stringContaining("interr")]);
    expect(editor.views.filter((one) => one !== view)).toEqual([]);
  });

  it("is told of no path or text that its tools might read in another way", async () => {
    const { agent, file } = await startBoth();
    writeFileSync(file, "one\none\n  two\n");
    const update = (...lines: readonly string[]): Input => ({
      patchText: ["*** Begin Patch", "*** Update File: file.txt", ...lines, "*** End Patch"].join("\n"),
    });
    const calls: readonly (readonly [string, Input])[] = [
      ["edit", { filePath: file, oldString: "one", newString: "1" }],
      ["edit", { filePath: file, oldString: "three", newString: "3" }],
      ["apply_patch", update("@@", "-two", "+2")],
      ["apply_patch", update("-one", "+1")],
      ["apply_patch", update("@@", "-one", "", "+1")],
      ["apply_patch", update("*** Move to: other.txt", "@@", "-one", "+1")],
    ];
    for (const [tool, args] of calls) expect(await agent.before(tool, args)).toContain("cannot be shown");
    // It refuses these.
    expect(await agent.before("edit", { filePath: file, oldString: "", newString: "1" })).toBeUndefined();
    expect(await agent.before("apply_patch", { patchText: "no patch" })).toBeUndefined();
  });

  it("asks nobody about tools that write nothing, and once where the user and the folder have a plugin each", async () => {
    const { editor, agent, file, ...lab } = await startBoth();
    attach(agent, lab);
    expect(await agent.before("read", { filePath: file })).toBeUndefined();
    expect(agent.asked).toEqual([]);
    const answer = agent.before("write", { filePath: file, content: "new\n" });
    (await editor.nextView()).accept();
    expect(await answer).toBeUndefined();
    expect(agent.asked.map(({ hook_event_name: name }) => name)).toEqual(["SessionStart", "tool.execute.before"]);
  });

  it("goes on at once where there is no editor, and whatever breaks", async () => {
    const { companion, agent, file, platform } = await startBoth();
    await companion.stop();
    expect(await agent.before("write", { filePath: file, content: "new\n" })).toBeUndefined();
    for (const ask of [() => Promise.reject(new Error("It broke.")), () => Promise.resolve("{")]) {
      const broken = new OpenCodeProcess(platform.workspace);
      broken.plugins.push(attachOpenCode(broken.host, { ask, editorOf: () => Promise.resolve(undefined) }));
      expect(await broken.before("write", { filePath: file, content: "new\n" })).toBeUndefined();
      expect(await broken.after("write", { filePath: file })).toBe("Done.");
      expect(await broken.prompt("Do it.")).toEqual([]);
      await broken.event("session.idle", { sessionID: "s1" });
    }
    attachOpenCode(undefined, { ask: () => Promise.resolve("{"), editorOf: () => Promise.resolve(undefined) });
  });

  it("is known to be at work, by its own process, and its parts by the session that its user began", async () => {
    const { companion, editor, agent, file } = await startBoth();
    await agent.prompt("Rename it.");
    await agent.event("session.created", { sessionID: "s2", info: { parentID: "s1" } });
    await agent.prompt("A part of it.", "s2");
    expect(companion.activities).toMatchObject([{ agent: "opencode", state: "working", title: "Rename it." }]);
    expect(companion.activities[0]?.processes).toContain(process.pid);
    const answer = agent.before("write", { filePath: file, content: "new\n" }, "c1", "s2");
    const view = await editor.nextView();
    expect(companion.activities).toMatchObject([{ session: "s1", state: "waiting" }]);
    view.accept();
    await answer;
    await agent.event("session.idle", { sessionID: "s2" });
    expect(companion.activities).toMatchObject([{ state: "working" }]);
    await agent.event("session.idle", { sessionID: "s1" });
    expect(companion.activities).toMatchObject([{ state: "idle" }]);
    for (const { dispose } of agent.plugins) await dispose();
    expect(companion.activities).toMatchObject([{ state: "ended" }]);
  });

  it("comes with the token of Claude Code's record, and is not taken for that", async () => {
    const { companion, platform, agent, editor, file } = await startBoth();
    const port = companion.state.kind === "listening" ? companion.state.port : 0;
    const record: unknown = JSON.parse(readFileSync(join(platform.home, ".claude", "ide", `${port}.lock`), "utf8"));
    expect(record).toMatchObject({ workspaceFolders: [platform.workspace] });
    void agent.before("write", { filePath: file, content: "new\n" });
    const view = await editor.nextView();
    expect(companion.activities).toMatchObject([{ agent: "opencode" }]);
    view.reject();
  });
});
