import { AcpAgent, AcpError } from "@patchbay/testkit";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { profileFor } from "../../src/acp/profiles.ts";
import { outputLimit, type PromptBlock } from "../../src/model/index.ts";
import { cleanLabs, geminiLab, labWith, qwenLab, type SessionLab } from "./session-lab.ts";

afterEach(cleanLabs);

const chunk = (text: string, more: object = {}) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...more,
});

const texts = (lab: SessionLab): readonly string[] =>
  lab.entries().flatMap((entry) => (entry.kind === "message" ? [entry.text] : []));

describe("what an agent tells", () => {
  it("is taken as far as it can be understood", async () => {
    const lab = qwenLab();
    await lab.session.start();
    lab.agent.play(({ agent, update }) => {
      agent.notify("qwen/notify/session/prompt-suggestion", { suggestion: "More" });
      agent.notify("session/update", "nonsense");
      agent.notify("session/update", { sessionId: "another", update: chunk("not ours") });
      update({ sessionUpdate: "from_the_future" });
      update({ sessionUpdate: "tool_call" });
      update({
        sessionUpdate: "tool_call",
        toolCallId: "t",
        kind: "teleport",
        title: null,
        locations: [{ path: 1 }, { path: "/a", line: null }],
      });
      update(chunk("Understood."));
    });
    expect(await lab.prompt("Go")).toBe("done");
    expect(texts(lab)).toEqual(["Understood."]);
    expect(lab.tools()).toMatchObject([{ tool: "other", title: "other", locations: [{ path: "/a" }] }]);
  });

  it("knows that the diffs of Codex are parts: an undo must not take one for the whole file", async () => {
    const lab = labWith(new AcpAgent(), profileFor({ id: "codex", command: "/opt/bin/codex-acp" }));
    lab.agent.answers("initialize", () => ({ protocolVersion: 1 }));
    lab.agent.answers("session/new", () => ({ sessionId: "s" }));
    await lab.session.start();
    lab.agent.answers("session/prompt", () => {
      const content = [{ type: "diff", path: "/w/a.txt", oldText: "two\nthree\n", newText: "two\n3\n" }];
      const call = { toolCallId: "t", title: "Editing files", kind: "edit", status: "completed", content };
      lab.agent.notify("session/update", { sessionId: "s", update: { sessionUpdate: "tool_call", ...call } });
      return { stopReason: "end_turn" };
    });
    await lab.prompt("Go");
    expect(lab.tools()).toMatchObject([{ changes: [{ before: "two\nthree\n", after: "two\n3\n", isFragment: true }] }]);
  });

  it("begins a new message with another id, or without ids after a tool; empty pieces show nothing", async () => {
    const lab = qwenLab();
    await lab.session.start();
    lab.agent.play(({ update, say }) => {
      update(chunk("One, ", { messageId: "1" }));
      update(chunk("still one.", { messageId: "1" }));
      update(chunk("Two.", { messageId: "2" }));
      update({ sessionUpdate: "tool_call", toolCallId: "t", status: "completed", title: "Read", kind: "read" });
      say("Three.");
      say("");
    });
    await lab.prompt("Go");
    expect(texts(lab)).toEqual(["One, still one.", "Two.", "Three."]);
  });

  it("is upserted by the id of the call, whichever message comes first; ids of another turn are of other calls", async () => {
    const lab = geminiLab();
    await lab.session.start();
    const call = { toolCallId: "replace__1", title: "a.txt", kind: "edit" };
    for (let turn = 0; turn < 2; turn += 1) {
      lab.agent.play(({ update }) => {
        update({ sessionUpdate: "tool_call_update", toolCallId: "early", status: "in_progress" });
        update({
          sessionUpdate: "tool_call",
          toolCallId: "early",
          title: "Late title",
          kind: "search",
          status: "in_progress",
        });
        update({ sessionUpdate: "tool_call", ...call, status: "in_progress" });
        update({ sessionUpdate: "tool_call_update", toolCallId: "replace__1", status: "completed" });
      });
      await lab.prompt("Go");
    }
    expect(lab.tools().map(({ title, name, state }) => [title, name, state])).toEqual([
      ["Late title", "search", "done"],
      ["a.txt", "replace", "done"],
      ["Late title", "search", "done"],
      ["a.txt", "replace", "done"],
    ]);
    expect(new Set(lab.tools().map(({ id }) => id)).size).toBe(4);
  });

  it("streams the output of an agent's own terminal, and keeps its end", async () => {
    const lab = geminiLab();
    await lab.session.start();
    const half = "x".repeat(outputLimit / 2);
    lab.agent.play(({ update }) => {
      const content = [{ type: "terminal", terminalId: "1" }];
      update({
        sessionUpdate: "tool_call",
        toolCallId: "t",
        kind: "execute",
        title: "make",
        status: "in_progress",
        content,
      });
      for (const data of ["begin\n", half, half]) {
        update({
          sessionUpdate: "tool_call_update",
          toolCallId: "t",
          _meta: { terminal_output_delta: { terminal_id: "1", data } },
        });
      }
    });
    await lab.prompt("Go");
    expect(lab.updates.filter(({ type }) => type === "append")).toHaveLength(3);
    expect(lab.tools()[0]?.output).toHaveLength(outputLimit);
  });

  it("appends output that grows, instead of telling all of it again", async () => {
    const lab = qwenLab();
    await lab.session.start();
    const call = {
      sessionUpdate: "tool_call_update",
      toolCallId: "t",
      kind: "execute",
      title: "make",
      status: "in_progress",
    };
    const output = (text: string) => ({ content: [{ type: "content", content: { type: "text", text } }] });
    lab.agent.play(({ update }) => {
      for (const text of ["1\n", "1\n2\n", "1\n2\n", "1\n2\n3\n"]) update({ ...call, ...output(text) });
    });
    await lab.prompt("Go");
    expect(lab.updates.flatMap((update) => (update.type === "append" ? [update.text] : []))).toEqual(["2\n", "3\n"]);
  });

  it("is a plan, commands, a title and what was used", async () => {
    const lab = geminiLab();
    await lab.session.start();
    lab.agent.play(({ update }) => {
      update({
        sessionUpdate: "plan",
        entries: [
          { content: "A", status: "completed" },
          { content: "B", status: "in_progress" },
        ],
      });
      update({
        sessionUpdate: "available_commands_update",
        availableCommands: [
          { name: "memory show", description: "Shows it" },
          { name: "init", description: "Begins", input: { hint: "[path]" } },
        ],
      });
      update({ sessionUpdate: "session_info_update", title: "About A" });
      update({ sessionUpdate: "usage_update", used: 1_000, size: 200_000, cost: { amount: 0.5, currency: "USD" } });
      return { stopReason: "end_turn", _meta: { quota: { token_count: { input_tokens: 20, output_tokens: 10 } } } };
    });
    await lab.prompt("Go");
    expect(lab.entries()).toMatchObject([
      {
        kind: "plan",
        steps: [
          { text: "A", state: "done" },
          { text: "B", state: "running" },
        ],
      },
      { kind: "turn-end", reason: "done", usage: { inputTokens: 20, outputTokens: 10 } },
    ]);
    expect(lab.updates).toContainEqual({
      type: "commands",
      commands: [
        { name: "memory show", description: "Shows it" },
        { name: "init", description: "Begins", argumentHint: "[path]" },
      ],
    });
    expect(lab.updates).toContainEqual({ type: "title", title: "About A" });
    expect(lab.updates.findLast(({ type }) => type === "usage")).toEqual({
      type: "usage",
      usage: {
        contextTokens: 1_000,
        contextSize: 200_000,
        cost: 0.5,
        currency: "USD",
        inputTokens: 20,
        outputTokens: 10,
      },
    });
  });

  it("adds up what the requests of a turn used, and takes the last one's for the context", async () => {
    const lab = qwenLab();
    await lab.session.start();
    lab.agent.play(({ update }) => {
      update(chunk("", { _meta: { usage: { inputTokens: 10, outputTokens: 5 } } }));
      update(chunk("", { _meta: { usage: { inputTokens: 20, outputTokens: 5 } } }));
    });
    await lab.prompt("Go");
    expect(lab.entries()).toMatchObject([{ kind: "turn-end", usage: { inputTokens: 30, outputTokens: 10 } }]);
    expect(lab.updates.findLast(({ type }) => type === "usage")).toMatchObject({
      usage: { contextTokens: 25, contextSize: 200_000 },
    });
  });
});

