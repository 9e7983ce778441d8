import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  agents,
  type Companion,
  type CompanionSettings,
  type CompanionState,
  type DiffOutcome,
  Emitter,
  type EditorContext,
  nullLogger,
  type Review,
  type ReviewRequest,
  type SessionInfo,
  createNodePlatform,
} from "@patchbay/core";
import { createFakeClock } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { registerCommands } from "../../src/commands/commands.ts";
import { repairAtStart } from "../../src/commands/hooks.ts";
import { readEditorFacts } from "../../src/host/editor-facts.ts";
import { createIdentity, createVimHost, type VimHost } from "../../src/host/vim-host.ts";
import type { PanelSlot } from "../../src/panel/vim-panel.ts";
import { createLazyTurns } from "../../src/turns/lazy-turns.ts";
import { readSettings } from "../../src/settings.ts";
import { SimulatedCoc } from "../simulated/simulated-coc.ts";

/** What commands ask of a companion, which listens nowhere. */
class QuietCompanion implements Companion {
  readonly restored: Promise<void> = Promise.resolve();
  readonly environment: Companion["environment"] = { CLAUDE_CODE_SSE_PORT: "4711" };
  sessions: readonly SessionInfo[] = [];
  proposals: Companion["proposals"] = [];
  readonly keptTexts: Companion["keptTexts"] = [];
  readonly onDidChangeState: Companion["onDidChangeState"] = new Emitter<CompanionState>().event;
  readonly onDidChangeEnvironment: Companion["onDidChangeEnvironment"] = new Emitter<void>().event;
  readonly onDidChangeSessions: Companion["onDidChangeSessions"] = new Emitter<void>().event;
  readonly onDidChangeProposals: Companion["onDidChangeProposals"] = new Emitter<void>().event;
  activities: Companion["activities"] = [];
  commands: Companion["commands"];
  readonly rejected: unknown[] = [];
  readonly revealed: string[] = [];
  readonly onDidChangeActivities: Companion["onDidChangeActivities"] = new Emitter<void>().event;
  readonly mentioned: unknown[] = [];
  readonly updates: Partial<CompanionSettings>[] = [];
  state: CompanionState = { kind: "listening", port: 4711, warnings: [] };
  shared: EditorContext = { files: [] };
  /** How many agents take a mention. */
  listeners = 1;

  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  removeRecordsSync(): void {}
  async accept(): Promise<boolean> {
    return false;
  }
  async reject(id: string, reason?: string): Promise<boolean> {
    this.rejected.push([id, reason]);
    return true;
  }
  async acceptAll(ids: readonly string[] = []): Promise<readonly string[]> {
    return ids;
  }
  async hold(): Promise<boolean> {
    return false;
  }
  async hunks(): Promise<undefined> {}
  async decideHunk(): ReturnType<Companion["decideHunk"]> {
    return { kind: "none" };
  }
  async undoHunk(): Promise<boolean> {
    return false;
  }
  /** The made-up reviews, which the test decides. */
  readonly reviews: { readonly request: ReviewRequest; decide(outcome: DiffOutcome): void }[] = [];
  async review(request: ReviewRequest): Promise<Review> {
    const id = `trial${this.reviews.length}`;
    const outcome = new Promise<DiffOutcome>((decide) => void this.reviews.push({ request, decide }));
    const decided = async (): Promise<boolean> => false;
    return {
      id,
      outcome,
      shown: Promise.resolve(),
      accept: decided,
      reject: decided,
      withdraw: () => {},
      toolEnded: () => {},
    };
  }
  conversationEnded(): void {}
  excludeProcesses(): void {}
  async processOf(): Promise<undefined> {}
  async readKeptText(): Promise<undefined> {}
  async saveKeptText(): Promise<undefined> {}
  async discardKeptText(): Promise<boolean> {
    return false;
  }
  async reveal(id: string): Promise<boolean> {
    this.revealed.push(id);
    return true;
  }
  mention(path: string, lines?: unknown): number {
    this.mentioned.push([path, lines]);
    return this.listeners;
  }

  mayName(): boolean {
    return true;
  }
  sharedContext(): EditorContext {
    return this.shared;
  }
  updateSettings(settings: Partial<CompanionSettings>): void {
    this.updates.push(settings);
  }
}

let coc: SimulatedCoc;
let companion: QuietCompanion;
let parts: VimHost;
let tmux: number | undefined;
let panel: PanelSlot;

