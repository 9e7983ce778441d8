import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodePlatform } from "@patchbay/core";
import { createDiskDoor, FolderLedgers } from "@patchbay/turns";
import { expect, it, onTestFinished } from "vitest";
import type { AgentChanges } from "../../src/turns/agent-changes.ts";
import { createLazyTurns } from "../../src/turns/lazy-turns.ts";

it("has agents hear of an undo, once, also of one that another program has carried out", async () => {
  const platform = createNodePlatform();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-turns-")));
  const storageDirectory = mkdtempSync(join(tmpdir(), "patchbay-turns-"));
  const open = (): FolderLedgers => {
    const door = createDiskDoor({ platform, folders: [folder] });
    const ledgers = new FolderLedgers({ platform, storageDirectory, folders: [folder], mayKeep: () => true, door });
    onTestFinished(() => ledgers.dispose());
    return ledgers;
  };
  const changes: Pick<AgentChanges, "ledgers" | "count" | "dispose"> = { ledgers: open(), count: 0, dispose: () => {} };
  const turns = createLazyTurns(
    async () => changes as AgentChanges,
    () => true,
    (error) => expect.fail(String(error)),
  );
  const source = { agent: "claude", agentName: "Claude Code", session: "s1", folder };
  const path = join(folder, "a.txt");
  writeFileSync(path, "one\n");
  turns.witness.turnBegan(source, "Change it");
  turns.witness.aboutToWrite(source, [{ path, before: "one\n" }]);
  await turns.witness.ready();
  writeFileSync(path, "two\n");
  turns.witness.wrote(source);
  turns.witness.turnEnded(source);
  await changes.ledgers.settled();

  const elsewhere = open();
  await elsewhere.settled();
  await elsewhere.undo(elsewhere.turns()[0]?.id ?? "", { reason: "Keep it" });
  await elsewhere.settled();

  const [note, ...more] = (await turns.witness.notes?.(source)) ?? [];
  expect(note?.text).toMatch(/a\.txt.*Keep it$/u);
  expect(more).toEqual([]);
  turns.witness.passedOn?.([note?.id ?? ""]);
  expect(await turns.witness.notes?.(source)).toEqual([]);
});
