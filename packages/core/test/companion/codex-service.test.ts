import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  type CodexConversation,
  type CodexFileChange,
  CodexService,
  type CodexServiceOptions,
} from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Companion } from "../../src/companion.ts";
import { agentOf } from "../../src/agents/catalogue.ts";
import { runHook } from "../../src/hook-client/run-hook.ts";
import type { TurnWitness } from "../../src/hooks/turn-witness.ts";
import { createWorkspaceLab, type EditorRun, type WorkspaceLab } from "../workspace-lab.ts";

interface CodexLab extends WorkspaceLab {
  readonly service: CodexService;
  at(name: string): string;
  /** Another service in its place. */
  again(options?: Partial<CodexServiceOptions>): Promise<CodexService>;
}

/** Writes down what it is told. */
function recordTurns(): { readonly told: string[]; readonly turns: TurnWitness } {
  const told: string[] = [];
  const turns: TurnWitness = {
    turnBegan: ({ session }, prompt) => void told.push(`${session} began ${prompt}`),
    turnEnded: ({ session }) => void told.push(`${session} ended`),
    aboutToWrite: ({ agent }, files) => void told.push(`${agent} writes ${files.length}`),
    aboutToRun: ({ agent }, command) => void told.push(`${agent} runs ${command}`),
    wrote: ({ agent }) => void told.push(`${agent} wrote`),
    accepted: () => {},
    ready: async () => {},
  };
  return { told, turns };
}

/** A workspace of somebody whose terminals of Codex CLI share a service. */
async function createCodexLab(options: Partial<CodexServiceOptions> = {}): Promise<CodexLab> {
  const lab = createWorkspaceLab();
  const home = join(lab.platform.home, ".codex");
  mkdirSync(home);
  writeFileSync(join(home, "config.toml"), "");
  const again = async (more: Partial<CodexServiceOptions> = {}): Promise<CodexService> => {
    const service = new CodexService({ home, temporaryDirectory: lab.platform.tmp, ...more });
    await service.listen();
    onTestFinished(() => service.kill());
    return service;
  };
  return { ...lab, service: await again(options), again, at: (name) => join(lab.platform.workspace, name) };
}

async function joined(lab: CodexLab, settings: Parameters<Companion["updateSettings"]>[0] = {}): Promise<EditorRun> {
  const run = lab.build();
  run.companion.updateSettings(settings);
  await run.companion.start();
  await expect.poll(() => lab.service.clients, { timeout: 5_000 }).toBe(1);
  return run;
}

function beginTurn(
  { service, platform }: CodexLab,
  prompt = "Change the files",
  cwd = platform.workspace,
): CodexConversation {
  const conversation = service.begin(cwd);
  conversation.prompt(prompt);
  return conversation;
}

/** A patch of three files: one comes, one changes, one moves. */
function patchOf(lab: CodexLab): { readonly changes: readonly CodexFileChange[]; readonly write: () => void } {
  writeFileSync(lab.at("c.txt"), "x\ny\n");
  const update = { type: "update", move_path: null } as const;
  return {
    changes: [
      { path: lab.at("a.txt"), kind: { type: "add" }, diff: "new\n" },
      { path: lab.file, kind: update, diff: "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n" },
      {
        path: lab.at("c.txt"),
        kind: { type: "update", move_path: lab.at("d.txt") },
        diff: `@@ -1,2 +1,2 @@\n x\n-y\n+z\n\n\nMoved to: ${lab.at("d.txt")}`,
      },
    ],
    write: () => {
      writeFileSync(lab.at("a.txt"), "new\n");
      writeFileSync(lab.file, "ONE\ntwo\n");
      renameSync(lab.at("c.txt"), lab.at("d.txt"));
      writeFileSync(lab.at("d.txt"), "x\nz\n");
    },
  };
}

async function reviewed({ companion }: EditorRun, count: number): Promise<Companion["proposals"]> {
  await expect
    .poll(() => companion.proposals.map(({ state }) => state), { timeout: 5_000 })
    .toEqual(Array.from({ length: count }, () => "shown"));
  return companion.proposals;
}