beforeEach(() => {
  coc = new SimulatedCoc();
  companion = new QuietCompanion();
  vi.stubEnv("HOME", coc.home);
  for (const name of ["QWEN_HOME", "CLAUDE_CONFIG_DIR"]) vi.stubEnv(name, undefined);
  tmux = undefined;
  panel = {};
});
afterEach(() => {
  parts.dispose();
  coc.dispose();
  vi.unstubAllEnvs();
});

/** The commands, as they are registered. */
function register(): void {
  const settings = (): ReturnType<typeof readSettings> => readSettings((name) => coc.settings.get(name));
  const { vim, temporary, folder } = coc;
  const facts = {
    ...readEditorFacts({ pid: process.pid, nvim: 0, version: "9.0.2142", cwd: folder, temporary, buffers: [] }),
    tmuxServer: tmux,
  };
  const identity = createIdentity(facts, undefined, "1.2.3", temporary);
  const storageDirectory = join(coc.root, "data");
  const hookProgram = join(coc.root, "patchbay-hook.cjs");
  const shared = { vim, settings, facts, identity, storageDirectory, hookProgram, logger: nullLogger };
  parts = createVimHost({ ...shared, coc: vim.coc, clock: createFakeClock() });
  registerCommands({
    ...shared,
    coc: coc.api,
    companion,
    parts,
    turns: createLazyTurns(
      () => Promise.reject(new Error("none")),
      () => false,
      () => {},
    ),
    panel,
  });
}

const terminals = (): readonly (readonly unknown[])[] =>
  coc.vim.calls.filter(({ name }) => name === "patchbay#terminal#open").map(({ args }) => args);

describe("openAgent", () => {
  it("starts the agent of that name in a shell, in the folder, with the companion's variables", async () => {
    register();
    vi.stubEnv("SHELL", "/bin/a shell");
    await coc.run("patchbay.openAgent", "claude");
    const line = "claude --permission-mode manual; exit $?";
    expect(terminals()).toEqual([
      ["claude", ["/bin/a shell", "-c", line], "botright vertical new", coc.folder, companion.environment],
    ]);
  });

  it("turns on the IDE mode of an agent that has not been told to look for an editor, and of no other", async () => {
    register();
    vi.stubEnv("GEMINI_CLI_HOME", undefined);
    await coc.run("patchbay.openAgent", "gemini");
    mkdirSync(join(coc.home, ".gemini"));
    writeFileSync(join(coc.home, ".gemini", "settings.json"), '{"ide":{"enabled":true}}');
    await coc.run("patchbay.openAgent", "gemini");
    expect(terminals().map(([, words]) => words)).toEqual([
      [expect.any(String), "-c", "gemini --approval-mode default -i '/ide enable'; exit $?"],
      [expect.any(String), "-c", "gemini --approval-mode default; exit $?"],
    ]);
  });

  it("asks which one where none is named: all of the catalogue, and the user's own", async () => {
    register();
    coc.settings.set("agents", { mine: "my-agent 'two words'" });
    coc.choice = "mine";
    await coc.run("patchbay.openAgent");
    expect(coc.offered.get("Start which agent?")).toEqual([...agents.map(({ id }) => id), "mine"]);
    expect(terminals()[0]?.[1]).toEqual([expect.any(String), "-c", "my-agent 'two words'; exit $?"]);
  });

  it.each([undefined, 7, null, {}, ["gemini"]])("takes %j for no name", async (argument) => {
    register();
    await coc.run("patchbay.openAgent", argument);
    expect(coc.offered.size).toBe(1);
    expect([terminals(), coc.said]).toEqual([[], []]);
  });

  it.each(["nobody", "constructor", "gemini; rm -r ."])(
    "starts nothing called %j, and says what there is",
    async (name) => {
      register();
      await coc.run("patchbay.openAgent", name);
      expect(terminals()).toEqual([]);
      expect(coc.said).toEqual([
        expect.stringContaining(`Unknown agent "${name}". Choose one of gemini, qwen, claude`),
      ]);
    },
  );
});

const gemini = {
  id: "gemini.1",
  dialect: "gemini",
  agentName: "Gemini CLI",
  state: "connected",
  since: 0,
  openProposals: 0,
  pid: process.pid,
} as const;

const pasted = (): readonly unknown[] =>
  coc.vim.calls.filter(({ name }) => name === "patchbay#hooks#paste").map(({ args }) => args[1]);

