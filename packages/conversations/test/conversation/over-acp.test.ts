import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLogger } from "@patchbay/core";
import { createAcpAgent } from "@patchbay/testkit";
import { expect, it } from "vitest";
import { geminiProfile } from "../../src/acp/profiles.ts";
import { AcpSession } from "../../src/acp/session.ts";
import { type Lab, makeLab, textBlock } from "./conversation-lab.ts";
import { noHost } from "./no-host.ts";

const folder = realpathSync(tmpdir());
const path = join(folder, "a.txt");

it("a conversation over ACP lists what the agent changed without a question, and undoes it", async () => {
  const agent = createAcpAgent("gemini");
  const lab: Lab = makeLab({
    connect: ({ start, host }) =>
      new AcpSession({
        profile: geminiProfile,
        createProcess: () => Promise.resolve(agent.channel),
        version: "0.0.0",
        clock: lab.clock,
        logger: nullLogger,
        host,
        cwd: folder,
        start,
        runId: "run",
        autosave: true,
      }),
  });
  const disk = new Map([[path, "one\n"]]);
  lab.host = {
    ...noHost,
    readText: async (one) => disk.get(one),
    writeText: async (one, text) => void disk.set(one, text),
    removeFile: async (one) => void disk.delete(one),
  };
  agent.play(async ({ edit }) => void (await edit(path, "two\n", { asks: false })));
  const conversation = await lab.open();
  await conversation.setOption("mode", "autoEdit");
  const turn = conversation.prompt([textBlock("Edit")]) ?? "";
  const told = (): readonly string[] =>
    conversation.snapshot().entries.map(({ entry }) => (entry.kind === "notice" ? entry.text : entry.kind));
  await expect.poll(told).toEqual(["prompt", "tool", "turn-end"]);
  expect(disk.get(path)).toBe("two\n");
  expect(await conversation.files.undo(turn, path)).toEqual({ kind: "done", merged: false });
  expect(disk.get(path)).toBe("one\n");
  expect(conversation.snapshot().turns).toMatchObject([
    { turn, files: [{ path, kind: "changed", state: "undone", isAsked: false }] },
  ]);
  await conversation.close();
});
