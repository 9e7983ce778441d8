import { existsSync, lstatSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import type { Companion } from "../../src/companion.ts";
import { createCompanion } from "../../src/create-companion.ts";
import { agentOf, agents } from "../../src/agents/catalogue.ts";
import { openQuestionDoors } from "../../src/companion/question-doors.ts";
import { runHook } from "../../src/hook-client/run-hook.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { createMemoryEditor } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createWorkspaceLab, type EditorRun, type WorkspaceLab } from "../workspace-lab.ts";

/** A workspace of somebody who uses Codex CLI. */
function createCodexLab(): WorkspaceLab & { readonly socket: string } {
  const lab = createWorkspaceLab();
  return { ...lab, socket: useCodex(lab) };
}

/** Codex CLI was started here. Where it looks. */
function useCodex({ platform }: WorkspaceLab): string {
  mkdirSync(join(platform.home, ".codex"));
  writeFileSync(join(platform.home, ".codex", "config.toml"), "");
  return join(platform.process.temporaryDirectory, "codex-ipc", `ipc-${platform.process.uid}.sock`);
}

async function started(run: EditorRun, socket: string): Promise<EditorRun> {
  await run.companion.start();
  await expect.poll(() => existsSync(socket)).toBe(true);
  return run;
}

/** Asks as Codex CLI does: one frame, and the first one that comes back. Rejects where nobody answers. */
async function ask(path: string, method: string, params: unknown): Promise<unknown> {
  const body = Buffer.from(
    JSON.stringify({ type: "request", requestId: "r1", sourceClientId: "codex-tui", version: 0, method, params }),
  );
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return await new Promise((resolve, reject) => {
    const socket = connect({ path });
    let rest = Buffer.alloc(0);
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("closed")));
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      if (rest.length < 4 || rest.length < 4 + rest.readUInt32LE()) return;
      resolve(JSON.parse(rest.toString("utf8", 4)));
      socket.destroy();
    });
    // In pieces, as it may come.
    socket.write(head.subarray(0, 2));
    socket.write(Buffer.concat([head.subarray(2), body]));
  });
}

const about = (workspaceRoot: string) => ({ workspaceRoot });

