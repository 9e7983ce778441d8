import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { createNodeChildren } from "../../src/process/node-children.ts";
import { describe, expect, it } from "vitest";
import { ClaudeLab, startClaude } from "./claude-lab.ts";

const file = "/project/src/a.ts";
const acceptEdits = { type: "setMode", mode: "acceptEdits", destination: "session" };

describe("a session of Claude Code", () => {
  it("is started so that it asks, with an id of its own and the way back", async () => {
    const { claude, updates, session } = await startClaude();
    const { args, environment, sessionId } = claude.process;
    expect(args.join(" ")).toMatch(
      /--permission-prompt-tool stdio .*--permission-mode default --session-id [-0-9a-f]{36}$/u,
    );
    expect(environment).toMatchObject({ CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" });
    expect(updates).toContainEqual({ type: "session", sessionId });
    expect(updates.at(-1)).toEqual({ type: "state", state: { kind: "idle" } });
    expect(session.capabilities).toMatchObject({ editableChanges: true, rewind: true });
  });

  it("offers modes, models and efforts, and the commands of the program", async () => {
    const { options, updates } = await startClaude();
    expect(options.map(({ id, value, values }) => [id, value, values?.map((one) => one.id)])).toEqual([
      ["mode", "default", ["default", "acceptEdits", "plan", "auto"]],
      ["model", "default", ["default", "small"]],
      ["effort", "medium", ["low", "medium", "high"]],
    ]);
    expect(updates).toContainEqual({
      type: "commands",
      commands: [{ name: "context", description: "Shows what the context holds" }],
    });
  });

  it("never tells what settings hold besides", async () => {
    const { updates, logged } = await startClaude();
    expect(JSON.stringify([updates, logged])).not.toContain("not for anybody");
  });

  it("streams what is said, thoughts and all, each as one entry that is whole at the end", async () => {
    const lab = await startClaude();
    lab.claude.play((turn) => {
      turn.thinks("Let me ", "think.");
      turn.says("Hello ", "**there**.");
    });
    expect(await lab.say("hi")).toBe("done");
    expect(lab.updates.filter(({ type }) => type === "append")).toHaveLength(4);
    expect(lab.entries.map((entry) => ("text" in entry ? [entry.kind, entry.text] : entry.kind))).toEqual([
      ["thought", "Let me think."],
      ["message", "Hello **there**."],
      "turn-end",
    ]);
    expect(lab.entries.every((entry) => !("isComplete" in entry) || entry.isComplete)).toBe(true);
    expect(lab.claude.process.prompts).toEqual([[{ type: "text", text: "hi" }]]);
  });

  it("tells at the end of a turn what was used", async () => {
    const lab = await startClaude();
    await lab.say("hi");
    expect(lab.entries.at(-1)).toMatchObject({
      kind: "turn-end",
      id: "end-prompt-1",
      reason: "done",
      durationMs: 100,
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        contextTokens: 11,
        contextSize: 1_000_000,
        cost: 0.5,
        currency: "USD",
      },
      cost: 0.5,
    });
    expect(lab.states).toEqual(["starting", "idle", "running", "idle"]);
  });

  it("tells of each turn what it has cost and used alone, also of one that came to nothing", async () => {
    const lab = await startClaude();
    lab.claude.play(
      (turn) => turn.says("One."),
      (turn) => turn.says("Two."),
      (turn) => turn.fails("overloaded_error", "API Error: 529 Overloaded"),
    );
    for (const prompt of ["one", "two", "three"]) await lab.say(prompt);
    const ends = lab.entries.filter((entry) => entry.kind === "turn-end");
    expect(ends.map(({ cost, usage }) => [cost, usage?.cost, usage?.outputTokens])).toEqual([
      [0.5, 0.5, 5],
      [0.5, 1, 5],
      [undefined, 1, undefined],
    ]);
  });

  it("does not guess what the first turn of a session has cost that goes on from an earlier one", async () => {
    const lab = await startClaude({ sessions: ["earlier"] }, { start: { kind: "resume", sessionId: "earlier" } });
    for (const prompt of ["one", "two"]) await lab.say(prompt);
    const ends = lab.entries.filter((entry) => entry.kind === "turn-end");
    expect(ends.map(({ cost }) => cost)).toEqual([undefined, 0.5]);
  });

  it("does not end a prompt's turn with a turn that began by itself", async () => {
    const lab = await startClaude();
    await lab.claude.process.runOwnTurn((turn) => turn.says("The subagent has finished."));
    await expect.poll(() => lab.states).toEqual(["starting", "idle", "running", "idle"]);
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((resolve) => (gate.open = resolve));
    const own = lab.claude.process.runOwnTurn(async () => await opened);
    await expect.poll(() => lab.state?.kind).toBe("running");
    const prompted = lab.say("meanwhile");
    await expect.poll(() => lab.claude.process.prompts.length).toBe(1);
    gate.open?.();
    expect(await prompted).toBe("done");
    await own;
    const ends = lab.entries.filter(({ kind }) => kind === "turn-end");
    expect(ends.map(({ id }) => id === "end-prompt-1")).toEqual([false, false, true]);
    expect(lab.state?.kind).toBe("idle");
  });

  it("stops a prompt with which the program has not begun when it does", async () => {
    const lab = await startClaude();
    const own = lab.claude.process.runOwnTurn(async (turn) => await turn.waits());
    await expect.poll(() => lab.state?.kind).toBe("running");
    lab.claude.play(async (turn) => await turn.waits());
    const prompted = lab.say("meanwhile");
    await expect.poll(() => lab.claude.process.prompts.length).toBe(1);
    await lab.session.interrupt();
    expect(await prompted).toBe("stopped");
    await own;
  });

  it("asks before a file is written, and writes what the user accepts", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => {
      await turn.uses("Write", { file_path: file, content: "one\ntwo\n" }, { suggestions: [acceptEdits] });
    });
    const prompted = lab.say("write");
    const { id, question } = await lab.question();
    expect(lab.state?.kind).toBe("waiting");
    expect(lab.tools.at(-1)?.state).toBe("waiting");
    expect(question).toEqual({
      type: "permission",
      toolId: "toolu_1",
      title: `Write ${join("src", "a.ts")}`,
      change: { path: file, after: "one\ntwo\n", isEditable: true },
      choices: [
        { id: "allow", name: "Yes", kind: "allow-once" },
        {
          id: "always-0",
          name: "Yes, and switch to “Edit freely” for this session. Changes files without asking, also by commands such as rm; asks for other commands.",
          kind: "allow-always",
          rule: "Changes files without asking, also by commands such as rm; asks for other commands.",
        },
        { id: "reject", name: "No", kind: "reject-once" },
      ],
    });
    expect(lab.session.answer(id, { type: "choice", choiceId: "allow" })).toBe(true);
    expect(lab.session.answer(id, { type: "choice", choiceId: "allow" })).toBe(false);
    expect(await lab.pass(prompted)).toBe("done");
    expect(lab.claude.files.get(file)).toBe("one\ntwo\n");
    expect(lab.tools).toMatchObject([
      { id: "toolu_1", name: "Write", tool: "edit", state: "done", changes: [{ path: file, after: "one\ntwo\n" }] },
    ]);
    expect(lab.questions).toMatchObject([{ outcome: { type: "answered", summary: "Yes", isAllowed: true } }]);
    expect(lab.updates).toContainEqual({ type: "file-changed", path: file, toolId: "toolu_1", isAsked: true });
    expect(lab.claude.process.contexts).toEqual([]);
  });

  it("asks also where the file cannot be read in time, and says of it no more than it knows", async () => {
    const lab = await startClaude();
    lab.host.areFilesStuck = true;
    lab.claude.play(async (turn) => void (await turn.uses("Write", { file_path: file, content: "one\n" })));
    const prompted = lab.say("write");
    await expect
      .poll(async () => {
        await lab.clock.advanceAsync(200);
        return lab.questions.length;
      })
      .toBe(1);
    const { id, question } = await lab.question();
    expect(question).toMatchObject({
      change: { path: file, after: "one\n", isFragment: true, isEditable: false },
    });
    lab.session.answer(id, { type: "choice", choiceId: "allow" });
    expect(await lab.pass(prompted)).toBe("done");
  });

  it("writes what the user made of it, and tells the model", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => {
      await turn.uses("Write", { file_path: file, content: "one\n" });
      await turn.uses("Edit", { file_path: file, old_string: "mine", new_string: "its", replace_all: true });
    });
    const prompted = lab.say("write");
    lab.session.answer((await lab.question()).id, { type: "choice", choiceId: "allow", text: "mine\nmine\n" });
    await expect.poll(() => lab.questions.length === 1 && lab.tools[0]?.state).toBe("running");
    const second = lab.pass(lab.question());
    const { id, question } = await second;
    expect(question).toMatchObject({ change: { before: "mine\nmine\n", after: "its\nits\n", isEditable: true } });
    lab.session.answer(id, { type: "choice", choiceId: "allow", text: "its\nmine\n" });
    expect(await lab.pass(prompted)).toBe("done");
    expect(lab.claude.files.get(file)).toBe("its\nmine\n");
    expect(lab.claude.process.contexts).toEqual([
      expect.stringContaining(
        "This edit was changed before it was accepted, by the user or because the file had changed. Do not undo that. The file now reads:\nmine\nmine\n",
      ),
      expect.stringContaining("The file now reads:\nits\nmine\n"),
    ]);
    expect(lab.questions[1]).toMatchObject({ outcome: { isEdited: true } });
  });

  it("replaces the file as it is when the user answers, not as it was when they were asked", async () => {
    const lab = await startClaude();
    lab.claude.files.set(file, "one\ntwo\nthree\n");
    lab.claude.play(async (turn) => {
      await turn.uses("Edit", { file_path: file, old_string: "one", new_string: "1" });
    });
    const prompted = lab.say("edit");
    const { id } = await lab.question();
    // The review has merged it into what the user accepts.
    lab.claude.files.set(file, "one\ntwo\nthree\nfour\n");
    lab.session.answer(id, { type: "choice", choiceId: "allow", text: "1!\ntwo\nthree\nfour\n" });
    expect(await lab.pass(prompted)).toBe("done");
    expect(lab.claude.files.get(file)).toBe("1!\ntwo\nthree\nfour\n");
    expect(lab.host.saved.filter((path) => path === file)).toHaveLength(2);
  });

  it("says an edit without the byte order mark, which Claude Code does not see", async () => {
    const lab = await startClaude();
    lab.claude.files.set(file, "\uFEFFone\ntwo\n");
    lab.claude.play(async (turn) => {
      await turn.uses("Edit", { file_path: file, old_string: "one", new_string: "1" });
    });
    const prompted = lab.say("edit");
    const { id, question } = await lab.question();
    expect(question).toMatchObject({ change: { before: "\uFEFFone\ntwo\n", after: "\uFEFF1\ntwo\n" } });
    lab.session.answer(id, { type: "choice", choiceId: "allow", text: "\uFEFF1\n2\n" });
    expect(await lab.pass(prompted)).toBe("done");
    expect(lab.claude.files.get(file)).toBe("\uFEFF1\n2\n");
  });

  it("keeps line ends of a file that is edited", async () => {
    const lab = await startClaude();
    lab.claude.files.set(file, "one\r\ntwo\r\n");
    let edited: unknown;
    lab.claude.play(async (turn) => {
      await turn.uses("Edit", { file_path: file, old_string: "one\ntwo", new_string: "1\n2" });
      edited = "tried";
    });
    const prompted = lab.say("edit");
    const { id, question } = await lab.question();
    expect(question).toMatchObject({ change: { before: "one\r\ntwo\r\n", after: "1\r\n2\r\n" } });
    lab.session.answer(id, { type: "reject" });
    await prompted;
    expect(edited).toBe("tried");
  });

  it("shows a part of a file where the whole change cannot be known, and lets nobody edit that", async () => {
    const lab = await startClaude();
    lab.claude.files.set(file, "something else\n");
    lab.claude.play(
      async (turn) => void (await turn.uses("Edit", { file_path: file, old_string: "a", new_string: "b" })),
    );
    lab.claude.files.set(file, "sme\n");
    const prompted = lab.say("edit");
    const { id, question } = await lab.question();
    expect(question).toMatchObject({ change: { before: "a", after: "b", isFragment: true, isEditable: false } });
    lab.session.answer(id, { type: "choice", choiceId: "allow", text: "edited all the same" });
    expect(await prompted).toBe("done");
    expect(lab.tools).toMatchObject([{ state: "failed", output: "String to replace not found in file." }]);
    expect(lab.questions[0]?.outcome).not.toHaveProperty("isEdited");
  });

  it("tells the model why something was rejected", async () => {
    const lab = await startClaude();
    const heard: string[] = [];
    lab.claude.play(async (turn) => {
      heard.push(
        await turn.uses("Write", { file_path: file, content: "" }),
        await turn.uses("Bash", { command: "rm" }),
      );
    });
    const prompted = lab.say("write");
    lab.session.answer((await lab.question()).id, { type: "reject", message: " too soon " });
    await expect.poll(() => lab.questions.length).toBe(2);
    lab.session.answer((await lab.question()).id, { type: "choice", choiceId: "reject" });
    expect(await prompted).toBe("done");
    expect(heard[0]).toBe("The user rejected this, and says: too soon");
    expect(heard[1]).toContain("The user does not want this.");
    expect(lab.tools.map(({ state }) => state)).toEqual(["rejected", "rejected"]);
    expect(lab.claude.files.has(file)).toBe(false);
  });

  it("asks for a command with the whole of it and the whole rule, and sends back the rule that was chosen", async () => {
    const lab = await startClaude();
    const command = `echo "${"x".repeat(3_000)}"\nrm -rf .`;
    const rules = { type: "addRules", rules: [{ toolName: "Bash", ruleContent: "echo *" }], behavior: "allow" };
    lab.claude.play(async (turn) => {
      const suggestions = [
        { ...rules, destination: "localSettings" },
        { type: "addDirectories", directories: ["/x"] },
      ];
      const bypass = { type: "setMode", mode: "bypassPermissions" };
      await turn.uses(
        "Bash",
        { command, description: "Says x" },
        { suggestions: [...suggestions, bypass, acceptEdits] },
      );
    });
    const prompted = lab.say("run");
    const { id, question } = await lab.question();
    expect(question).toMatchObject({ title: "Bash: Says x", command });
    expect(question).toHaveProperty(
      "choices",
      expect.arrayContaining([
        expect.objectContaining({ id: "always-0", rule: "Bash(echo *)", kind: "allow-always" }),
        expect.objectContaining({ id: "always-1", rule: "files in /x" }),
        expect.objectContaining({
          id: "always-3",
          rule: "Changes files without asking, also by commands such as rm; asks for other commands.",
        }),
      ]),
    );
    expect(JSON.stringify(question)).not.toContain("bypassPermissions");
    lab.session.answer(id, { type: "choice", choiceId: "always-3" });
    expect(await prompted).toBe("done");
    expect(lab.options[0]?.value).toBe("acceptEdits");
  });

  it("shows the questions of the model as a form, and gives it the answers", async () => {
    const lab = await startClaude();
    const options = [{ label: "A", description: "first" }, { label: "B" }];
    const questions = [
      { question: "Which?", header: "Pick", multiSelect: false, options },
      { question: "Several?", multiSelect: true, options },
    ];
    let input: unknown;
    const ask = lab.claude;
    ask.play(async (turn) => void (input = await turn.uses("AskUserQuestion", { questions }, { result: "answered" })));
    const prompted = lab.say("ask");
    const { id, question } = await lab.question();
    expect(question).toMatchObject({
      type: "form",
      fields: [
        { id: "question-0", label: "Which?", input: "one-of", allowsOther: true },
        { id: "question-1", label: "Several?", input: "many-of" },
      ],
    });
    expect(lab.session.answer(id, { type: "choice", choiceId: "allow" })).toBe(false);
    lab.session.answer(id, { type: "form", values: { "question-0": "neither", "question-1": ["A", "B"] } });
    expect(await prompted).toBe("done");
    expect(input).toBe("answered");
    // The question stands for its tool.
    expect(lab.tools).toEqual([]);
    expect(lab.questions).toMatchObject([{ outcome: { summary: "Which? neither\nSeveral? A, B", isAllowed: true } }]);
  });

  it("asks whether to begin with a plan that stands in the use of the tool, or in what was said before", async () => {
    const lab = await startClaude();
    lab.claude.play(
      async (turn) => void (await turn.uses("ExitPlanMode", { plan: "# The plan" }, { askedInput: {} })),
      (turn) => turn.says("# Said before"),
      async (turn) => void (await turn.uses("ExitPlanMode", {}, { askedInput: {} })),
    );
    const first = lab.say("plan");
    const question = await lab.question();
    expect(question.question).toMatchObject({ type: "plan", plan: "# The plan" });
    lab.session.answer(question.id, { type: "reject", message: "shorter" });
    await first;
    await lab.say("again");
    const third = lab.say("and now");
    const later = await lab.question();
    expect(later.question).toMatchObject({ type: "plan", plan: "# Said before" });
    lab.session.answer(later.id, { type: "choice", choiceId: "allow" });
    expect(await third).toBe("done");
  });

  it("shows what a subagent does below the tool that started it", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => {
      await turn.uses("Task", { description: "look" }, { isAsked: false, result: "looked" });
      await turn.uses("Bash", { command: "ls" }, { parent: "toolu_1" });
    });
    const prompted = lab.say("look");
    const { id, parent } = await lab.question();
    expect(parent).toBe("toolu_1");
    lab.session.answer(id, { type: "choice", choiceId: "allow" });
    await prompted;
    expect(lab.tools).toMatchObject([
      { id: "toolu_1", tool: "subagent", state: "done", output: "looked" },
      { tool: "execute", parent: "toolu_1", command: "ls" },
    ]);
  });

  it("tells what goes on in the background, and lets it end by itself or by its own stop", async () => {
    const lab = await startClaude();
    const tasks = (): readonly unknown[] => lab.updates.findLast((one) => one.type === "tasks")?.tasks ?? [];
    lab.claude.play(async (turn) => {
      await turn.uses(
        "Bash",
        { command: "serve", description: "Serves" },
        { isAsked: false, background: "local_bash" },
      );
      await turn.uses("Agent", { description: "Looks" }, { isAsked: false, background: "local_agent" });
      turn.says("Both go on.");
    });
    expect(await lab.say("start both")).toBe("done");
    expect(tasks()).toMatchObject([
      { kind: "command", title: "Serves" },
      { kind: "subagent", title: "Looks" },
    ]);
    expect(lab.state?.kind).toBe("idle");
    expect(lab.tools.map(({ state }) => state)).toEqual(["running", "running"]);

    // It outlives a turn that is stopped.
    lab.claude.play(async (turn) => void (await turn.waits()));
    const stopped = lab.say("and now");
    await lab.session.interrupt();
    expect(await stopped).toBe("stopped");
    expect(lab.tools.map(({ state }) => state)).toEqual(["running", "running"]);

    lab.claude.process.endTask("toolu_2", "completed", "There is nothing.");
    await expect.poll(() => lab.tools[1]).toMatchObject({ state: "done", output: "There is nothing." });
    await lab.session.stopTask("task-toolu_1");
    await expect.poll(() => lab.tools[0]?.state).toBe("cancelled");
    expect(tasks()).toEqual([]);
  });

  it("tells that nothing goes on in the background once the program has ended", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => {
      await turn.uses(
        "Bash",
        { command: "serve", description: "Serves" },
        { isAsked: false, background: "local_bash" },
      );
    });
    await lab.say("start it");
    await lab.session.close();
    expect(lab.updates.findLast((one) => one.type === "tasks")).toMatchObject({ tasks: [] });
    expect(lab.tools[0]?.state).toBe("cancelled");
  });

  it("stops a turn, withdraws what was asked, and goes on with the next prompt", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => void (await turn.uses("Bash", { command: "ls" })));
    const prompted = lab.say("run");
    const { id } = await lab.question();
    await lab.session.interrupt();
    expect(await prompted).toBe("stopped");
    expect(lab.questions).toMatchObject([{ outcome: { type: "withdrawn" } }]);
    expect(lab.session.answer(id, { type: "choice", choiceId: "allow" })).toBe(false);
    expect(lab.tools.map(({ state }) => state)).toEqual(["cancelled"]);
    expect(lab.entries.at(-1)).toMatchObject({ kind: "turn-end", reason: "stopped" });
    expect(await lab.say("go on")).toBe("done");
  });

  it("leaves what was cut off as it is", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => {
      turn.begins("I was about to");
      await turn.waits();
    });
    const prompted = lab.say("talk");
    await expect.poll(() => lab.entries.length).toBe(1);
    await lab.session.interrupt();
    await prompted;
    expect(lab.entries[0]).toMatchObject({ kind: "message", text: "I was about to", isComplete: true });
  });

  it("changes mode, model and effort, and offers nothing that is refused", async () => {
    const lab = await startClaude();
    await lab.session.setOption("mode", "plan");
    await lab.session.setOption("effort", "low");
    await lab.session.setOption("model", "small");
    expect(lab.options.map(({ id, value }) => [id, value])).toEqual([
      ["mode", "plan"],
      ["model", "small"],
    ]);
    expect(lab.claude.process.requests).toEqual(
      expect.arrayContaining([
        { subtype: "set_permission_mode", mode: "plan" },
        { subtype: "apply_flag_settings", settings: { effortLevel: "low" } },
        { subtype: "set_model", model: "small" },
      ]),
    );
    await expect(lab.session.setOption("mode", "bypassPermissions")).rejects.toThrow("does not offer");
    await expect(lab.session.setOption("model", "nonsense")).rejects.toThrow("does not offer");
  });

  it("counts down while the provider is tried again, and goes on", async () => {
    const lab = await startClaude();
    lab.claude.play((turn) => {
      turn.retries(2, 5_000);
      turn.says("There.");
    });
    await lab.say("hi");
    const nextAt = lab.clock.now() + 5_000;
    expect(lab.updates).toContainEqual({
      type: "state",
      state: { kind: "retrying", attempt: 2, limit: 10, nextAt, reason: "the service is overloaded (529)" },
    });
    expect(lab.states).toEqual(["starting", "idle", "running", "retrying", "running", "idle"]);
  });

  it("says what the provider said when it failed, not as words of the model", async () => {
    const lab = await startClaude();
    lab.claude.play((turn) => turn.fails("overloaded_error", "API Error: 529 Overloaded"));
    expect(await lab.say("hi")).toBe("failed");
    expect(lab.entries).toMatchObject([
      { kind: "notice", level: "error", text: "API Error: 529 Overloaded", action: "retry" },
      { kind: "turn-end", reason: "failed" },
    ]);
  });

  it("says once of each limit of the plan that it is nearly used up, and that more of it is paid for", async () => {
    const lab = await startClaude();
    const at = new Date(lab.clock.now());
    at.setHours(23, 5, 0, 0);
    const resetsAt = at.getTime() / 1_000;
    const tell = (info: Readonly<Record<string, unknown>>): void =>
      lab.claude.process.say({ type: "rate_limit_event", rate_limit_info: info });
    tell({ status: "allowed", rateLimitType: "five_hour", resetsAt });
    for (const utilization of [0.81, 0.83]) {
      tell({ status: "allowed_warning", rateLimitType: "five_hour", utilization, resetsAt });
    }
    tell({ status: "allowed_warning", rateLimitType: "seven_day", utilization: 0.9, resetsAt: resetsAt + 2 * 86_400 });
    for (const isUsingOverage of [true, true]) tell({ status: "allowed", rateLimitType: "overage", isUsingOverage });
    tell({ status: "rejected", rateLimitType: "five_hour", resetsAt });
    await expect.poll(() => lab.notices).toHaveLength(3);
    expect(lab.notices).toEqual([
      "You have used 81% of the 5-hour limit of your plan. It resets at 23:05.",
      expect.stringMatching(
        /^You have used 90% of the weekly limit of your plan\. It resets at \d{4}-\d\d-\d\d 23:05\.$/u,
      ),
      "The limit of your plan is used up. From now on you pay for extra usage.",
    ]);
  });

  it("says at its start that the user has to sign in, and how", async () => {
    const account = { tokenSource: "none", apiProvider: "firstParty" };
    const lab = await startClaude({ initialized: { account } });
    expect(lab.state).toMatchObject({
      kind: "signed-out",
      methods: [{ command: ["/scripted/claude", "auth", "login"] }],
    });
  });

  it("says after a turn that the user has to sign in again", async () => {
    const lab = await startClaude();
    lab.claude.play((turn) => turn.fails("authentication_failed", "Not logged in · Please run /login"));
    expect(await lab.say("hi")).toBe("failed");
    expect(lab.state?.kind).toBe("signed-out");
    expect(lab.entries[0]).toMatchObject({ kind: "notice", action: "sign-in" });
  });

  it("continues a session that is known, and forks one up to a point", async () => {
    const sessions = ["earlier"];
    const resumed = await startClaude({ sessions }, { start: { kind: "resume", sessionId: "earlier" } });
    expect(resumed.claude.process.args.slice(-2)).toEqual(["--resume", "earlier"]);
    expect(resumed.updates).toContainEqual({ type: "session", sessionId: "earlier" });
    const start = { kind: "fork", sessionId: "earlier", upTo: "point" } as const;
    const forked = await startClaude({ sessions }, { start });
    expect(forked.claude.process.args.join(" ")).toContain("--resume earlier --fork-session --resume-session-at point");
    expect(forked.updates.filter(({ type }) => type === "session")).toEqual([]);
    await forked.say("hi");
    expect(forked.updates).toContainEqual({ type: "session", sessionId: forked.claude.process.sessionId });
  });

  it("starts over, and says so, where the session is not known any more", async () => {
    const lab = await startClaude({}, { start: { kind: "resume", sessionId: "gone" } });
    expect(lab.claude.processes).toHaveLength(2);
    expect(lab.claude.process.args).not.toContain("--resume");
    expect(lab.entries).toEqual([]);
    lab.clock.advance(0);
    expect(lab.notices).toEqual(["Claude Code has lost the earlier conversation and starts over."]);
    expect(await lab.say("hi")).toBe("done");
  });

  it("tells when its process ends in a turn, with its last words", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => void (await turn.uses("Bash", { command: "ls" })));
    const prompted = lab.say("run");
    await lab.question();
    lab.claude.process.crash(1, "it broke\n");
    expect(await lab.pass(prompted)).toBe("exited");
    expect(lab.entries.at(-1)).toMatchObject({
      kind: "notice",
      text: "Claude Code exited unexpectedly (code 1).",
      detail: "it broke",
      action: "restart",
    });
    expect(lab.questions).toMatchObject([{ outcome: { type: "withdrawn" } }]);
    expect(lab.tools).toMatchObject([{ state: "cancelled" }]);
    expect(lab.state?.kind).toBe("ended");
    expect(await lab.say("still there?")).toBe("exited");
    // At once: nobody is waited for any more.
    await expect(lab.session.setOption("mode", "plan")).rejects.toThrow("Claude Code has ended.");
  });

  it("cannot be started where there is no program, and says the sentence of whoever looked for it", async () => {
    const launch = async (): Promise<never> => await Promise.reject(new Error("Claude Code is not installed."));
    await expect(new ClaudeLab({}, { launch }).session.start()).rejects.toThrow("Claude Code is not installed.");
  });

  it("tells that a program is too old that does not know what it is started with", async () => {
    const { clock } = createNodePlatform();
    const script = `console.error("error: unknown option '--permission-prompt-tool'"); process.exit(1);`;
    const lab = new ClaudeLab(
      {},
      {
        ports: { children: createNodeChildren(), clock, logger: nullLogger },
        cwd: tmpdir(),
        launch: async () => await Promise.resolve({ program: process.execPath, args: ["-e", script], environment: {} }),
      },
    );
    await expect(lab.session.start()).rejects.toMatchObject({
      code: "not-installed",
      message:
        "Claude Code is too old for Patchbay. Update it with: npm install --global @anthropic-ai/claude-code@latest",
      cause: "error: unknown option '--permission-prompt-tool'",
    });
  });

  it("is closed from within a turn, by its own words first", async () => {
    const lab = await startClaude();
    lab.claude.play(async (turn) => await turn.waits());
    const prompted = lab.say("run");
    await expect.poll(() => lab.state?.kind).toBe("running");
    await lab.pass(lab.session.close());
    expect(await prompted).toBe("stopped");
    expect(lab.claude.process.requests.at(-1)).toEqual({ subtype: "interrupt" });
    expect(lab.state).toEqual({ kind: "ended" });
    expect(lab.notices).toEqual([]);
  });

  it("is renamed, and rewound only where the program can", async () => {
    const lab = await startClaude();
    await lab.session.rename("A name");
    expect(lab.updates).toContainEqual({ type: "title", title: "A name" });
    expect(await lab.session.rewind("prompt-1", true)).toEqual({
      canRewind: false,
      reason: "Claude Code: No file checkpoint found for this message.",
      files: [],
    });
  });

  it("passes over what it does not know, and names it in the log", async () => {
    const lab = await startClaude();
    const { process } = lab.claude;
    for (const subtype of ["hook_started", "hook_started"]) process.say({ type: "system", subtype });
    process.say({ type: "assistant", message: "not one" });
    expect(await process.ask({ subtype: "dance" })).toEqual({ error: "Patchbay does not know dance." });
    expect(await lab.say("hi")).toBe("done");
    expect(lab.logged.filter((line) => line.includes("not looked at"))).toEqual([
      `A message of Claude Code was not looked at {"name":"system hook_started"}`,
      `A message of Claude Code was not looked at {"name":"assistant"}`,
      `A message of Claude Code was not looked at {"name":"control_request dance"}`,
    ]);
  });
});
