import { existsSync } from "node:fs";
import { PatchbayError } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { PiLab, startPi } from "./pi-lab.ts";

const red = { type: "image", mimeType: "image/png", data: "cmVk", name: "red.png" } as const;
const textOnly = { id: "blind", name: "Blind", provider: "made", input: ["text"] };

/** The file that Pi was given as an extension. */
function extensionOf(lab: PiLab): string {
  const { args } = lab.program.request;
  return args[args.indexOf("--extension") + 1] ?? "";
}

describe("the start of Pi", () => {
  it("tells what can be chosen, and takes its own file away at the end", async () => {
    const lab = await startPi();
    expect(lab.program.request.args.slice(0, 3)).toEqual(["--mode", "rpc", "--extension"]);
    expect(existsSync(extensionOf(lab))).toBe(true);
    const options = lab.updates.findLast((update) => update.type === "options")?.options ?? [];
    expect(options.map(({ id, value, values }) => [id, value, values?.map((one) => one.id)])).toEqual([
      ["mode", "ask", ["ask", "commands", "free"]],
      ["model", "made/fake", ["made/fake"]],
      ["effort", "medium", ["off", "minimal", "low", "medium", "high"]],
    ]);
    expect(lab.updates.findLast((update) => update.type === "commands")?.commands).toEqual([
      { name: "greet", description: "Greets" },
      { name: "bare", description: "" },
    ]);
    expect(lab.kind).toBe("idle");
    // Nothing was said: there is nothing to continue.
    expect(lab.updates.filter(({ type }) => type === "session")).toEqual([]);
    await lab.session.close();
    expect(lab.kind).toBe("ended");
    expect(existsSync(extensionOf(lab))).toBe(false);
  });

  it("goes on with an earlier session, or with a copy of one", async () => {
    const resumed = await startPi({ messageCount: 4 }, { start: { kind: "resume", sessionId: "earlier" } });
    expect(resumed.program.request.args.slice(-2)).toEqual(["--session", "earlier"]);
    expect(resumed.updates).toContainEqual({ type: "session", sessionId: "session-1" });
    const forked = await startPi({}, { start: { kind: "fork", sessionId: "earlier" } });
    expect(forked.program.request.args.slice(-2)).toEqual(["--fork", "earlier"]);
  });

  it("is none where Pi has not loaded what its tools ask by", async () => {
    const lab = new PiLab({ isAsking: false });
    await expect(lab.session.start()).rejects.toThrow(/has not loaded the extension by which its tools ask you/u);
    expect(await lab.prompt("Hello")).toBe("exited");
    expect(lab.told("prompt")).toEqual([]);
    expect(existsSync(extensionOf(lab))).toBe(false);
  });

  it.each(["with no model", "at its end"])("asks its user to sign in, %s", async (when) => {
    const lab = await startPi(
      when === "with no model" ? { models: [] } : { lastWords: "No models available. Use /login to log in." },
    );
    expect(lab.now).toEqual({
      kind: "signed-out",
      methods: [
        { id: "pi-login", name: "Sign in to Pi", description: "In a terminal; then try again.", command: ["/bin/pi"] },
      ],
    });
  });

  it("says why Pi has ended at once, and what to install", async () => {
    const lab = new PiLab({ lastWords: "Error: settings.json is broken" });
    await expect(lab.session.start()).rejects.toThrow(
      "Pi exited as soon as it was started: Error: settings.json is broken",
    );
    const missing = new PiLab(
      {},
      {
        launch: async () => await Promise.reject(new PatchbayError("not-installed", "Pi (pi) is not installed.")),
      },
    );
    await expect(missing.session.start()).rejects.toThrow("Pi (pi) is not installed.");
  });
});

