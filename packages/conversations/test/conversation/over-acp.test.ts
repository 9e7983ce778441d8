import { nullLogger } from "@patchbay/core";
import { createAcpAgent, type FamilyAcpAgent } from "@patchbay/testkit";
import { expect, it } from "vitest";
import { geminiProfile } from "../../src/acp/profiles.ts";
import { AcpSession } from "../../src/acp/session.ts";
import { textBlock } from "./conversation-lab.ts";
import { LedgerLab } from "./ledger-lab.ts";

/** Gemini CLI, scripted, in a folder with its ledger. */
function createLab(): { readonly agent: FamilyAcpAgent; readonly lab: LedgerLab } {
  const agent = createAcpAgent("gemini");
  const lab: LedgerLab = new LedgerLab({
    connect: ({ start, host }) =>
      new AcpSession({
        profile: geminiProfile,
        createProcess: () => Promise.resolve(agent.channel),
        version: "0.0.0",
        clock: lab.clock,
        logger: nullLogger,
        host,
        cwd: lab.folder,
        start,
        runId: "run",
        autosave: true,
      }),
  });
  return { agent, lab };
}

it.each([
  { how: "of a turn that ends by itself", goesOn: false },
  { how: "of a turn that goes on, which is stopped for it", goesOn: true },
])("a conversation over ACP sends the reason of a rejection as the next prompt: $how", async ({ goesOn }) => {
  const { agent, lab } = createLab();
  lab.write("a.txt", "one\n");
  const said: string[] = [];
  agent.play(
    async ({ edit, cancelled }) => {
      await edit(lab.path("a.txt"), "two\n");
      said.push("refused");
      if (!goesOn) return;
      await new Promise((resolve) => cancelled.addEventListener("abort", resolve));
      said.push("stopped");
    },
    async ({ prompt }) => await Promise.resolve(void said.push(JSON.stringify(prompt))),
  );
  const conversation = await lab.conversation();
  conversation.prompt([textBlock("Edit")]);
  const asked = (): string | undefined =>
    conversation
      .snapshot()
      .entries.flatMap(({ entry }) => (entry.kind === "question" && entry.outcome === undefined ? [entry.id] : []))[0];
  await expect.poll(asked).toBeDefined();
  expect(conversation.status.capabilities).toMatchObject({ rejectionMessages: true, rejectsByPrompt: true });
  expect(conversation.answer(asked() ?? "", { type: "reject", message: " Capitals are too loud " })).toBe(true);
  await expect.poll(() => said).toContain("refused");
  if (goesOn) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(said).toEqual(["refused"]);
    lab.clock.advance(1_000);
  }
  const ends = goesOn ? ["refused", "stopped"] : ["refused"];
  await expect.poll(() => said).toEqual([...ends, expect.stringMatching(/"Capitals are too loud \(.*a\.txt.*\)"/u)]);
  expect(lab.read("a.txt")).toBe("one\n");
});

it("a conversation over ACP lists what the agent changed without a question, and undoes it", async () => {
  const { agent, lab } = createLab();
  lab.write("a.txt", "one\n");
  agent.play(async ({ edit }) => void (await edit(lab.path("a.txt"), "two\n", { asks: false })));
  const conversation = await lab.conversation();
  await conversation.setOption("mode", "autoEdit");
  const prompt = conversation.prompt([textBlock("Edit")]) ?? "";
  const told = (): readonly string[] =>
    conversation.snapshot().entries.map(({ entry }) => (entry.kind === "notice" ? entry.text : entry.kind));
  await expect.poll(told).toEqual(["prompt", "tool", "turn-end"]);
  await lab.ledgers.settled();
  expect(lab.read("a.txt")).toBe("two\n");
  await expect.poll(() => lab.shown(conversation)).toEqual(["a.txt changed exact applied"]);
  const [changes] = conversation.status.turns;
  expect(changes?.prompt).toBe(prompt);
  expect(await conversation.files.undo(changes?.turn ?? "", { path: lab.path("a.txt") })).toEqual([]);
  expect(lab.read("a.txt")).toBe("one\n");
  await expect.poll(() => lab.shown(conversation)).toEqual(["a.txt changed exact undone"]);
});