describe("mention", () => {
  let file: string;

  function openFile(): void {
    register();
    file = join(coc.folder, "a.txt");
    writeFileSync(file, "one\ntwo\nthree\n");
    coc.vim.openFile(file);
  }

  it.each([
    [[3, 7], { start: 2, end: 6 }],
    [["3", "7"], { start: 2, end: 6 }],
    [[3], { start: 2, end: 2 }],
    [[3, 1], { start: 2, end: 2 }],
    [[3, "x"], { start: 2, end: 2 }],
    [[0, 2], undefined],
    [[-1], undefined],
    [[1.5], undefined],
    [["all"], undefined],
    [[{}], undefined],
    [[null, null], undefined],
    [[Number.POSITIVE_INFINITY], undefined],
  ])("of the lines %j is about %j", async (given, lines) => {
    openFile();
    await coc.run("patchbay.mention", ...given);
    expect(companion.mentioned).toEqual([[file, lines]]);
  });

  it("is about what is selected where no lines are given", async () => {
    openFile();
    coc.vim.select({ start: { line: 0, character: 1 }, end: { line: 1, character: 2 } });
    await coc.run("patchbay.mention");
    expect(companion.mentioned).toEqual([[file, { start: 0, end: 1 }]]);
  });

  it("says so where no agent takes it, and where there is nothing to mention", async () => {
    register();
    await coc.run("patchbay.mention", 1);
    expect(companion.mentioned).toEqual([]);
    writeFileSync(join(coc.folder, "a.txt"), "");
    coc.vim.openFile(join(coc.folder, "a.txt"));
    companion.listeners = 0;
    await coc.run("patchbay.mention", 1);
    expect(coc.said).toEqual(["No file is open to mention.", "No agent is connected."]);
  });

  it("is put in words into the prompt of an agent in a terminal that takes none", async () => {
    openFile();
    companion.listeners = 0;
    companion.sessions = [gemini];
    coc.vim.answers.set("patchbay#hooks#paste", 1);
    await coc.run("patchbay.mention", 2, 3);
    expect(pasted()).toEqual(["\u001b[200~@a.txt (lines 2-3)\u001b[201~"]);
    expect(coc.said).toEqual(["In the prompt of Gemini CLI, in its terminal. It is not sent."]);
    coc.vim.answers.set("patchbay#hooks#paste", 0);
    await coc.run("patchbay.mention", 2);
    expect(coc.said.at(-1)).toContain("No connected agent supports @-mentions or runs in a terminal");
  });
});

describe("sendProblem", () => {
  const at = (line: number): object => ({ start: { line, character: 0 }, end: { line, character: 3 } });

  it("puts the worst problem at the cursor into the agent's prompt", async () => {
    register();
    const file = join(coc.folder, "a.txt");
    writeFileSync(file, "one\ntwo\n");
    coc.vim.openFile(file);
    companion.sessions = [gemini];
    coc.vim.answers.set("patchbay#hooks#paste", 1);
    coc.vim.problems = [
      { file, severity: "Warning", message: "Late.", location: { range: at(1) } },
      { file, severity: "Hint", message: "Shorter.", location: { range: at(0) } },
      { file, severity: "Error", message: "Not\na word.", source: "spell", location: { range: at(0) } },
    ];
    await coc.run("patchbay.sendProblem");
    expect(pasted()).toEqual(["\u001b[200~@a.txt (line 1): Not a word. [spell]\u001b[201~"]);
    coc.vim.problems = [];
    await coc.run("patchbay.sendProblem");
    expect(coc.said.at(-1)).toBe("There is no problem at the cursor.");
  });
});

describe("sharing", () => {
  it("is paused and resumed for this editor and the next ones", async () => {
    register();
    await coc.run("patchbay.toggleSharing");
    expect([coc.settings.get("share.enabled"), companion.updates]).toEqual([false, [{ sharing: false }]]);
    await coc.run("patchbay.toggleSharing");
    expect([coc.settings.get("share.enabled"), companion.updates.at(-1)]).toEqual([true, { sharing: true }]);
    expect(coc.said).toHaveLength(2);
  });

  it("is shown as agents see it, line by line", async () => {
    register();
    companion.shared = {
      files: [{ path: "/w/a.txt", timestamp: 0 }],
      active: {
        path: "/w/a.txt",
        cursor: { line: 2, character: 0 },
        selection: { range: { start: { line: 2, character: 0 }, end: { line: 3, character: 1 } }, text: "x\ny" },
      },
    };
    await coc.run("patchbay.showShared");
    expect(coc.page("Patchbay: what is shared")).toEqual([
      "open       /w/a.txt",
      "active     /w/a.txt",
      "cursor     line 3, character 1",
      "selection",
      "    x",
      "    y",
    ]);
    coc.settings.set("share.enabled", false);
    await coc.run("patchbay.showShared");
    expect(coc.page("Patchbay: what is shared")).toEqual(["Sharing is paused; nothing is shared."]);
  });
});