describe("a turn of Pi", () => {
  it("streams thoughts and texts, and ends with what was used", async () => {
    const lab = await startPi();
    const { ended } = await lab.begin();
    const update = (event: object): void => lab.say({ type: "message_update", assistantMessageEvent: event });
    lab.say({ type: "message_start", message: { role: "assistant", content: [] } });
    update({ type: "thinking_start", contentIndex: 0, partial: {} });
    update({ type: "thinking_delta", contentIndex: 0, delta: "Well", partial: {} });
    update({ type: "text_delta", contentIndex: 1, delta: "Hello\u2028", partial: {} });
    update({ type: "text_delta", contentIndex: 1, delta: "there", partial: {} });
    await expect
      .poll(() => lab.entries.map((entry) => "text" in entry && entry.text))
      .toEqual(["Well", "Hello\u2028there"]);
    expect(lab.entries).toMatchObject([
      { kind: "thought", isComplete: false },
      { kind: "message", isComplete: false },
    ]);
    const content = [
      { type: "thinking", thinking: "Well" },
      { type: "text", text: "Hello\u2028there" },
    ];
    const usage = { input: 10, output: 5, cacheRead: 2, cacheWrite: 1 };
    lab.say({ type: "message_end", message: { role: "assistant", content, stopReason: "stop", usage } });
    lab.end();
    expect(await ended).toBe("done");
    expect(lab.entries).toMatchObject([
      { kind: "thought", text: "Well", isComplete: true },
      { kind: "message", text: "Hello\u2028there", isComplete: true },
      {
        kind: "turn-end",
        reason: "done",
        usage: { inputTokens: 13, outputTokens: 5, contextTokens: 30, contextSize: 1000, cost: 0.5, currency: "USD" },
        cost: 0.5,
      },
    ]);
    expect(lab.kind).toBe("idle");
    expect(lab.updates).toContainEqual({ type: "session", sessionId: "session-1" });
  });

  it("goes on where Pi tries again, and ends when that is given up", async () => {
    const lab = await startPi();
    const { ended } = await lab.begin();
    lab.message([], { stopReason: "error", errorMessage: "529 overloaded" });
    lab.say({ type: "agent_end" });
    lab.say({ type: "auto_retry_start", attempt: 1, maxAttempts: 2, delayMs: 2_000, errorMessage: "529 overloaded" });
    await expect
      .poll(() => lab.now)
      .toMatchObject({ kind: "retrying", attempt: 1, limit: 2, reason: "529 overloaded" });
    lab.say({ type: "agent_start" });
    await expect.poll(() => lab.kind).toBe("running");
    lab.message([], { stopReason: "error", errorMessage: "529 overloaded" });
    lab.say({ type: "agent_end" });
    lab.say({ type: "auto_retry_end", success: false, attempt: 1 });
    expect(await ended).toBe("failed");
    expect(lab.notices).toEqual(["error: 529 overloaded"]);
  });

  it("that has worked at the second attempt has not failed", async () => {
    const lab = await startPi();
    const { ended } = await lab.begin();
    lab.message([], { stopReason: "error", errorMessage: "terminated" });
    lab.say({ type: "agent_end" });
    lab.say({ type: "auto_retry_start", attempt: 1, delayMs: 2_000 });
    lab.say({ type: "agent_start" });
    lab.message([{ type: "text", text: "Here." }]);
    lab.say({ type: "auto_retry_end", success: true, attempt: 1 });
    lab.end();
    expect(await ended).toBe("done");
    expect(lab.notices).toEqual([]);
  });

  it("ends behind the summary that Pi makes of it, and goes on where that was in its way", async () => {
    const lab = await startPi();
    const { ended } = await lab.begin();
    lab.message([], { stopReason: "error", errorMessage: "prompt is too long" });
    lab.say({ type: "agent_end" });
    lab.say({ type: "compaction_start", reason: "overflow" });
    lab.say({ type: "compaction_end", result: { summary: "S" }, willRetry: true });
    await expect.poll(() => lab.notices).toEqual(["info: The agent has summarised the conversation up to here."]);
    expect(lab.kind).toBe("running");
    lab.say({ type: "agent_start" });
    lab.message([{ type: "text", text: "Here." }]);
    lab.say({ type: "compaction_start", reason: "threshold" });
    lab.end();
    await expect.poll(() => lab.entries.some(({ kind }) => kind === "message")).toBe(true);
    expect(lab.kind).toBe("running");
    lab.say({ type: "compaction_end", result: null, errorMessage: "There is no quota for a summary." });
    expect(await ended).toBe("done");
    expect(lab.notices).toContain("warning: There is no quota for a summary.");
  });

  it.each([
    [
      "401 Unauthorized",
      "The model service did not accept the credentials of Pi (401). Sign in again, or check its key.",
    ],
    ["The model is gone.", "The model is gone."],
  ])("says in words why it has failed: %s", async (errorMessage, words) => {
    const lab = await startPi();
    const { ended } = await lab.begin();
    lab.message([], { stopReason: "error", errorMessage });
    lab.end();
    expect(await ended).toBe("failed");
    expect(lab.notices).toEqual([`error: ${words}`]);
  });

  it("that its model cuts off says so", async () => {
    const lab = await startPi({ models: [textOnly] });
    // A model that does not think has no level of it.
    expect(lab.updates.findLast((update) => update.type === "options")?.options.map(({ id }) => id)).toEqual([
      "mode",
      "model",
    ]);
    const { ended } = await lab.begin();
    lab.message([{ type: "text", text: "And so" }], { stopReason: "length" });
    lab.end();
    expect(await ended).toBe("limit");
  });

  it("is over where Pi does not take its prompt", async () => {
    const lab = await startPi();
    lab.refusal = "No API key found for anthropic.";
    expect(await lab.prompt("Hello")).toBe("failed");
    expect(lab.notices).toEqual(["error: Pi needs you to sign in. Sign in, then try again."]);
    expect(lab.entries.find(({ kind }) => kind === "notice")).toMatchObject({ action: "sign-in" });
    lab.refusal = "The extension is broken.";
    expect(await lab.prompt("Hello")).toBe("failed");
    expect(lab.notices).toContain("error: The extension is broken.");
    expect(lab.kind).toBe("idle");
  });

  it("is over when a command of an extension has done all that there was to do", async () => {
    const lab = await startPi();
    lab.state.isStreaming = false;
    expect(await lab.prompt("/greet")).toBe("done");
    expect(lab.told("prompt")).toMatchObject([{ message: "/greet" }]);
  });

  it("is stopped, also where Pi begins with it only then", async () => {
    const lab = await startPi();
    const ended = lab.prompt("Hello");
    await expect.poll(() => lab.told("prompt").length).toBe(1);
    await lab.session.interrupt();
    expect(lab.told("abort")).toHaveLength(1);
    lab.say({ type: "agent_start" });
    await expect.poll(() => lab.told("abort").length).toBe(2);
    lab.message([], { stopReason: "aborted", errorMessage: "Request was aborted." });
    lab.end();
    expect(await ended).toBe("stopped");
    expect(lab.notices).toEqual([]);
  });

  it("is stopped while Pi waits to try again", async () => {
    const lab = await startPi();
    const { ended } = await lab.begin();
    lab.message([], { stopReason: "error", errorMessage: "529 overloaded" });
    lab.say({ type: "agent_end" });
    lab.say({ type: "auto_retry_start", attempt: 1, delayMs: 60_000 });
    await expect.poll(() => lab.kind).toBe("retrying");
    await lab.session.interrupt();
    expect(await ended).toBe("stopped");
    expect(lab.kind).toBe("idle");
  });

  it("sends what is mentioned as words, and pictures to models that see", async () => {
    const lab = await startPi();
    lab.state.isStreaming = false;
    await lab.prompt(
      "Look at",
      { type: "mention", path: "/project/a b.ts", lines: { start: 3, end: 9 } },
      { type: "excerpt", title: "b.ts 2", path: "/project/b.ts", lines: { start: 2, end: 2 }, text: "a ``` b" },
      red,
    );
    expect(lab.told("prompt")).toMatchObject([
      {
        message: 'Look at @"/project/a b.ts" (lines 3-9)\n\n/project/b.ts (line 2):\n````\na ``` b\n````\n',
        images: [{ type: "image", data: "cmVk", mimeType: "image/png" }],
      },
    ]);
    expect(lab.saved).toContain("/project/a b.ts");
    const blind = await startPi({ models: [textOnly] });
    blind.state.isStreaming = false;
    await blind.prompt("Look", red);
    expect(blind.told("prompt")).toMatchObject([{ message: "Look" }]);
    expect(blind.told("prompt")[0]).not.toHaveProperty("images");
    expect(blind.notices).toEqual(["warning: Blind does not accept images: red.png was not sent."]);
  });

  it("ends with its process, and says what that said last", async () => {
    const lab = await startPi();
    const { ended } = await lab.begin();
    const reply = await lab.asks("bash", { command: "ls" });
    await lab.question();
    lab.program.sayError("Out of memory");
    lab.program.exit({ signal: "SIGKILL" });
    expect(await ended).toBe("exited");
    expect(lab.notices).toEqual(["error: Pi was terminated (SIGKILL)."]);
    expect(lab.entries.find(({ kind }) => kind === "notice")).toMatchObject({
      detail: "Out of memory",
      action: "restart",
    });
    expect(lab.questions.map(({ outcome }) => outcome)).toEqual([{ type: "withdrawn" }]);
    expect(lab.tools.map(({ state }) => state)).toEqual(["cancelled"]);
    expect(lab.now).toEqual({ kind: "ended", reason: "Pi was terminated (SIGKILL)." });
    expect(reply()).toBeUndefined();
    await expect.poll(() => existsSync(extensionOf(lab))).toBe(false);
    expect(await lab.prompt("Again")).toBe("exited");
  });

  it("of an extension is shown as what it is", async () => {
    const lab = await startPi();
    lab.say({ type: "agent_start" });
    await expect.poll(() => lab.kind).toBe("running");
    lab.say({ type: "message_end", message: { role: "user", content: "Said by an extension" } });
    lab.say({ type: "message_end", message: { role: "custom", content: "Told beside it", display: true } });
    lab.say({ type: "message_end", message: { role: "custom", content: "Nobody's business", display: false } });
    lab.say({ type: "extension_error", extensionPath: "/x.js", event: "input", error: "It broke" });
    lab.message([{ type: "text", text: "Here." }]);
    lab.end();
    await expect.poll(() => lab.kind).toBe("idle");
    expect(lab.entries).toMatchObject([
      { kind: "prompt", blocks: [{ type: "text", text: "Said by an extension" }] },
      { kind: "notice", text: "Also sent:", detail: "Told beside it" },
      { kind: "notice", text: "An extension of Pi has failed.", detail: "It broke" },
      { kind: "message", text: "Here." },
    ]);
  });
});

describe("a choice", () => {
  it("is made in Pi, and shows what that makes of it", async () => {
    const lab = await startPi();
    await lab.session.setOption("effort", "high");
    await lab.session.setOption("model", "made/fake");
    expect(lab.told("set_thinking_level")).toMatchObject([{ level: "high" }]);
    expect(lab.told("set_model")).toMatchObject([{ provider: "made", modelId: "fake" }]);
    await expect(lab.session.setOption("model", "made/none")).rejects.toThrow("Pi does not offer this.");
    lab.say({ type: "thinking_level_changed", level: "low" });
    const effort = (): unknown =>
      lab.updates.findLast((update) => update.type === "options")?.options.find(({ id }) => id === "effort")?.value;
    await expect.poll(effort).toBe("low");
    await lab.session.rename("A name");
    expect(lab.told("set_session_name")).toMatchObject([{ name: "A name" }]);
  });
});
