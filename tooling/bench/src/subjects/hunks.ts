import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createCompanion } from "../../../../packages/core/src/index.ts";
import { createMemoryEditor, createTestPlatform } from "../../../../packages/testkit/src/index.ts";
import { serveFigures, taken } from "./figures.ts";

// Verdicts on hunks in an editor in memory: what core does for them, without what an editor draws.

const hunks = 5_000;

/** Each hunk is one line of three. */
const before = Array.from({ length: hunks * 3 }, (_, line) => `line ${line}`);
const after = before.map((text, line) => (line % 3 === 1 ? `${text}, changed` : text));

serveFigures(async () => {
  const platform = createTestPlatform();
  const folder = realpathSync(platform.workspace);
  const path = join(folder, "long.txt");
  writeFileSync(path, before.join("\n"));
  const companion = createCompanion({ platform, host: createMemoryEditor({ folders: [folder] }) });
  try {
    const conversation = { id: "bench", agent: "gemini", agentName: "Gemini CLI" };
    const review = await companion.review({ conversation, path, text: after.join("\n"), isEditable: true });
    await review.shown;
    const count = await taken(async () => must((await companion.hunks(review.id))?.length === hunks));
    const accept = await taken(async () => {
      const decision = await companion.decideHunk(review.id, "accept", (hunks / 2) * 3 + 1);
      must(decision.kind === "decided" && decision.left === hunks - 1);
    });
    const undo = await taken(async () => must(await companion.undoHunk(review.id)));
    must((await companion.hunks(review.id))?.length === hunks);
    return {
      countMs: count.ms,
      countBlockedMs: count.blockedMs,
      acceptMs: accept.ms,
      acceptBlockedMs: accept.blockedMs,
      undoMs: undo.ms,
      undoBlockedMs: undo.blockedMs,
    };
  } finally {
    await companion.stop();
    platform.dispose();
  }
});

function must(isSo: boolean): void {
  if (!isSo) throw new Error("The verdicts on hunks did not do what is measured.");
}