describe("options", () => {
  it("come from modes and models, and say which mode does not ask", async () => {
    const lab = geminiLab();
    await lab.session.start();
    expect(lab.updates.findLast(({ type }) => type === "options")).toMatchObject({
      options: [
        {
          id: "mode",
          category: "mode",
          value: "default",
          values: [
            { id: "default", asks: "always" },
            { id: "autoEdit", asks: "sometimes" },
            { id: "yolo", asks: "never" },
            { id: "plan" },
          ],
        },
        { id: "model", category: "model", value: "auto" },
      ],
    });
    await lab.session.setOption("mode", "autoEdit");
    await lab.session.setOption("model", "gemini-2.5-pro");
    expect(lab.agent.saidBy("session/set_mode")).toEqual([{ sessionId: lab.agent.sessionId, modeId: "autoEdit" }]);
    expect(lab.agent.saidBy("session/set_model")).toMatchObject([{ modelId: "gemini-2.5-pro" }]);
    expect(lab.updates.at(-1)).toMatchObject({ options: [{ value: "autoEdit" }, { value: "gemini-2.5-pro" }] });
  });

  it("of the newer kind count more than modes and models", async () => {
    const lab = qwenLab();
    lab.agent.answers("session/set_config_option", () => ({
      configOptions: [
        {
          id: "mode",
          category: "mode",
          currentValue: "yolo",
          options: [{ group: "g", name: "G", options: [{ value: "yolo", name: "YOLO" }] }],
        },
        {
          id: "thinking",
          name: "Thinking",
          category: "thought_level",
          currentValue: "high",
          options: [{ value: "high", name: "High" }],
        },
        { id: "fast", name: "Fast", currentValue: false },
        { id: "broken" },
      ],
    }));
    await lab.session.start();
    await lab.session.setOption("mode", "yolo");
    expect(lab.agent.saidBy("session/set_config_option")).toMatchObject([{ configId: "mode", value: "yolo" }]);
    expect(lab.updates.at(-1)).toEqual({
      type: "options",
      options: [
        {
          id: "model",
          category: "model",
          name: "Model",
          value: "fake-model",
          values: [{ id: "fake-model", name: "fake-model" }],
        },
        {
          id: "mode",
          category: "mode",
          name: "mode",
          value: "yolo",
          values: [{ id: "yolo", name: "YOLO", asks: "never" }],
        },
        { id: "thinking", category: "effort", name: "Thinking", value: "high", values: [{ id: "high", name: "High" }] },
        { id: "fast", category: "other", name: "Fast", value: false },
      ],
    });
    await lab.session.setOption("fast", true);
    expect(lab.agent.saidBy("session/set_config_option").at(-1)).toMatchObject({ value: true, type: "boolean" });
  });

  it("follow the agent, whose own words about its mode are not shown", async () => {
    const lab = geminiLab();
    await lab.session.start();
    lab.agent.play(({ say, update }) => {
      say("[MODE_UPDATE] yolo");
      update({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
    });
    await lab.prompt("Go");
    const modes = lab.updates.flatMap((update) => (update.type === "options" ? [update.options[0]?.value] : []));
    expect(modes).toEqual(["default", "yolo", "plan"]);
    expect(texts(lab)).toEqual([]);
  });

  it("that the agent refuses are refused with its words", async () => {
    const lab = geminiLab();
    lab.agent.answers("session/set_mode", () => {
      throw new AcpError(-32_603, "Internal error", { details: "Invalid or unavailable mode: x" });
    });
    await lab.session.start();
    await expect(lab.session.setOption("mode", "x")).rejects.toThrow(
      "Gemini CLI refused: Invalid or unavailable mode: x",
    );
    await expect(lab.session.setOption("nothing", "x")).rejects.toThrow("Gemini CLI does not offer this option now.");
  });
});

describe("a prompt", () => {
  const blocks: readonly PromptBlock[] = [
    { type: "mention", path: "/w/a b.ts", lines: { start: 3, end: 9 } },
    { type: "excerpt", title: "Problems", text: "no ```fences``` here" },
    { type: "excerpt", title: "b.ts", path: "/w/b.ts", lines: { start: 2, end: 2 }, text: "x" },
    { type: "image", mimeType: "image/png", data: "AAAA", name: "shot.png" },
  ];

  it("is sent in the blocks that the agent takes; what is mentioned is saved first", async () => {
    const lab = geminiLab();
    await lab.session.start();
    let sent: readonly unknown[] = [];
    lab.agent.play(({ prompt }) => void (sent = prompt));
    await lab.prompt("Look:", ...blocks);
    expect(lab.host.saved).toEqual(["/w/a b.ts"]);
    expect(sent).toEqual([
      { type: "text", text: "Look:" },
      { type: "resource_link", uri: "file:///w/a b.ts", name: "a b.ts" },
      { type: "text", text: " (lines 3-9)" },
      {
        type: "resource",
        resource: { uri: "patchbay:Problems", mimeType: "text/plain", text: "no ```fences``` here" },
      },
      { type: "resource", resource: { uri: "file:///w/b.ts#L2-L2", mimeType: "text/plain", text: "x" } },
      { type: "image", mimeType: "image/png", data: "AAAA" },
    ]);
  });

  it("is plain text for an agent that takes nothing else, and says what was left out", async () => {
    const lab = geminiLab();
    const cautious = labWith(lab.agent, profileFor({ id: "any", name: "Any Agent", command: "any" }));
    lab.agent.answers("initialize", () => ({ protocolVersion: 1 }));
    await cautious.session.start();
    let sent: readonly unknown[] = [];
    lab.agent.play(({ prompt }) => void (sent = prompt));
    await cautious.prompt("Look:", ...blocks);
    expect(sent).toEqual([
      { type: "text", text: "Look:" },
      { type: "resource_link", uri: pathToFileURL("/w/a b.ts").href, name: "a b.ts" },
      { type: "text", text: " (lines 3-9)" },
      { type: "text", text: "Problems:\n````\nno ```fences``` here\n````\n" },
      { type: "text", text: "/w/b.ts (line 2):\n```\nx\n```\n" },
    ]);
    expect(cautious.entries()).toMatchObject([
      { kind: "notice", level: "warning", text: "Any Agent does not accept images: shot.png was not sent." },
    ]);
  });

  it.each([
    ["cancelled", "stopped"],
    ["refusal", "refused"],
    ["max_tokens", "limit"],
    ["max_turn_requests", "limit"],
    ["something_new", "done"],
  ])("ends by the agent's reason: %s", async (reason, expected) => {
    const lab = geminiLab();
    await lab.session.start();
    lab.agent.play(() => reason);
    expect(await lab.prompt("Go")).toBe(expected);
  });
});
