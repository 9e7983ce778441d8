import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createClaudeDriver,
  createKiloDriver,
  createMemoryEditor,
  createOpenCodeDriver,
  createTestPlatform,
  findClaudeCompanion,
  findOpenCodeCompanion,
  type TestPlatform,
  isMissing,
} from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCompanion } from "../../src/create-companion.ts";

const text = "one\ntwo\nthree\nfour\n";

/** A companion with a file open, whose agents are programs of these names. */
async function setUp(program?: readonly string[]) {
  const base = createTestPlatform();
  onTestFinished(() => base.dispose());
  const platform: TestPlatform = { ...base, process: { ...base.process, commandOf: async () => program } };
  const editor = createMemoryEditor({ folders: [platform.workspace] });
  const companion = createCompanion({ host: editor, platform });
  onTestFinished(() => companion.stop());
  await companion.start();
  const file = join(platform.workspace, "a.ts");
  const place = { cwd: platform.workspace, home: platform.home, temporaryDirectory: platform.tmp };
  const names = () => companion.sessions.map(({ agentName }) => agentName);
  return { platform, editor, companion, file, place, names };
}

const range = (from: number, to: number, character = 0) => ({
  start: { line: from, character: 0 },
  end: { line: to, character },
});

interface GoldenLine {
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: object;
}

