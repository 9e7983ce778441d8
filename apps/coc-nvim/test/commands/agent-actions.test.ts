import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Companion, createNodePlatform } from "@patchbay/core";
import { beforeEach, describe, expect, it } from "vitest";
import { repairAtStart } from "../../src/commands/hooks.ts";
import { useCommandLab } from "./command-lab.ts";

const lab = useCommandLab();

const proposal: Companion["proposals"][number] = {
  id: "p1",
  sessionId: "hook:claude s1",
  agentName: "Claude Code",
  path: "/a/one.txt",
  kind: "change",
  edited: false,
  state: "shown",
  standing: "unchanged",
  isHeld: false,
  createdAt: 0,
  lines: undefined,
  sessionTitle: undefined,
};

const activity: Companion["activities"][number] = {
  agent: "claude",
  session: "s1",
  owner: "hook:claude s1",
  processes: [process.pid],
  folder: "/a",
  title: "Count to two",
  state: "waiting",
  since: 0,
  waitsFor: ["/a/one.txt"],
};

describe("reject with a reason", () => {
  beforeEach(() => {
    lab.companion.proposals = [proposal];
    lab.coc.vim.answers.set("patchbay#go#here", "p1");
  });

  it("tells an agent that has a hook", async () => {
    lab.companion.proposals = [{ ...proposal, readsReasons: true }];
    lab.register();
    await lab.coc.run("patchbay.reject", "use", "three");
    expect(lab.companion.rejected).toEqual([["p1", "use three"]]);
    expect(lab.coc.said).toEqual(["Rejected. Claude Code reads your text and goes on."]);
  });

  it("keeps the text for any other agent", async () => {
    lab.register();
    await lab.coc.run("patchbay.reject", "use three");
    expect(lab.companion.rejected).toEqual([["p1", "use three"]]);
    expect(lab.coc.vim.calls).toContainEqual(
      expect.objectContaining({ name: "patchbay#go#keep", args: ["use three"] }),
    );
    expect(lab.coc.said[0]).toContain("your text is yanked");
  });

  it("puts the text into the prompt of an agent in a terminal of the editor", async () => {
    lab.companion.sessions = [
      {
        id: "claude.1",
        dialect: "claude",
        agentName: "Claude Code",
        state: "connected",
        since: 0,
        openProposals: 1,
        pid: process.pid,
      },
    ];
    lab.companion.proposals = [{ ...proposal, sessionId: "claude.1" }];
    lab.coc.vim.answers.set("patchbay#hooks#paste", 1);
    lab.register();
    const rejecting = lab.coc.run("patchbay.reject", "use\nthree");
    await expect.poll(() => lab.companion.rejected).toHaveLength(1);
    lab.companion.proposals = [];
    await rejecting;
    const call = lab.coc.vim.calls.findLast(({ name }) => name === "patchbay#hooks#paste");
    expect(call?.args).toEqual([expect.arrayContaining([process.pid]), "\u001b[200~use three\u001b[201~"]);
    expect(lab.coc.said).toEqual([expect.stringContaining("in its terminal: press Enter there")]);
    expect(lab.coc.vim.calls.map(({ name }) => name)).not.toContain("patchbay#go#keep");
  });

  it("rejects nothing where no review is meant", async () => {
    lab.coc.vim.answers.set("patchbay#go#here", "");
    lab.register();
    await lab.coc.run("patchbay.reject", "use three");
    expect(lab.companion.rejected).toEqual([]);
  });
});

describe("agents", () => {
  it("says what each is doing, and leads to its review, else to its terminal", async () => {
    lab.companion.activities = [activity];
    lab.companion.proposals = [proposal];
    lab.register();
    lab.coc.choice = "1. Claude Code: Count to two  [waits for you: one.txt]";
    await lab.coc.run("patchbay.agents");
    expect(lab.companion.revealed).toEqual(["p1"]);
    lab.companion.activities = [{ ...activity, state: "working" }];
    lab.companion.proposals = [];
    lab.coc.vim.answers.set("patchbay#hooks#terminal", 0);
    lab.coc.choice = "1. Claude Code: Count to two  [working]";
    await lab.coc.run("patchbay.agents");
    const call = lab.coc.vim.calls.findLast(({ name }) => name === "patchbay#hooks#terminal");
    expect(call?.args[0]).toEqual(expect.arrayContaining([process.pid, process.ppid]));
    expect(lab.coc.said).toEqual(["Claude Code does not run in a terminal of this editor."]);
  });
});

