import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { profileFor } from "../../src/acp/profiles.ts";
import { AcpSession } from "../../src/acp/session.ts";
import { Conversation } from "../../src/conversation/conversation.ts";
import { AgentProcess } from "../../src/process/agent-process.ts";
import { createNodeChildren } from "../../src/process/node-children.ts";
import { ConversationStore } from "../../src/transcript/conversation-store.ts";
import { nodeLineFiles } from "../../src/transcript/line-files.ts";
import { noHost } from "../conversation/no-host.ts";

/**
 * Many turns with an agent that says much, on a real disk, in real time: `node --expose-gc --conditions=@patchbay/source
 * test/soak/soak.ts [turns]`. Fails where the memory of the editor grows with the turns, or a closed conversation leaves its agent.
 */
const turns = Number(process.argv[2] ?? 200);
/** What a conversation may hold in memory more after all the turns than after the first tenth of them, MB. */
const growthMb = 20;
const goneMs = 3_000;

const { gc } = globalThis;
assert.ok(gc !== undefined, "Start it with --expose-gc.");
const heapMb = (): number => {
  gc();
  return process.memoryUsage().heapUsed / 1_000_000;
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const root = await realpath(await mkdtemp(join(tmpdir(), "patchbay-soak-")));
const platform = createNodePlatform();
const { clock, random } = platform;
const store = new ConversationStore({ platform, files: nodeLineFiles, directory: join(root, "c"), logger: nullLogger });
const children = createNodeChildren();
const processes: AgentProcess[] = [];

const open = async (id: string): Promise<Conversation> =>
  await Conversation.open({
    about: { id, agent: "chatty", folder: root, at: 0, usedAt: 0, title: "", titleFrom: "nobody" },
    openFile: () => store.open(id),
    storage: store.values,
    host: noHost,
    connect: ({ start, host }) =>
      new AcpSession({
        profile: profileFor({ id: "chatty", command: process.execPath }),
        host,
        cwd: root,
        start,
        autosave: true,
        version: "0.0.0",
        clock,
        logger: nullLogger,
        runId: randomUUID(),
        createProcess: async () => {
          const agent = fileURLToPath(new URL("./chatty-agent.ts", import.meta.url));
          const started = new AgentProcess(
            { children, clock, logger: nullLogger },
            { program: process.execPath, args: [agent], cwd: root, environment: {} },
          );
          processes.push(started);
          return await Promise.resolve(started);
        },
      }),
    clock,
    random,
    logger: nullLogger,
  });

const until = async (conversation: Conversation, test: () => boolean): Promise<void> => {
  if (test()) return;
  await new Promise<void>((resolve) => {
    const subscription = conversation.onDidChange(() => {
      if (!test()) return;
      subscription.dispose();
      resolve();
    });
  });
};

const isAlive = (group: number): boolean => {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
};

/** How long it takes until nothing of the agent is left. */
const closed = async (conversation: Conversation): Promise<number> => {
  const begun = performance.now();
  const group = processes.at(-1)?.pid ?? 0;
  await conversation.close();
  assert.ok(!isAlive(group), "Something of the agent is left.");
  return Math.round(performance.now() - begun);
};

// As an editor does: timers of the platform keep no process alive.
const editor = setInterval(() => undefined, 1_000);
try {
  const conversation = await open("soak");
  let ends = 0;
  conversation.onDidChange((change) => {
    if (change.kind !== "patch") return;
    ends += change.patch.entries.filter(({ entry }) => entry.kind === "turn-end").length;
  });
  let first = 0;
  for (let turn = 1; turn <= turns; turn += 1) {
    conversation.prompt([{ type: "text", text: `turn ${turn}` }]);
    await until(conversation, () => ends >= turn);
    if (turn === Math.ceil(turns / 10)) first = heapMb();
  }
  const grown = heapMb() - first;
  say(`${turns} turns: the heap has grown by ${grown.toFixed(1)} MB, to ${(first + grown).toFixed(1)} MB`);
  const idle = await closed(conversation);
  const busy = await open("busy");
  busy.prompt([{ type: "text", text: "hang" }]);
  await until(busy, () => busy.snapshot().entries.some(({ entry }) => entry.kind === "tool" && entry.state === "done"));
  const inTurn = await closed(busy);
  say(`closed: nothing is left after ${idle} ms, in the middle of a turn after ${inTurn} ms`);
  assert.ok(grown <= growthMb, `The heap grows by more than ${growthMb} MB.`);
  assert.ok(Math.max(idle, inTurn) <= goneMs, `The agent stays for more than ${goneMs} ms.`);
} finally {
  clearInterval(editor);
  children.endAllSync();
  await rm(root, { recursive: true, force: true });
}
