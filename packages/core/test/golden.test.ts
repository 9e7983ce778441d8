import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryEditor, createTestPlatform, type MemoryEditor, type TestPlatform } from "@patchbay/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type AgentId, agentOf } from "../src/agents/catalogue.ts";
import { createCompanion } from "../src/create-companion.ts";
import { runHook } from "../src/hook-client/run-hook.ts";
import { HttpReplay, type Replay, type TranscriptLine, WebSocketReplay } from "./golden-replay.ts";

// What the real clients sent to the real VS Code edition, word for word (ids normalised), sent again.

const golden = join(import.meta.dirname, "golden");
const agentNames = ["gemini", "qwen", "claude"] as const;
const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Notifications about what is open: their contents are the recorded editor's, not this one's. */
const contextMethods: ReadonlySet<unknown> = new Set(["ide/contextUpdate", "selection_changed"]);

describe.each(agentNames)("recorded %s", (dialect) => {
  it.each(readdirSync(join(golden, dialect)))("%s gets the recorded answers", async (name) => {
    const { answers } = await replayRecorded(dialect, name, async () => false);
    expect(answers).toBeGreaterThan(0);
  });

  it("asks the user once, also where its hook is installed", async () => {
    const { editor } = await replayRecorded(dialect, "accept.jsonl", async (request, run) => {
      const hook = askHook(dialect, request, run);
      // Gemini CLI does not say its mode, and runs its hook before it asks by its own protocol.
      if (dialect === "gemini") (await run.editor.nextView()).accept();
      const said = await hook;
      expect(said).toBe(dialect === "gemini" ? '{"decision":"allow"}' : undefined);
      return said !== undefined;
    });
    expect(editor.views).toHaveLength(1);
  });
});

/** What an agent's hook prints for the change that a recorded request asks for, in the mode that asks. */
async function askHook(
  dialect: AgentId,
  { params }: NonNullable<TranscriptLine["body"]>,
  { platform }: RecordedRun,
): Promise<string | undefined> {
  const given = params?.arguments ?? {};
  const input = {
    file_path: given["filePath"] ?? given["new_file_path"],
    content: given["newContent"] ?? given["new_file_contents"],
  };
  const event = JSON.stringify({
    session_id: "recorded",
    cwd: platform.workspace,
    hook_event_name: dialect === "gemini" ? "BeforeTool" : "PreToolUse",
    tool_name: dialect === "claude" ? "Write" : "write_file",
    tool_input: input,
    ...(dialect === "gemini" ? {} : { permission_mode: "default" }),
  });
  return await runHook({ platform, dialect: agentOf(dialect), event, cwd: platform.workspace, limitMs: 20_000 });
}

interface RecordedRun {
  readonly platform: TestPlatform;
  readonly editor: MemoryEditor;
}

/** Sends again what was recorded, and has the user decide as recorded; `beforeDiff`: true where that decides already. */
async function replayRecorded(
  dialect: AgentId,
  name: string,
  beforeDiff: (request: NonNullable<TranscriptLine["body"]>, run: RecordedRun) => Promise<boolean>,
): Promise<{ readonly answers: number; readonly editor: MemoryEditor }> {
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
  const text = readFileSync(join(golden, dialect, name), "utf8")
    .replaceAll("/workspace", platform.workspace)
    // Which process the client was is left out of what was recorded. Here it is the one that runs its hook.
    .replaceAll('"params":{"pid":1}', `"params":{"pid":${platform.process.pid}}`);
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
  let isDecided = false;
  for (const line of lines) {
    const body = line.body;
    if (line.dir === "in") {
      if (body?.params?.name === "openDiff") isDecided = await beforeDiff(body, { platform, editor });
      if (body?.params?.name === "close_tab") closedTabs.add(body.params.arguments?.["tab_name"]);
      await replay.send(line);
      continue;
    }
    if (body === undefined) continue;
    if (contextMethods.has(body.method)) {
      await replay.sawMethod(String(body.method));
      continue;
    }
    if (!isDecided) await decideAsRecorded(body, editor, closedTabs);
    expect(await replay.answerLike(body)).toEqual(body);
    answers += 1;
  }
  return { answers, editor };
}

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