/** What the real client said, as `record-opencode` of `tooling/e2e` wrote it down: what it dialled with, and then message by message. */
function golden(client: string): readonly GoldenLine[] {
  const text = readFileSync(join(import.meta.dirname, "golden", `${client}.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line): GoldenLine => JSON.parse(line));
}

/** Says what the client said, and hears what it would hear, word for word. */
async function listen(
  platform: TestPlatform,
  client = "opencode",
): Promise<{ readonly heard: readonly unknown[]; until(count: number): Promise<void> }> {
  const directory = join(platform.home, ".claude", "ide");
  const [name = ""] = readdirSync(directory);
  const { authToken }: { readonly authToken: string } = JSON.parse(readFileSync(join(directory, name), "utf8"));
  const [dialled, ...messages] = golden(client);
  // Of the headers these are its own; the others are those of each WebSocket.
  const own = Object.keys(dialled?.headers ?? {}).filter((header) => header.startsWith("x-"));
  const headers = Object.fromEntries(own.map((header) => [header, authToken]));
  const socket = new WebSocket(`ws://127.0.0.1:${Number.parseInt(name, 10)}`, { headers });
  onTestFinished(() => socket.terminate());
  const heard: unknown[] = [];
  const answered = new Promise<void>((resolve, reject) => {
    socket.on("message", (data) => {
      const message: { readonly id?: number; readonly method?: string; readonly params?: unknown } = JSON.parse(
        Buffer.isBuffer(data) ? data.toString("utf8") : "",
      );
      if (message.id === 1) resolve();
      else heard.push({ method: message.method, params: message.params });
    });
    socket.on("error", reject);
  });
  await new Promise((resolve) => socket.on("open", resolve));
  const [initialize, ...rest] = messages.map(({ message }) => JSON.stringify(message));
  socket.send(initialize ?? "");
  await answered;
  expect(heard).toEqual([]);
  for (const message of rest) socket.send(message);
  return { heard, until: async (count) => await expect.poll(() => heard.length).toBe(count) };
}

describe("opencode", () => {
  it.each(["opencode", "kilo"])(
    "is told what is open once it is initialized, with lines from 1, and never that there is nothing: %s",
    async (client) => {
      const { platform, editor, file } = await setUp();
      editor.openFile(file, text);
      editor.select(range(1, 3));
      const { heard, until } = await listen(platform, client);
      await until(1);
      // Whole lines, whose end is the beginning of the next one.
      const selected = {
        text: "two\nthree\n",
        selection: { start: { line: 2, character: 0 }, end: { line: 3, character: 5 } },
      };
      expect(heard[0]).toEqual({ method: "selection_changed", params: { filePath: file, ...selected } });
      editor.select(range(1, 1, 2));
      await until(2);
      expect(heard[1]).toMatchObject({
        params: { text: "tw", selection: { start: { line: 2, character: 0 }, end: { line: 2, character: 2 } } },
      });
      // An empty line that is selected has a length.
      editor.setCursor({ line: 3, character: 1 });
      await until(3);
      expect(heard[2]).toMatchObject({ params: { filePath: file, text: "" } });
      // Where the cursor is, is no news; nor is it that the file is closed.
      editor.setCursor({ line: 0, character: 0 });
      editor.closeFile(file);
      const other = join(platform.workspace, "b.ts");
      editor.openFile(other, "x\n");
      await until(4);
      expect(heard[3]).toMatchObject({ params: { filePath: other, text: "" } });
    },
  );

  it("is told of several selections, each with its lines", async () => {
    const { platform, editor, file } = await setUp();
    editor.openFile(file, text);
    editor.select(range(0, 0, 3), [range(2, 3)]);
    const { heard, until } = await listen(platform);
    await until(1);
    expect(heard[0]).toEqual({
      method: "selection_changed",
      params: {
        filePath: file,
        ranges: [
          { text: "one", selection: { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } } },
          { text: "three\n", selection: { start: { line: 3, character: 0 }, end: { line: 3, character: 5 } } },
        ],
      },
    });
    // One of them moves, and the first stays.
    editor.select(range(0, 0, 3), [range(1, 2)]);
    await until(2);
    expect(heard[1]).toMatchObject({ params: { ranges: [{ text: "one" }, { text: "two\n" }] } });
  });

  it("gets both numbers with every mention, and zeros for a whole file", async () => {
    const { platform, companion, file } = await setUp();
    const { heard, until } = await listen(platform);
    await expect.poll(() => companion.sessions.map(({ state }) => state)).toEqual(["connected"]);
    expect(companion.mention(file, { start: 1, end: 2 })).toBe(1);
    expect(companion.mention(file)).toBe(1);
    await until(2);
    expect(heard).toEqual([
      { method: "at_mentioned", params: { filePath: file, lineStart: 2, lineEnd: 3 } },
      { method: "at_mentioned", params: { filePath: file, lineStart: 0, lineEnd: 0 } },
    ]);
  });

  it("has its own name beside Claude Code, with the token of the same record", async () => {
    const { companion, place, names } = await setUp(["/usr/lib/opencode/bin/opencode"]);
    for (const create of [createClaudeDriver, createOpenCodeDriver]) {
      const agent = create(place);
      onTestFinished(() => agent.end());
      await agent.connect();
    }
    expect(names()).toEqual(["Claude Code", "opencode"]);
    expect(companion.sessions.map(({ version }) => version)).toEqual(["2.1.328", undefined]);
  });

  it("and Claude Code find the editor by one variable, and where it names a plain port opencode comes without a token", async () => {
    const { platform, companion, place } = await setUp();
    const { environment } = companion;
    const port = Number.parseInt(readdirSync(join(platform.home, ".claude", "ide"))[0] ?? "", 10);
    const found = (variables: Readonly<Record<string, string>>) =>
      findOpenCodeCompanion({ ...place, environment: variables }, "OPENCODE_EDITOR_SSE_PORT");
    expect(found(environment)).toMatchObject({ port, token: expect.any(String) });
    // Claude Code goes by the port alone: in this folder it would find none.
    expect(findClaudeCompanion({ ...place, cwd: "/elsewhere", environment })).toMatchObject({ port });
    expect(found({ CLAUDE_CODE_SSE_PORT: String(port) })).toMatchObject({ port, token: undefined });
  });
});

describe("Kilo, which says that it is opencode,", () => {
  it.skipIf(isMissing("facts about processes")).each([
    [["/usr/lib/kilo/bin/kilo"], "Kilo"],
    [["node", "/usr/bin/kilo", "--continue"], "Kilo"],
    [["C:\\npm\\kilo.exe"], "Kilo"],
    [["/usr/lib/cli/bin/.kilo"], "Kilo"],
    [["/home/kilo/bin/opencode"], "opencode"],
    // A first prompt, and what cannot be told.
    [["opencode", "--prompt", "kilo"], "opencode"],
    [undefined, "opencode"],
  ])("is known by its program: %j is %s", async (program, name) => {
    const { place, names } = await setUp(program);
    const agent = createKiloDriver(place);
    onTestFinished(() => agent.end());
    await agent.connect();
    expect(names()).toEqual([name]);
  });
});