describe("the tour", () => {
  /** Takes it, and does with its end as asked. */
  async function decide(outcome: DiffOutcome, choice: string, title: string): Promise<readonly string[]> {
    const { request, decide: settle } = companion.reviews.at(-1) ?? { request: undefined, decide: () => {} };
    expect(request).toMatchObject({ isTrial: true, isEditable: true });
    coc.choice = choice;
    settle(outcome);
    await expect.poll(() => coc.offered.get(title)).toBeDefined();
    return coc.offered.get(title) ?? [];
  }

  it("shows a made-up change, says how to answer, and offers what is there", async () => {
    register();
    vi.stubEnv("PATH", "/nowhere");
    coc.settings.set("agents", { mine: process.execPath });
    await coc.run("patchbay.tour");
    expect(coc.said).toEqual([expect.stringContaining(":w accepts, :q rejects")]);
    expect(companion.revealed).toEqual(["trial0"]);
    const text = companion.reviews[0]?.request.text ?? "";
    const title = "An agent would now write 3 of its 3 changes";
    const offered = await decide({ kind: "accepted", text, edited: false }, "Start mine", title);
    expect(offered).toEqual(["Start mine", "Do this again", "Quit"]);
    await expect.poll(() => terminals().map(([name]) => name)).toEqual(["mine"]);
  });

  it("can be taken again, and leads to the health page where no agent can be started", async () => {
    register();
    vi.stubEnv("PATH", "/nowhere");
    await coc.run("patchbay.tour");
    await decide({ kind: "rejected" }, "Do this again", "An agent would now write nothing");
    await expect.poll(() => companion.reviews.length).toBe(2);
    const edited = `${companion.reviews[1]?.request.text ?? ""}// more\n`;
    const title = "An agent would now write 3 of its 3 changes, with your edits";
    const choice = "See how to connect an agent";
    expect((await decide({ kind: "accepted", text: edited, edited: true }, choice, title))[0]).toBe(choice);
    await expect.poll(() => coc.page("Patchbay: health")).toBeDefined();
    expect(terminals()).toEqual([]);
  });

  it("says nothing more when the editor ends, and why it cannot be had", async () => {
    register();
    await coc.run("patchbay.tour");
    companion.reviews[0]?.decide({ kind: "stopped" });
    await expect
      .poll(async () => {
        await coc.run("patchbay.tour");
        return companion.reviews.length;
      })
      .toBe(2);
    expect(coc.offered.size).toBe(0);
    companion.reviews[1]?.decide({ kind: "stopped" });
    vi.stubEnv("TMPDIR", "/nowhere/at/all");
    await expect
      .poll(async () => {
        await coc.run("patchbay.tour");
        return coc.said.at(-1);
      })
      .toContain("/nowhere/at");
  });
});