describe.skipIf(process.platform === "win32")("what Codex CLI asks with /ide", () => {
  it("is answered with what is open and selected, named from its folder, by a socket that is the user's alone", async () => {
    const lab = createCodexLab();
    const { editor, companion } = await started(lab.build(), lab.socket);
    expect(lstatSync(lab.socket).mode & 0o777).toBe(0o600);
    expect(lstatSync(dirname(lab.socket)).mode & 0o777).toBe(0o700);
    editor.openFile(lab.file);
    editor.select({ start: { line: 0, character: 0 }, end: { line: 0, character: 3 } });
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } };
    const file = { label: "main.ts", path: "main.ts", fsPath: lab.file };
    await expect
      .poll(() => ask(lab.socket, "ide-context", about(lab.platform.workspace)))
      .toEqual({
        type: "response",
        requestId: "r1",
        resultType: "success",
        method: "ide-context",
        handledByClientId: "patchbay",
        result: {
          ideContext: {
            activeFile: { ...file, selection: range, activeSelectionContent: "one", selections: [range] },
            openTabs: [file],
          },
        },
      });
    // In a folder below, files are named as a whole; nothing is told to somebody who works elsewhere.
    const below = join(lab.platform.workspace, "sub");
    expect(await ask(lab.socket, "ide-context", about(below))).toMatchObject({
      result: { ideContext: { activeFile: { path: lab.file } } },
    });
    const refused = { resultType: "error", error: "no-client-found" };
    expect(await ask(lab.socket, "ide-context", about("/elsewhere"))).toMatchObject(refused);
    expect(await ask(lab.socket, "other", {})).toMatchObject(refused);
    expect(await ask(lab.socket, "initialize", { clientType: "desktop" })).toMatchObject({
      result: { clientId: "patchbay" },
    });
    await companion.stop();
    expect(existsSync(lab.socket)).toBe(false);
  });

  it("is answered with what an editor says once it is asked, or else with what it said last", async () => {
    const lab = createCodexLab();
    const run = lab.build();
    let isHanging = false;
    const bringUpToDate = async (): Promise<void> => {
      if (isHanging) return await new Promise(() => {});
      run.editor.openFile(lab.file);
    };
    Object.assign(run.editor.editors, { bringUpToDate });
    await started(run, lab.socket);
    const told = { result: { ideContext: { openTabs: [{ label: "main.ts" }] } } };
    const asked = () => ask(lab.socket, "ide-context", about(lab.platform.workspace));
    expect(await asked()).toMatchObject(told);
    isHanging = true;
    expect(await asked()).toMatchObject(told);
  });

  it("is answered where Codex CLI looks, also by an editor whose process has a temporary directory of its own", async () => {
    const lab = createCodexLab();
    const run = lab.build();
    const temporaryDirectory = join(lab.platform.root, "shared");
    mkdirSync(temporaryDirectory, { mode: 0o700 });
    Object.assign(run.editor.identity, { temporaryDirectory });
    const socket = join(temporaryDirectory, "codex-ipc", `ipc-${lab.platform.process.uid}.sock`);
    await started(run, socket);
    expect(existsSync(lab.socket)).toBe(false);
    expect(await ask(socket, "ide-context", about(lab.platform.workspace))).toMatchObject({ resultType: "success" });
  });

  it("follows the settings: no selection, or nothing", async () => {
    const lab = createCodexLab();
    const { editor, companion } = await started(lab.build(), lab.socket);
    editor.openFile(lab.file);
    editor.select({ start: { line: 0, character: 0 }, end: { line: 0, character: 3 } });
    companion.updateSettings({ shareSelection: false });
    const asked = () => ask(lab.socket, "ide-context", about(lab.platform.workspace));
    await expect.poll(asked).toMatchObject({ result: { ideContext: { activeFile: { activeSelectionContent: "" } } } });
    companion.updateSettings({ sharing: false });
    await expect.poll(asked).toMatchObject({ result: { ideContext: { openTabs: [] } } });
  });

  it("is answered for the other windows of the user, too, and by another one when the first has gone", async () => {
    const lab = createCodexLab();
    const first = await started(lab.build(), lab.socket);
    const folder = join(lab.platform.root, "other");
    mkdirSync(folder);
    const file = join(folder, "b.txt");
    writeFileSync(file, "b\n");
    const second = buildFor(lab, folder);
    await second.companion.start();
    second.editor.openFile(file);
    const asked = () => ask(lab.socket, "ide-context", about(folder));
    const told = { result: { ideContext: { activeFile: { path: "b.txt" } } } };
    await expect.poll(asked).toMatchObject(told);
    await first.companion.stop();
    await expect(asked()).rejects.toThrow("ENOENT");
    await expect.poll(asked, { timeout: 10_000 }).toMatchObject(told);
  });

  it("is left to whoever answers already", async () => {
    const lab = createCodexLab();
    mkdirSync(dirname(lab.socket), { mode: 0o700 });
    let looks = 0;
    const theirs = createServer((socket) => {
      looks += 1;
      socket.end();
    });
    await new Promise<void>((resolve) => void theirs.listen(lab.socket, resolve));
    onTestFinished(() => void theirs.close());
    const before = lstatSync(lab.socket).ino;
    const { companion } = lab.build();
    await companion.start();
    await expect.poll(() => looks).toBe(1);
    // It looks again.
    await expect.poll(() => looks, { timeout: 5_000 }).toBe(2);
    await companion.stop();
    expect(lstatSync(lab.socket).ino).toBe(before);
  });

  it("has a socket in the place of one that a killed program left", async () => {
    const lab = createCodexLab();
    mkdirSync(dirname(lab.socket), { mode: 0o700 });
    const killed = createServer();
    await new Promise<void>((resolve) => void killed.listen(`${lab.socket}.old`, resolve));
    renameSync(`${lab.socket}.old`, lab.socket);
    await new Promise((resolve) => void killed.close(resolve));
    expect(existsSync(lab.socket)).toBe(true);
    await started(lab.build(), lab.socket);
    const asked = () => ask(lab.socket, "initialize", {});
    await expect.poll(() => asked().catch(() => undefined)).toMatchObject({ resultType: "success" });
  });

  it("has no socket where Codex CLI was never used, or somebody else in this editor answers", async () => {
    const lab = createWorkspaceLab();
    const none = await openQuestionDoors({ platform: lab.platform, logger: nullLogger, dialects: agents });
    for (const door of none) await door.close();
    const used = createCodexLab();
    const doors = await openQuestionDoors({ platform: used.platform, logger: nullLogger, dialects: agents });
    expect(doors).toHaveLength(1);
    await doors[0]?.close();
    await companionFor(used, { leavesQuestionsOf: () => ["codex"] }).start();
    // All else of its start is done by the time at which it answers a hook.
    const event = JSON.stringify({ session_id: "s1", hook_event_name: "UserPromptSubmit", prompt: "go" });
    const cwd = used.platform.workspace;
    await runHook({ platform: used.platform, dialect: agentOf("codex"), event, cwd, limitMs: 10_000 });
    expect(existsSync(used.socket)).toBe(false);
  });

  it("is not told once more by the hook with the prompt that it is for", async () => {
    const lab = createCodexLab();
    const { editor } = await started(lab.build(), lab.socket);
    editor.openFile(lab.file);
    const event = JSON.stringify({ session_id: "s1", hook_event_name: "UserPromptSubmit", prompt: "go" });
    const cwd = lab.platform.workspace;
    const prompted = () => runHook({ platform: lab.platform, dialect: agentOf("codex"), event, cwd, limitMs: 10_000 });
    await ask(lab.socket, "ide-context", about(cwd));
    expect(await prompted()).toBeUndefined();
    const later = lab.platform.clock.monotonic() + 60_000;
    const clock = vi.spyOn(lab.platform.clock, "monotonic").mockReturnValue(later);
    onTestFinished(() => clock.mockRestore());
    expect(await prompted()).toContain("main.ts");
  });

  it("has one within seconds after Codex CLI was used for the first time", async () => {
    const lab = createWorkspaceLab();
    const { companion } = lab.build();
    await companion.start();
    // It has looked, and found nothing.
    await new Promise((resolve) => setTimeout(resolve, 200));
    const socket = useCodex(lab);
    await expect.poll(() => existsSync(socket), { timeout: 10_000 }).toBe(true);
  });

  it("ends a connection that says what is no question, or too much", async () => {
    const lab = createCodexLab();
    await started(lab.build(), lab.socket);
    for (const bytes of [Buffer.from([255, 255, 255, 127]), Buffer.from([1, 0, 0, 0, 123])]) {
      const socket = connect({ path: lab.socket });
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.on("error", () => {});
      socket.write(bytes);
      await closed;
    }
    expect(await ask(lab.socket, "initialize", {})).toMatchObject({ resultType: "success" });
  });
});

function buildFor(lab: WorkspaceLab, folder: string): EditorRun {
  const editor = createMemoryEditor({ folders: [folder], storageDirectory: join(lab.platform.root, "other-storage") });
  const companion = createCompanion({ host: editor, platform: lab.platform });
  onTestFinished(() => companion.stop());
  return { editor, companion };
}

function companionFor(
  { platform }: WorkspaceLab,
  options: { readonly leavesQuestionsOf: () => readonly string[] },
): Companion {
  const editor = createMemoryEditor({
    folders: [platform.workspace],
    storageDirectory: join(platform.root, "storage"),
  });
  const companion = createCompanion({ host: editor, platform, ...options });
  onTestFinished(() => companion.stop());
  return companion;
}
