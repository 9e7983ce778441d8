import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { linesOf } from "@patchbay/core/json-input";
import { describe, expect, it, onTestFinished } from "vitest";
import { readUnsent } from "../../src/conversation/unsent.ts";
import { ConversationStore } from "../../src/transcript/conversation-store.ts";
import { nodeLineFiles } from "../../src/transcript/line-files.ts";

const program = fileURLToPath(new URL("./killed-window.ts", import.meta.url));
const whole = (count: number): string => Array.from({ length: count }, (_, index) => `${index} `).join("");

/** Runs a window until it has said so much, and kills it. Returns how much it had said. */
async function killAfter(directory: string, count: number): Promise<number> {
  const child = spawn(process.execPath, ["--conditions=@patchbay/source", program, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = 0;
  for await (const line of linesOf(child.stdout)) {
    said = Number(line) + 1;
    if (said === count) child.kill("SIGKILL");
  }
  if (child.signalCode === null) await once(child, "exit");
  return said;
}

describe("a window that is killed in the middle of streaming", () => {
  it("loses at most a second of the answer, half a second of the draft, and breaks nothing", async () => {
    const platform = createNodePlatform();
    for (const count of [130, 171, 233]) {
      const directory = join(realpathSync(mkdtempSync(join(tmpdir(), "patchbay-killed-"))), "conversations");
      onTestFinished(() => rmSync(join(directory, ".."), { recursive: true, force: true }));
      const said = await killAfter(directory, count);
      const store = new ConversationStore({ platform, files: nodeLineFiles, directory, logger: nullLogger });
      const { transcript, isOwn, release } = await store.open("c1");
      expect(isOwn).toBe(true);
      const entries = await transcript.before(Number.POSITIVE_INFINITY, 10);
      expect(entries.map(({ entry }) => entry.kind)).toEqual(["prompt", "message"]);
      const [, answer] = entries;
      const text = answer?.entry.kind === "message" ? answer.entry.text : "";
      const kept = text.split(" ").length - 1;
      expect(text).toBe(whole(kept));
      // A hundred pieces are a second.
      expect(said - kept).toBeLessThan(100);
      const { draft } = await readUnsent(store.values, "c1");
      const [typed] = draft.blocks;
      expect(said - Number(typed?.type === "text" ? typed.text : 0)).toBeLessThan(50);
      await release();
    }
  });
});
