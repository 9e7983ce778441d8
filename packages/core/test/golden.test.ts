import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryEditor, createTestPlatform, type MemoryEditor } from "@patchbay/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { createCompanion } from "../src/create-companion.ts";
import { HttpReplay, type Replay, type TranscriptLine, WebSocketReplay } from "./golden-replay.ts";

// What the real clients sent to the real VS Code edition, word for word (ids normalised), sent again.

const golden = join(import.meta.dirname, "golden");
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Notifications about what is open: their contents are the recorded editor's, not this one's. */
const contextMethods: ReadonlySet<unknown> = new Set(["ide/contextUpdate", "selection_changed"]);

describe.each(["gemini", "qwen", "claude"])("recorded %s", (dialect) => {
  it.each(readdirSync(join(golden, dialect)))("%s gets the recorded answers", async (name) => {
    const platform = createTestPlatform();
    ends.push(() => platform.dispose());
    const editor = createMemoryEditor({ folders: [platform.workspace] });
    const companion = createCompanion({ host: editor, platform });
    ends.push(() => companion.stop());
    await companion.start();
    const [lock = ""] = readdirSync(join(platform.home, ".claude", "ide"));
    const record: { readonly authToken: string } = JSON.parse(
      readFileSync(join(platform.home, ".claude", "ide", lock), "utf8"),
    );
    const text = readFileSync(join(golden, dialect, name), "utf8").replaceAll("/workspace", platform.workspace);
    const lines = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line): TranscriptLine => JSON.parse(line));
    for (const path of pathsIn(text, platform.workspace)) writeFileSync(path, "first line\nsecond line\nthird line\n");

    const where = { port: Number.parseInt(lock, 10), token: record.authToken };
    const replay: Replay = dialect === "claude" ? new WebSocketReplay(where) : new HttpReplay(where);
    ends.push(() => replay.end());
    const closedTabs = new Set<unknown>();
    let answers = 0;
    for (const line of lines) {
      const body = line.body;
      if (line.dir === "in") {
        if (body?.params?.name === "close_tab") closedTabs.add(body.params.arguments?.["tab_name"]);
        await replay.send(line);
        continue;
      }
      if (body === undefined) continue;
      if (contextMethods.has(body.method)) {
        await replay.sawMethod(String(body.method));
        continue;
      }
      await decideAsRecorded(body, editor, closedTabs);
      expect(await replay.answerLike(body)).toEqual(body);
      answers += 1;
    }
    expect(answers).toBeGreaterThan(0);
  });
});

/** The user does what the recorded user had done, where the next answer shows that it was the user's. */
async function decideAsRecorded(
  body: NonNullable<TranscriptLine["body"]>,
  editor: MemoryEditor,
  closedTabs: ReadonlySet<unknown>,
): Promise<void> {
  const [verdict, detail] = (body.result?.content ?? []).map((part) => part.text);
  const accepted =
    body.method === "ide/diffAccepted" ? body.params?.content : verdict === "FILE_SAVED" ? detail : undefined;
  const rejected = body.method === "ide/diffRejected" || (verdict === "DIFF_REJECTED" && !closedTabs.has(detail));
  if (accepted === undefined && !rejected) return;
  const view = await editor.nextView((one) => one.isOpen);
  if (accepted === undefined) view.reject();
  else {
    if (accepted !== view.request.proposedText) view.type(accepted);
    view.accept();
  }
}

function pathsIn(text: string, workspace: string): readonly string[] {
  return [
    ...new Set([...text.matchAll(/"(?:filePath|new_file_path)":"([^"]+)"/gu)].map(([, path = ""]) => path)),
  ].filter((path) => path.startsWith(`${workspace}/`));
}