describe.skipIf(process.platform === "win32")("what Codex CLI's service asks", () => {
  it("about a patch is a review of each of its files, and the yes to one is the yes to all", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes, write } = patchOf(lab);
    const decided = beginTurn(lab).patch(changes, write);
    const proposals = await reviewed(run, 4);
    expect(proposals.map(({ path, kind }) => [path, kind])).toEqual([
      [lab.at("a.txt"), "create"],
      [lab.file, "change"],
      [lab.at("d.txt"), "create"],
      [lab.at("c.txt"), "delete"],
    ]);
    expect(proposals[0]).toMatchObject({
      agentName: "Codex CLI",
      sessionTitle: "Change the files",
      readsReasons: true,
    });
    await expect
      .poll(() => run.editor.views.map(({ request: { isReadOnly, patchFiles } }) => [isReadOnly, patchFiles]))
      .toEqual(proposals.map(() => [true, 4]));
    expect(await run.companion.accept(proposals[1]?.id ?? "")).toBe(true);
    expect(await decided).toEqual({ by: "editor", decision: "accept" });
    await expect.poll(() => run.companion.proposals).toEqual([]);
    expect(run.editor.messages.shown).toEqual([]);
  });

  it("is rejected where each file is, and the model hears why before the answer", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes, write } = patchOf(lab);
    const conversation = beginTurn(lab);
    const decided = conversation.patch(changes, write);
    const proposals = await reviewed(run, 4);
    await run.companion.reject(proposals[2]?.id ?? "", "Keep c.txt.");
    // What comes of a file that moves and what goes have one verdict.
    const left = await reviewed(run, 2);
    expect(left.map(({ path }) => path)).toEqual([lab.at("a.txt"), lab.file]);
    const { message, answer } = await run.editor.messages.next("patch-rest");
    expect(message.text).toContain(`You rejected ${lab.at("d.txt")}.`);
    answer("Reject All");
    expect(await decided).toEqual({ by: "editor", decision: "decline" });
    expect(conversation.steered).toEqual(["Keep c.txt."]);
    await expect.poll(() => run.companion.proposals).toEqual([]);
    expect(readFileSync(lab.file, "utf8")).toBe("one\ntwo\n");
    // Without a word there is nothing to tell.
    const next = conversation.patch(changes.slice(0, 1), write);
    await run.companion.reject((await reviewed(run, 1))[0]?.id ?? "");
    expect(await next).toEqual({ by: "editor", decision: "decline" });
    expect(conversation.steered).toHaveLength(1);
    expect(run.editor.messages.shown).toHaveLength(1);
  });

  it("is declined where some of its files are rejected, and what was accepted of it is not asked about again", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes, write } = patchOf(lab);
    const conversation = beginTurn(lab);
    const decided = conversation.patch(changes, write);
    const [first, , moved] = await reviewed(run, 4);
    await run.companion.reject(moved?.id ?? "", "Keep c.txt.");
    await reviewed(run, 2);
    await run.companion.accept(first?.id ?? "");
    expect(await decided).toEqual({ by: "editor", decision: "decline" });
    const [reason] = conversation.steered;
    expect(reason?.split("\n")).toEqual([
      "I want only some of the files of this patch, so nothing of it was written.",
      `Accepted: a.txt, ${basename(lab.file)}. Make these changes again, exactly as they were, in a patch without the others.`,
      "Rejected: d.txt, c.txt. Leave these as they are.",
      "About d.txt: Keep c.txt.",
    ]);
    expect(run.editor.messages.open).toEqual([]);
    // Half of it comes with something new, of which the user wants nothing: they are told the same once more.
    const fresh: CodexFileChange = { path: lab.at("e.txt"), kind: { type: "add" }, diff: "e\n" };
    const again = conversation.patch([...changes.slice(0, 2), fresh], () => {});
    await run.companion.reject((await reviewed(run, 1))[0]?.id ?? "");
    expect(await again).toEqual({ by: "editor", decision: "decline" });
    expect(conversation.steered[1]).toContain(`Accepted: a.txt, ${basename(lab.file)}.`);
    const last = conversation.patch(changes.slice(0, 2), () => {
      writeFileSync(lab.at("a.txt"), "new\n");
      writeFileSync(lab.file, "ONE\ntwo\n");
    });
    expect(await last).toEqual({ by: "editor", decision: "accept" });
    expect(run.companion.proposals).toEqual([]);
    expect(run.companion.keptTexts).toEqual([]);
  });

  it("is asked about again in another turn, whatever was accepted of it", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes, write } = patchOf(lab);
    const conversation = beginTurn(lab);
    run.editor.messages.answerWith("patch-rest", "Accept the Others");
    const decided = conversation.patch(changes, write);
    await run.companion.reject((await reviewed(run, 4))[1]?.id ?? "");
    expect(await decided).toEqual({ by: "editor", decision: "decline" });
    expect(conversation.steered[0]).toContain("Accepted: a.txt, d.txt, c.txt.");
    conversation.end();
    // Its model has not made them again.
    const kept = (): readonly string[] => run.companion.keptTexts.map(({ path, reason }) => `${path} ${reason}`);
    await expect.poll(kept, { timeout: 5_000 }).toHaveLength(3);
    expect(kept()).toContain(`${lab.at("a.txt")} not-written`);
    conversation.prompt("Once more");
    await expect.poll(() => conversation.subscribers.size).toBe(1);
    void conversation.patch(changes, write);
    await reviewed(run, 4);
    conversation.answerInTerminal("decline");
  });

  it("is over here when the user answers in the terminal, or interrupts the turn", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes, write } = patchOf(lab);
    const conversation = beginTurn(lab);
    const decided = conversation.patch(changes, write);
    await reviewed(run, 4);
    conversation.answerInTerminal("decline");
    expect(await decided).toEqual({ by: "terminal", decision: "decline" });
    await expect.poll(() => run.companion.proposals).toEqual([]);
    expect(run.companion.keptTexts).toEqual([]);
    conversation.end("interrupted");
    await expect.poll(() => run.companion.activities.at(-1)?.state).toBe("idle");
  });

  it("goes on where a view is closed: the terminal asks, and the review can be opened again", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes, write } = patchOf(lab);
    const decided = beginTurn(lab).patch(changes.slice(0, 2), write);
    const [first, second] = await reviewed(run, 2);
    run.editor.views[0]?.closeByUser();
    await expect.poll(() => run.companion.proposals[0]?.state).toBe("hidden");
    expect(run.companion.proposals[1]?.state).toBe("shown");
    expect(await run.companion.reveal(first?.id ?? "")).toBe(true);
    run.editor.views[1]?.closeByUser();
    await run.companion.accept(second?.id ?? "");
    expect(await decided).toEqual({ by: "editor", decision: "accept" });
  });

  it("is asked in each window of its folder, and answered in one for all", async () => {
    const lab = await createCodexLab();
    const runs = [await joined(lab), lab.build()] as const;
    await runs[1].companion.start();
    await expect.poll(() => lab.service.clients).toBe(2);
    const { changes, write } = patchOf(lab);
    const decided = beginTurn(lab).patch(changes, write);
    for (const run of runs) await reviewed(run, 4);
    await runs[1].companion.accept(runs[1].companion.proposals[0]?.id ?? "");
    expect(await decided).toEqual({ by: "editor", decision: "accept" });
    for (const { companion } of runs) {
      await expect.poll(() => companion.proposals).toEqual([]);
      expect(companion.keptTexts).toEqual([]);
    }
  });

  it("is accepted once more for a file that has changed meanwhile, before the whole is", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes, write } = patchOf(lab);
    const decided = beginTurn(lab).patch(changes.slice(0, 2), write);
    const [first, second] = await reviewed(run, 2);
    writeFileSync(lab.file, "one\ntwo\nthree\n");
    await run.companion.accept(first?.id ?? "");
    await expect.poll(() => run.editor.messages.shown.map(({ message }) => message.code)).toHaveLength(1);
    expect(run.companion.proposals.map(({ id }) => id)).toEqual([second?.id]);
    expect(await run.companion.accept(second?.id ?? "")).toBe(true);
    expect(await decided).toEqual({ by: "editor", decision: "accept" });
  });

  it("is asked here, too, where it had been asked before the editor started", async () => {
    const lab = await createCodexLab();
    const { changes, write } = patchOf(lab);
    const conversation = beginTurn(lab);
    const decided = conversation.patch(changes, write);
    const run = await joined(lab);
    const [first] = await reviewed(run, 4);
    expect(first?.sessionTitle).toBe("Change the files");
    await run.companion.accept(first?.id ?? "");
    expect(await decided).toEqual({ by: "editor", decision: "accept" });
  });

  it("is gone with the service, and asked again by the one that comes in its place", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes, write } = patchOf(lab);
    void beginTurn(lab).patch(changes, write);
    await reviewed(run, 4);
    await lab.service.kill();
    await expect.poll(() => run.companion.proposals).toEqual([]);
    expect(run.companion.activities.at(-1)?.state).toBe("ended");
    const service = await lab.again();
    await expect.poll(() => service.clients, { timeout: 10_000 }).toBe(1);
    const decided = beginTurn({ ...lab, service }).patch(changes, write);
    const [first] = await reviewed(run, 4);
    await run.companion.accept(first?.id ?? "");
    expect(await decided).toEqual({ by: "editor", decision: "accept" });
  });

  it("is left to the terminal in another folder, where the user reviews nothing, and where a file cannot be shown", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes } = patchOf(lab);
    const elsewhere = join(lab.platform.root, "elsewhere");
    mkdirSync(elsewhere);
    const foreign = beginTurn(lab, "Go", elsewhere);
    const own = beginTurn(lab);
    const outside: CodexFileChange = { path: join(elsewhere, "b.txt"), kind: { type: "add" }, diff: "b\n" };
    const all: Promise<unknown>[] = [foreign.patch(changes, () => {})];
    all.push(own.patch([...changes, outside], () => {}));
    const unclear = changes.map((change) => ({ ...change, diff: change.diff.replaceAll("one", "none") }));
    all.push(own.patch(unclear, () => {}));
    // What it asks next is seen, so these have been looked at.
    const shown = own.patch(changes.slice(0, 1), () => {});
    await reviewed(run, 1);
    run.companion.updateSettings({ reviews: { codex: "never" } });
    all.push(own.patch(changes.slice(1, 2), () => {}));
    await run.companion.accept(run.companion.proposals[0]?.id ?? "");
    expect(await shown).toMatchObject({ by: "editor" });
    expect(run.companion.proposals).toEqual([]);
    expect(foreign.subscribers.size).toBe(0);
    for (const one of [foreign, own]) one.answerInTerminal("accept");
    expect(await Promise.all(all)).toEqual(all.map(() => ({ by: "terminal", decision: "accept" })));
  });

  it("about a command is asked where the user wants that, and else left to the terminal", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab, { reviews: { commands: "ask" } });
    const conversation = beginTurn(lab);
    const asked = async (): Promise<string> => {
      await expect.poll(() => run.companion.commands?.all.length, { timeout: 5_000 }).toBe(1);
      const [question] = run.companion.commands?.all ?? [];
      expect(question).toMatchObject({ command: "touch a", folder: lab.platform.workspace, agentName: "Codex CLI" });
      return question?.id ?? "";
    };
    const first = conversation.command("touch a");
    run.companion.commands?.answer(await asked(), "allow");
    expect(await first).toEqual({ by: "editor", decision: "accept" });
    const second = conversation.command("touch a");
    run.companion.commands?.answer(await asked(), "reject", "Not now.");
    expect(await second).toEqual({ by: "editor", decision: "decline" });
    expect(conversation.steered).toEqual(["Not now."]);
    const third = conversation.command("touch a");
    await asked();
    conversation.answerInTerminal("accept");
    expect(await third).toMatchObject({ by: "terminal" });
    await expect.poll(() => run.companion.commands?.all).toEqual([]);
    const others = [conversation.command("touch a", { kind: "writeStdin" })];
    others.push(conversation.command("touch a", { networkApprovalContext: { host: "example.com" } }));
    run.companion.updateSettings({ reviews: {} });
    const fourth = conversation.command("touch a");
    const { changes } = patchOf(lab);
    const shown = conversation.patch(changes.slice(0, 1), () => {});
    await reviewed(run, 1);
    expect(run.companion.commands?.all).toEqual([]);
    conversation.answerInTerminal("accept");
    await Promise.all([...others, fourth, shown]);
  });

  it("is not asked once more where the user has said yes to it when the hook asked", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab, { reviews: { commands: "ask" } });
    const conversation = beginTurn(lab);
    const cwd = lab.platform.workspace;
    const patch = "*** Begin Patch\n*** Add File: a.txt\n+new\n*** End Patch";
    const event = JSON.stringify({
      session_id: conversation.id,
      hook_event_name: "PreToolUse",
      tool_name: "apply_patch",
      tool_input: { command: patch },
      cwd,
    });
    const hooked = runHook({ platform: lab.platform, dialect: agentOf("codex"), event, cwd, limitMs: 10_000 });
    await run.companion.accept((await reviewed(run, 1))[0]?.id ?? "");
    expect(await hooked).not.toContain("deny");
    const { changes } = patchOf(lab);
    const write = (): void => writeFileSync(lab.at("a.txt"), "new\n");
    expect(await conversation.patch(changes.slice(0, 1), write)).toEqual({ by: "editor", decision: "accept" });
    expect(run.companion.proposals).toEqual([]);
    // Nor about a command, which its hook would have asked about.
    const command = conversation.command("touch a");
    const next = conversation.patch(changes.slice(1, 2), () => {});
    await reviewed(run, 1);
    expect(run.companion.commands?.all).toEqual([]);
    conversation.answerInTerminal("decline");
    await Promise.all([command, next]);
  });

  it("and tells of turns goes to the ledger, with what nobody was asked about", async () => {
    const lab = await createCodexLab();
    const { told, turns } = recordTurns();
    const { companion } = lab.build(undefined, undefined, turns);
    await companion.start();
    await expect.poll(() => lab.service.clients).toBe(1);
    const conversation = beginTurn(lab, "Do it");
    await expect.poll(() => told).toEqual([`${conversation.id} began Do it`]);
    const { changes, write } = patchOf(lab);
    conversation.patchUnasked(changes, write);
    conversation.end();
    await expect.poll(() => told.at(-1)).toBe(`${conversation.id} ended`);
    expect(told.slice(1, -1)).toEqual(["codex runs apply_patch", "codex wrote"]);
    expect(companion.activities.at(-1)).toMatchObject({ state: "idle", title: "Do it" });
    // It is not kept in its memory for us.
    await expect.poll(() => conversation.subscribers.size).toBe(0);
    conversation.prompt("Again");
    await expect.poll(() => told.at(-1)).toBe(`${conversation.id} began Again`);
  });

  it("is heard by nobody where others may write to where it listens, or it speaks otherwise", async () => {
    const lab = await createCodexLab();
    chmodSync(dirname(lab.service.link), 0o777);
    const { companion, editor } = lab.build();
    await companion.start();
    // Two looks.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(lab.service.clients).toBe(0);
    chmodSync(dirname(lab.service.link), 0o700);
    await expect.poll(() => lab.service.clients, { timeout: 5_000 }).toBe(1);
    await lab.service.kill();
    const other = await lab.again({ greeting: { name: "another" } });
    await expect.poll(() => other.asked, { timeout: 10_000 }).toEqual(["initialize"]);
    await expect.poll(() => other.clients).toBe(0);
    expect(editor.messages.shown).toEqual([]);
  });

  it("is asked for nothing but what a review needs", async () => {
    const lab = await createCodexLab();
    const run = await joined(lab);
    const { changes, write } = patchOf(lab);
    const conversation = beginTurn(lab);
    const decided = conversation.patch(changes, write);
    run.editor.messages.answerWith("patch-rest", "Reject All");
    await run.companion.reject((await reviewed(run, 4))[0]?.id ?? "", "No.");
    await decided;
    conversation.end();
    await expect.poll(() => lab.service.asked).toContain("thread/unsubscribe");
    const needed = [
      "initialize",
      "initialized",
      "thread/loaded/list",
      "thread/read",
      "thread/resume",
      "thread/turns/list",
      "thread/unsubscribe",
      "turn/steer",
    ];
    expect(lab.service.asked.filter((method) => !needed.includes(method))).toEqual([]);
    await run.companion.stop();
    await expect.poll(() => lab.service.clients).toBe(0);
    expect(existsSync(lab.service.link)).toBe(true);
    rmSync(lab.service.link);
  });
});
