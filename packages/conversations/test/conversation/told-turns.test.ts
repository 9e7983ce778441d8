import { type TurnSource, type TurnWitness } from "@patchbay/core";
import { lateLedger } from "@patchbay/core/turn-ledger";
import { expect, it } from "vitest";
import type { Entry } from "../../src/model/entries.ts";
import { noHost } from "./no-host.ts";
import { makeLab, textBlock } from "./conversation-lab.ts";

/** Writes down what it is told, and holds the agent until `ready` is let go. */
function recorder(): { readonly told: string[]; readonly witness: TurnWitness; ready: Promise<void> } {
  const told: string[] = [];
  const say =
    (what: string) =>
    (source: TurnSource, more?: unknown, id?: string): void => {
      expect(source).toMatchObject({ agent: "claude", agentName: "Claude Code", session: "c1", folder: "/w" });
      expect(source.conversation).toBeDefined();
      const words = [what, more, id].filter((word) => word !== undefined);
      told.push(words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" "));
    };
  const kept = {
    told,
    ready: Promise.resolve(),
    witness: {
      turnBegan: say("began"),
      turnEnded: say("ended"),
      aboutToWrite: say("about to write"),
      aboutToRun: say("about to run"),
      wrote: say("wrote"),
      accepted: say("accepted"),
      ready: async () => await kept.ready,
    },
  };
  return kept;
}

const agentName = (): string => "Claude Code";

/** Nobody asks it here. */
const ledger = lateLedger(
  async () => await Promise.resolve(undefined),
  () => ({ dispose: () => {} }),
);

function command(state: "pending" | "running" | "done"): Entry {
  return { kind: "tool", id: "t1", at: 0, tool: "execute", name: "Bash", title: "make", state };
}

it("tells where a turn begins and ends, and what may change files in it", async () => {
  const { told, witness } = recorder();
  const lab = makeLab({ turns: { witness, ledger, agentName } });
  const conversation = await lab.open();
  told.length = 0;
  conversation.prompt([textBlock("Tidy up\nplease")]);
  await expect.poll(() => told).toEqual(["began Tidy up\nplease"]);

  for (const state of ["pending", "running", "running", "done", "done"] as const) lab.session.tell(command(state));
  expect(told.splice(0)).toEqual(["began Tidy up\nplease", "about to run make t1", "wrote t1"]);

  lab.session.say({ type: "file-changed", path: "/w/a.txt", isAsked: false });
  expect(told.splice(0)).toEqual(["wrote"]);
  lab.session.end("done");
  await expect.poll(() => told).toEqual(["ended"]);
});

it("has a file's text taken before the agent gets at it", async () => {
  const record = recorder();
  const written: string[] = [];
  const lab = makeLab({ turns: { witness: record.witness, ledger, agentName } });
  lab.host = { ...noHost, writeText: async (path) => void written.push(path) };
  const conversation = await lab.open();
  conversation.prompt([textBlock("Write")]);
  await expect.poll(() => lab.sessions.at(-1)?.isInTurn).toBe(true);
  record.told.length = 0;

  let goOn = (): void => {};
  record.ready = new Promise((resolve) => (goOn = resolve));
  const { host } = lab.session.request;
  const writing = host.writeText("/w/a.txt", "new");
  await expect.poll(() => record.told).toEqual(['about to write [{"path":"/w/a.txt"}]']);
  expect(written).toEqual([]);
  goOn();
  await writing;
  expect(written).toEqual(["/w/a.txt"]);

  record.told.length = 0;
  await host.aboutToWrite?.("/w/b.txt");
  expect(record.told).toEqual(['about to write [{"path":"/w/b.txt"}]']);
});

it("ends the turn of an agent that exits, is stopped, or was cut off by a reload", async () => {
  const { told, witness } = recorder();
  const lab = makeLab({ turns: { witness, ledger, agentName } });
  const conversation = await lab.open();
  // An earlier run may have left one open.
  expect(told.splice(0)).toEqual(["ended"]);
  for (const end of ["exited", "stopped"] as const) {
    conversation.prompt([textBlock("Go")]);
    await expect.poll(() => told).toEqual(["began Go"]);
    if (end === "stopped") await conversation.stop();
    else lab.session.end("exited");
    await expect.poll(() => told).toEqual(["began Go", "ended"]);
    told.length = 0;
  }
});

it("gives the agent with the next prompt what it is to hear of an undo, once, and shows that", async () => {
  const { witness } = recorder();
  const passedOn: string[] = [];
  const lab = makeLab({
    turns: {
      agentName,
      ledger,
      witness: {
        ...witness,
        notes: async () =>
          [
            { id: "n1", text: "The user undid a.txt." },
            { id: "n2", text: "The user undid b.txt." },
          ].filter(({ id }) => !passedOn.includes(id)),
        passedOn: (ids) => void passedOn.push(...ids),
      },
    },
  });
  const conversation = await lab.open();
  conversation.prompt([textBlock("Go on")]);
  await expect.poll(() => lab.sessions.at(-1)?.prompts).toHaveLength(1);
  const told = "The user undid a.txt.\nThe user undid b.txt.";
  expect(lab.session.prompts[0]?.blocks).toEqual([textBlock("Go on"), textBlock(told)]);
  expect(passedOn).toEqual(["n1", "n2"]);
  const entries = conversation.snapshot().entries.map(({ entry }) => entry);
  expect(entries).toContainEqual(expect.objectContaining({ kind: "notice", text: "Also sent:", detail: told }));
  expect(entries).toContainEqual(expect.objectContaining({ kind: "prompt", blocks: [textBlock("Go on")] }));
  lab.session.end("done");
  conversation.prompt([textBlock("And now?")]);
  await expect.poll(() => lab.session.prompts.at(-1)?.blocks).toEqual([textBlock("And now?")]);
});

it("is at work while it is asked what the agent is to hear, so that nobody takes it for finished", async () => {
  const { witness } = recorder();
  let goOn = (): void => {};
  const waits = new Promise<readonly []>((resolve) => (goOn = () => resolve([])));
  const lab = makeLab({ turns: { witness: { ...witness, notes: async () => await waits }, ledger, agentName } });
  const conversation = await lab.open();
  conversation.prompt([textBlock("Go on")]);
  await expect.poll(() => conversation.status.state.kind).toBe("running");
  expect(lab.session.prompts).toEqual([]);
  goOn();
  await expect.poll(() => lab.session.prompts).toHaveLength(1);
  lab.session.end("done");
  await expect.poll(() => conversation.status.state.kind).toBe("idle");
});

it("is not at work any more where the agent ended before it said anything of its turn", async () => {
  const { witness } = recorder();
  const lab = makeLab({ turns: { witness, ledger, agentName } });
  lab.onStart = (session) => {
    session.prompt = async () => await Promise.resolve("failed" as const);
  };
  const conversation = await lab.open();
  conversation.prompt([textBlock("Go on")]);
  await expect.poll(() => conversation.snapshot().entries.at(-1)?.entry.kind).toBe("turn-end");
  expect(conversation.status.state.kind).toBe("idle");
});

it("restoring says that nothing is kept where that is turned off, and not that nothing has changed", async () => {
  const { witness } = recorder();
  const lab = makeLab({ turns: { witness, ledger, agentName } });
  const conversation = await lab.open();
  conversation.prompt([textBlock("Go")]);
  await expect.poll(() => lab.sessions.at(-1)?.isInTurn).toBe(true);
  const reason = "What agents change is not kept: it is off in the settings.";
  expect(await conversation.rewind("p", true)).toEqual({ canRewind: false, reason, files: [] });
  await conversation.close();
});