describe("health", () => {
  it("finds each agent's record where that agent looks, and says where it has looked", async () => {
    register();
    const { temporary, home } = coc;
    mkdirSync(join(temporary, "gemini", "ide"), { recursive: true });
    writeFileSync(join(temporary, "gemini", "ide", "gemini-ide-server-1-4711.json"), "{}");
    // Of another port.
    mkdirSync(join(home, ".claude", "ide"), { recursive: true });
    writeFileSync(join(home, ".claude", "ide", "4712.lock"), "{}");
    for (const { program } of agents) installProgram(program.command);
    await coc.run("patchbay.health");
    const page = coc.page("Patchbay: health") ?? [];
    const about = (name: string): string | undefined =>
      page.find((line) => line.includes(name) && line.includes("this editor"));
    expect(about("Gemini CLI")).toBe(
      `OK       Gemini CLI finds this editor through ${join(temporary, "gemini", "ide", "gemini-ide-server-1-4711.json")}`,
    );
    for (const [name, folder] of [
      ["Qwen Code", ".qwen"],
      ["Claude Code", ".claude"],
    ] as const) {
      expect(about(name)).toBe(
        `PROBLEM  ${name} cannot find this editor: there is no record of it in ${join(home, folder, "ide")}`,
      );
    }
  });

  it("says what state the companion is in", async () => {
    register();
    companion.state = { kind: "failed", message: "No port could be had." };
    await coc.run("patchbay.health");
    expect(coc.page("Patchbay: health")).toContain(
      "PROBLEM  No port could be had. Then :CocCommand patchbay.restart [failed]",
    );
  });

  it("names what can be explained, and explains it", async () => {
    register();
    companion.state = { kind: "failed", message: "No port could be had." };
    await coc.run("patchbay.health");
    const page = coc.page("Patchbay: health") ?? [];
    expect(page.filter((line) => line.endsWith(" [failed]"))).toHaveLength(1);
    expect(page.at(-1)).toBe("K in a line with a name in brackets explains it.");
    await coc.run("patchbay.explain", "failed");
    const explanation = coc.page("Patchbay: explanation") ?? [];
    expect(explanation[0]).toBe("Patchbay could not be started [failed]");
    expect(explanation).toEqual(expect.arrayContaining(["WHY", "WHAT TO DO", "WHAT IS NOT HARMED"]));
    expect(explanation.join("\n")).not.toMatch(/```|##/u);
    await coc.run("patchbay.explain", "no-agent-connected");
    expect(coc.page("Patchbay: explanation")).toContain("    patchbay doctor");
    await coc.run("patchbay.explain", "nothing");
    expect(coc.said.at(-1)).toContain('Unknown finding "nothing". Those that there are: agent-too-old, asks, ');
  });

  function installProgram(name: string): void {
    const folder = join(coc.root, "bin");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
    vi.stubEnv("PATH", folder);
  }
});

describe("tmux", () => {
  it("is not touched by an editor that does not run in it", async () => {
    register();
    await coc.run("patchbay.linkTmux");
    expect(coc.said).toEqual(["This editor is not running in tmux."]);
  });

  it("gives new panes the variables, and types the line into the pane that is chosen", async () => {
    tmux = 1234;
    register();
    const log = fakeTmux("%2\tbash\t0.1\t/w\n%3\tnode\t1.0\t/w\n");
    coc.choice = "0.1  bash  /w";
    await coc.run("patchbay.linkTmux");
    expect(log()).toEqual([
      "set-environment CLAUDE_CODE_SSE_PORT 4711",
      expect.stringContaining("list-panes"),
      expect.stringContaining("send-keys -t %2 -l --  eval"),
      "send-keys -t %2 Enter",
    ]);
    expect(coc.said).toEqual(["The pane is linked, and so are new panes."]);
  });

  it("types nothing where no pane is chosen, and shows the line where none waits", async () => {
    tmux = 1234;
    register();
    const log = fakeTmux("%2\tbash\t0.1\t/w\n");
    await coc.run("patchbay.linkTmux");
    expect(log().filter((line) => line.startsWith("send-keys"))).toEqual([]);
    fakeTmux("%3\tnode\t1.0\t/w\n");
    await coc.run("patchbay.linkTmux");
    expect(coc.page("Patchbay: tmux")?.at(-1)).toContain('eval "$(tmux show-environment -s');
  });

  /** A tmux that writes down what it is asked, and has these panes. */
  function fakeTmux(panes: string): () => readonly string[] {
    const folder = join(coc.root, "bin");
    const log = join(folder, "log");
    mkdirSync(folder, { recursive: true });
    writeFileSync(log, "");
    writeFileSync(join(folder, "panes"), panes);
    const script = `#!/bin/sh\necho "$@" >> ${log}\n[ "$1" != list-panes ] || /bin/cat ${join(folder, "panes")}\n`;
    writeFileSync(join(folder, "tmux"), script);
    chmodSync(join(folder, "tmux"), 0o755);
    vi.stubEnv("PATH", folder);
    return () => readFileSync(log, "utf8").trim().split("\n");
  }
});

it("says that nothing waits for an answer where nothing does", async () => {
  register();
  await coc.run("patchbay.answer");
  expect(coc.said).toEqual(["No questions are waiting."]);
});

it("compares with the disk by Vim itself", async () => {
  register();
  await coc.run("patchbay.compareWithDisk", { strange: true });
  expect(coc.vim.calls.at(-1)).toEqual({ name: "patchbay#compare", args: [] });
});

it("fails in the open: the user is told what a command could not do", async () => {
  register();
  coc.vim.failNextCall = "E117: Unknown function";
  await coc.run("patchbay.accept");
  expect(coc.said).toEqual(["patchbay.accept: E117: Unknown function"]);
});

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
    companion.proposals = [proposal];
    coc.vim.answers.set("patchbay#go#here", "p1");
  });

  it("tells an agent that has a hook", async () => {
    companion.proposals = [{ ...proposal, readsReasons: true }];
    register();
    await coc.run("patchbay.reject", "use", "three");
    expect(companion.rejected).toEqual([["p1", "use three"]]);
    expect(coc.said).toEqual(["Rejected. Claude Code reads your text and goes on."]);
  });

  it("keeps the text for any other agent", async () => {
    register();
    await coc.run("patchbay.reject", "use three");
    expect(companion.rejected).toEqual([["p1", "use three"]]);
    expect(coc.vim.calls).toContainEqual(expect.objectContaining({ name: "patchbay#go#keep", args: ["use three"] }));
    expect(coc.said[0]).toContain("your text is yanked");
  });

  it("puts the text into the prompt of an agent in a terminal of the editor", async () => {
    companion.sessions = [
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
    companion.proposals = [{ ...proposal, sessionId: "claude.1" }];
    coc.vim.answers.set("patchbay#hooks#paste", 1);
    register();
    const rejecting = coc.run("patchbay.reject", "use\nthree");
    await expect.poll(() => companion.rejected).toHaveLength(1);
    companion.proposals = [];
    await rejecting;
    const call = coc.vim.calls.findLast(({ name }) => name === "patchbay#hooks#paste");
    expect(call?.args).toEqual([expect.arrayContaining([process.pid]), "\u001b[200~use three\u001b[201~"]);
    expect(coc.said).toEqual([expect.stringContaining("in its terminal: press Enter there")]);
    expect(coc.vim.calls.map(({ name }) => name)).not.toContain("patchbay#go#keep");
  });

  it("rejects nothing where no review is meant", async () => {
    coc.vim.answers.set("patchbay#go#here", "");
    register();
    await coc.run("patchbay.reject", "use three");
    expect(companion.rejected).toEqual([]);
  });
});