describe("a shell command that an agent asks about", () => {
  it("stands in the list of agents, which leads to its question; leaving that decides nothing", async () => {
    lab.companion.activities = [activity];
    lab.companion.proposals = [];
    const question = {
      id: "c1",
      agentName: "Claude Code",
      owner: activity.owner,
      command: "npm test",
      folder: "/a",
      since: 0,
    };
    lab.companion.commands = { all: [question], answer: () => true, show: () => true };
    lab.register();
    const text = "May Claude Code run “$ npm test” in /a?";
    const values = { agent: "Claude Code", folder: "/a", command: "$ npm test" };
    const actions = ["Allow", "Reject"];
    const asked = lab.parts.host.messages.show({ code: "agent-command", severity: "warning", text, values, actions });
    await expect.poll(() => lab.parts.questions.all.length).toBe(1);
    lab.coc.choice = "1. Claude Code: Count to two  [waits for you: $ npm test]";
    await lab.coc.run("patchbay.agents");
    expect(lab.coc.offered.get(text)).toEqual(["Allow", "Reject"]);
    expect(lab.parts.questions.all).toHaveLength(1);
    lab.coc.choice = "Reject";
    await lab.coc.run("patchbay.answer");
    expect(await asked).toBe("Reject");
  });
});

describe("the hook of an agent", () => {
  it("is entered once the user has seen the change, and taken out again without a trace", async () => {
    lab.register();
    const settings = join(lab.coc.home, ".claude", "settings.json");
    const before = '{\n\t"model": "opus"\n}\n';
    mkdirSync(join(lab.coc.home, ".claude"));
    writeFileSync(settings, before);
    writeFileSync(join(lab.coc.root, "patchbay-hook.cjs"), "// the program");
    lab.coc.choice = "Change nothing";
    await lab.coc.run("patchbay.installHook", "claude");
    expect(readFileSync(settings, "utf8")).toBe(before);
    const shown = lab.coc.vim.calls.find(({ name }) => name === "patchbay#hooks#show");
    expect(JSON.stringify(shown?.args)).toContain("patchbay-hook.cjs' claude");
    lab.coc.choice = `Install the hook of Claude Code: write this to ${settings}`;
    await lab.coc.run("patchbay.installHook", "claude");
    expect(readFileSync(settings, "utf8")).toContain('\t"model": "opus"');
    expect(readFileSync(settings, "utf8")).toContain("patchbay-hook.cjs' claude");
    expect(readFileSync(join(lab.coc.home, ".patchbay", "patchbay-hook.cjs"), "utf8")).toBe("// the program");
    expect(lab.coc.vim.calls.at(-2)?.name).toBe("patchbay#hooks#hide");
    lab.coc.choice = `Remove the hook of Claude Code: write this to ${settings}`;
    await lab.coc.run("patchbay.removeHook", "claude");
    expect(readFileSync(settings, "utf8")).toBe(before);
  });
});

it("what agents run is put right with the start of the editor, and the log says so", async () => {
  const settings = join(lab.coc.home, ".claude", "settings.json");
  const program = join(lab.coc.root, "patchbay-hook.cjs");
  mkdirSync(join(lab.coc.home, ".claude"));
  writeFileSync(program, "// the program");
  const hooks = [{ hooks: [{ type: "command", command: `'/gone/node' '${program}' claude` }] }];
  const events = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"];
  writeFileSync(settings, JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, hooks])) }));
  const log: string[] = [];
  await repairAtStart(createNodePlatform(), program, (line) => void log.push(line));
  expect(log).toEqual([expect.stringMatching(/^The hook of Claude Code in .* Repaired\.$/u)]);
  expect(readFileSync(settings, "utf8")).not.toContain("/gone/node");
  expect(readFileSync(join(lab.coc.home, ".patchbay", "patchbay-hook.cjs"), "utf8")).toBe("// the program");
});
