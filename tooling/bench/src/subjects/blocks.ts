import { realpathSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCompanion } from "../../../../packages/core/src/index.ts";
import { createMemoryEditor, createTestPlatform, type MemoryDiffView } from "../../../../packages/testkit/src/index.ts";
import { serveFigures, taken } from "./figures.ts";

// Texts that are long or odd, in reviews of an editor in memory: what core does with them in the editor's own thread.

const megabyte = 1024 * 1024;
const conversation = { id: "bench", agent: "gemini", agentName: "Gemini CLI" } as const;

/** As many keys as a person presses before a draft of them is written. */
const keys = 20;

/** Lines as people write them, each another one. */
function lines(count: number, mark: (line: number) => string): string {
  return Array.from({ length: count }, (_, line) => `line ${line} of a text as long as many are${mark(line)}`).join(
    "\n",
  );
}

serveFigures(async () => {
  const platform = createTestPlatform();
  const folder = realpathSync(platform.workspace);
  const editor = createMemoryEditor({ folders: [folder] });
  const companion = createCompanion({ platform, host: editor });
  const open = async (name: string, before: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, before);
    const review = await companion.review({ conversation, path, text, isEditable: true });
    await review.shown;
    const view = editor.openViews.at(-1);
    must(view !== undefined);
    return { path, review, view };
  };
  try {
    const crlf = await open("crlf.txt", "one\r\n", "\r\n".repeat(2 * megabyte));
    crlf.view.type(`mine\n${"\n".repeat(2 * megabyte)}`);
    const accept = await taken(async () => {
      crlf.view.accept();
      must((await crlf.review.outcome).kind === "accepted");
    });

    const long = "a line of forty characters, more or less\n".repeat(Math.ceil((5 * megabyte) / 41));
    const typed = await open("typed.txt", "one\n", long);
    const typing = await taken(() => typeInto(typed.view, long));
    typed.review.withdraw();

    // A third of the lines is changed on both sides, each to something else.
    const count = 100_000;
    const sides = (who: string) => lines(count, (line) => (line % 3 === 1 ? `, by ${who}` : ""));
    const merged = await open(
      "merged.txt",
      lines(count, () => ""),
      sides("the agent"),
    );
    const other = sides("another program");
    const merge = await taken(async () => {
      await writeFile(merged.path, other);
      must(!(await merged.review.accept()));
    });
    must(merged.view.text.includes("<<<<<<<"));

    return {
      acceptMs: accept.ms,
      acceptBlockedMs: accept.blockedMs,
      keyBlockedMs: typing.blockedMs,
      mergeMs: merge.ms,
      mergeBlockedMs: merge.blockedMs,
    };
  } finally {
    await companion.stop();
    platform.dispose();
  }
});

/** A key every few milliseconds, and the drafts that come of them. */
async function typeInto(view: MemoryDiffView, text: string): Promise<void> {
  for (let key = 1; key <= keys; key += 1) {
    view.type(`${"x".repeat(key)}${text}`);
    await pause(20);
  }
  await pause(1_000);
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

function must(isSo: boolean): asserts isSo {
  if (!isSo) throw new Error("The reviews did not do what is measured.");
}