describe("agents", () => {
  it("says what each is doing, and leads to its review, else to its terminal", async () => {
    companion.activities = [activity];
    companion.proposals = [proposal];
    register();
    coc.choice = "1. Claude Code: Count to two  [waits for you: one.txt]";
    await coc.run("patchbay.agents");
    expect(companion.revealed).toEqual(["p1"]);
    companion.activities = [{ ...activity, state: "working" }];
    companion.proposals = [];
    coc.vim.answers.set("patchbay#hooks#terminal", 0);
    coc.choice = "1. Claude Code: Count to two  [working]";
    await coc.run("patchbay.agents");
    const call = coc.vim.calls.findLast(({ name }) => name === "patchbay#hooks#terminal");
    expect(call?.args[0]).toEqual(expect.arrayContaining([process.pid, process.ppid]));
    expect(coc.said).toEqual(["Claude Code does not run in a terminal of this editor."]);
  });
});

describe("a shell command that an agent asks about", () => {
  it("stands in the list of agents, which leads to its question; leaving that decides nothing", async () => {
    companion.activities = [activity];
    companion.proposals = [];
    const question = {
      id: "c1",
      agentName: "Claude Code",
      owner: activity.owner,
      command: "npm test",
      folder: "/a",
      since: 0,
    };
    companion.commands = { all: [question], answer: () => true, show: () => true };
    register();
    const text = "May Claude Code run “$ npm test” in /a?";
    const values = { agent: "Claude Code", folder: "/a", command: "$ npm test" };
    const actions = ["Allow", "Reject"];
    const asked = parts.host.messages.show({ code: "agent-command", severity: "warning", text, values, actions });
    await expect.poll(() => parts.questions.all.length).toBe(1);
    coc.choice = "1. Claude Code: Count to two  [waits for you: $ npm test]";
    await coc.run("patchbay.agents");
    expect(coc.offered.get(text)).toEqual(["Allow", "Reject"]);
    expect(parts.questions.all).toHaveLength(1);
    coc.choice = "Reject";
    await coc.run("patchbay.answer");
    expect(await asked).toBe("Reject");
  });
});

describe("the hook of an agent", () => {
  it("is entered once the user has seen the change, and taken out again without a trace", async () => {
    register();
    const settings = join(coc.home, ".claude", "settings.json");
    const before = '{\n\t"model": "opus"\n}\n';
    mkdirSync(join(coc.home, ".claude"));
    writeFileSync(settings, before);
    writeFileSync(join(coc.root, "patchbay-hook.cjs"), "// the program");
    coc.choice = "Change nothing";
    await coc.run("patchbay.installHook", "claude");
    expect(readFileSync(settings, "utf8")).toBe(before);
    const shown = coc.vim.calls.find(({ name }) => name === "patchbay#hooks#show");
    expect(JSON.stringify(shown?.args)).toContain("patchbay-hook.cjs' claude");
    coc.choice = `Install the hook of Claude Code: write this to ${settings}`;
    await coc.run("patchbay.installHook", "claude");
    expect(readFileSync(settings, "utf8")).toContain('\t"model": "opus"');
    expect(readFileSync(settings, "utf8")).toContain("patchbay-hook.cjs' claude");
    expect(readFileSync(join(coc.home, ".patchbay", "patchbay-hook.cjs"), "utf8")).toBe("// the program");
    expect(coc.vim.calls.at(-2)?.name).toBe("patchbay#hooks#hide");
    coc.choice = `Remove the hook of Claude Code: write this to ${settings}`;
    await coc.run("patchbay.removeHook", "claude");
    expect(readFileSync(settings, "utf8")).toBe(before);
  });
});

it("what agents run is put right with the start of the editor, and the log says so", async () => {
  const settings = join(coc.home, ".claude", "settings.json");
  const program = join(coc.root, "patchbay-hook.cjs");
  mkdirSync(join(coc.home, ".claude"));
  writeFileSync(program, "// the program");
  const hooks = [{ hooks: [{ type: "command", command: `'/gone/node' '${program}' claude` }] }];
  const events = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart", "SessionEnd"];
  writeFileSync(settings, JSON.stringify({ hooks: Object.fromEntries(events.map((event) => [event, hooks])) }));
  const log: string[] = [];
  await repairAtStart(createNodePlatform(), program, (line) => void log.push(line));
  expect(log).toEqual([expect.stringMatching(/^The hook of Claude Code in .* Repaired\.$/u)]);
  expect(readFileSync(settings, "utf8")).not.toContain("/gone/node");
  expect(readFileSync(join(coc.home, ".patchbay", "patchbay-hook.cjs"), "utf8")).toBe("// the program");
});

describe("openPanel", () => {
  const pages = (): readonly (readonly unknown[])[] =>
    coc.vim.calls.filter(({ name }) => name === "patchbay#page").map(({ args }) => args);

  it("serves the panel from this process, and shows the link where there is no browser", async () => {
    for (const name of ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]) vi.stubEnv(name, undefined);
    vi.stubEnv("XDG_STATE_HOME", join(coc.home, "state"));
    register();
    await coc.run("patchbay.openPanel");
    const opened = panel.current;
    onTestFinished(async () => await opened?.close());
    await coc.run("patchbay.openPanel");
    expect(panel.current).toBe(opened);
    const links = pages().map(([title, lines]) => [title, /http:\/\/\S+/u.exec(String(lines))?.[0] ?? ""]);
    expect(links).toMatchObject([
      ["Patchbay: panel", expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#.{20,}$/u)],
      ["Patchbay: panel", expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#.{20,}$/u)],
    ]);
    // Each works once.
    expect(links[0]?.[1]).not.toBe(links[1]?.[1]);
    expect((await fetch(String(links[0]?.[1]))).status).toBe(200);
  });

  it("does not take a mention as long as no conversation is open in it", async () => {
    for (const name of ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"]) vi.stubEnv(name, undefined);
    vi.stubEnv("XDG_STATE_HOME", join(coc.home, "state"));
    register();
    await coc.run("patchbay.openPanel");
    onTestFinished(async () => await panel.current?.close());
    const file = join(coc.folder, "a.ts");
    writeFileSync(file, "one\n");
    coc.vim.openFile(file);
    await coc.run("patchbay.mention", 1, 1);
    expect(companion.mentioned).toHaveLength(1);
    await coc.run("patchbay.sendSelection");
    expect(coc.vim.calls.at(-1)?.args[0]).toContain("Nothing was sent");
  });
});
