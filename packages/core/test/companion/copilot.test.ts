import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkspaceLab, type EditorRun, portOf } from "../workspace-lab.ts";
import { CopilotClient, recordsIn } from "./copilot-client.ts";

interface Setup extends EditorRun {
  readonly file: string;
  readonly directory: string;
  readonly connect: () => Promise<CopilotClient>;
}

async function setUp(): Promise<Setup> {
  const lab = createWorkspaceLab();
  const run = lab.build();
  const directory = join(lab.platform.home, ".copilot", "ide");
  await run.companion.start();
  await expect.poll(() => recordsIn(directory)).toHaveLength(1);
  return {
    ...run,
    file: lab.file,
    directory,
    connect: async () => {
      const [record] = recordsIn(directory);
      if (record === undefined) throw new Error("There is no record.");
      const client = new CopilotClient(record);
      expect(await client.connect()).toBe(400);
      return client;
    },
  };
}

const proposal = (path: string, text: string, name = "[Copilot CLI] - main.ts (acec6f)"): unknown => ({
  original_file_path: path,
  new_file_contents: text,
  tab_name: name,
});

describe.skipIf(process.platform === "win32")("Copilot CLI", () => {
  it("finds a socket that is this user's alone, which goes with the record", async () => {
    const { companion, directory } = await setUp();
    const [record] = recordsIn(directory);
    expect(record).toMatchObject({
      scheme: "unix",
      headers: { Authorization: expect.stringMatching(/^Nonce .{20}/u) },
    });
    expect(lstatSync(record?.socketPath ?? "").mode & 0o777).toBe(0o600);
    expect(lstatSync(directory).mode & 0o777).toBe(0o700);
    await companion.stop();
    expect(readdirSync(directory)).toEqual([]);
  });

  it("is told what is selected, and says what its session is about", async () => {
    const { editor, companion, file, connect } = await setUp();
    editor.openFile(file);
    editor.select({ start: { line: 0, character: 0 }, end: { line: 0, character: 3 } });
    const client = await connect();
    const selected = { method: "selection_changed", params: { text: "one", filePath: file } };
    await expect
      .poll(() => client.told)
      .toContainEqual(expect.objectContaining({ ...selected, params: expect.objectContaining(selected.params) }));
    expect(await client.call("get_selection", {})).toMatchObject({ text: "one", filePath: file });
    // Lists have one line for it.
    await client.call("update_session_name", { name: `Rename a thing\n${"more ".repeat(100)}` });
    expect(companion.sessions).toMatchObject([
      { dialect: "copilot", agentName: "Copilot CLI", version: "1.0.102", pid: process.pid, title: "Rename a thing" },
    ]);
  });

  it("has its change shown for reading, and writes it after a yes", async () => {
    const { editor, file, connect } = await setUp();
    const client = await connect();
    const answer = client.call("open_diff", proposal(file, "ONE\ntwo\n"));
    const view = await editor.nextView();
    expect(view.request).toMatchObject({ agentName: "Copilot CLI", isReadOnly: true, proposedText: "ONE\ntwo\n" });
    view.accept();
    expect(await answer).toMatchObject({ success: true, result: "SAVED", trigger: "accepted_via_button" });
  });

  it("is told of a no, and of a view that its terminal closes", async () => {
    const { editor, file, connect } = await setUp();
    const client = await connect();
    const first = client.call("open_diff", proposal(file, "ONE\ntwo\n"));
    (await editor.nextView()).reject();
    expect(await first).toMatchObject({ result: "REJECTED", trigger: "rejected_via_button" });
    const second = client.call("open_diff", proposal(file, "1\ntwo\n", "b"));
    await editor.nextView(({ request }) => request.proposedText.startsWith("1"));
    expect(await client.call("close_diff", { tab_name: "b" })).toMatchObject({ success: true, already_closed: false });
    expect(await second).toMatchObject({ result: "REJECTED", trigger: "closed_via_tool" });
    expect(await client.call("close_diff", { tab_name: "b" })).toMatchObject({ already_closed: true });
  });

  // It overwrites what another program has written meanwhile.
  it("does not write over a file that has changed before its user has said so twice", async () => {
    const { editor, file, connect } = await setUp();
    const client = await connect();
    const answer = client.call("open_diff", proposal(file, "ONE\ntwo\n"));
    const view = await editor.nextView();
    writeFileSync(file, "one\ntwo\nthree\n");
    view.accept();
    await expect
      .poll(() => editor.shownMessages.map(({ message }) => message.code))
      .toContain("not-accepted-changed-read-only");
    expect(view.state.kind).toBe("open");
    view.accept();
    expect(await answer).toMatchObject({ result: "SAVED" });
  });

  it.each([
    { headers: { authorization: "Nonce wrong" }, status: 401 },
    { headers: { host: "127.0.0.1:80" }, status: 403 },
    { headers: { origin: "http://localhost" }, status: 403 },
  ])("is let in by the same guard: $headers", async ({ headers, status }) => {
    const { directory } = await setUp();
    const [record] = recordsIn(directory);
    if (record === undefined) throw new Error("There is no record.");
    const { headers: own, ...rest } = record;
    const given = "authorization" in headers ? {} : own;
    const client = new CopilotClient({ ...rest, headers: given });
    expect((await client.send("POST", { jsonrpc: "2.0", id: 1, method: "initialize" }, headers)).status).toBe(status);
  });

  it("finds the next run where the last one was killed", async () => {
    const lab = createWorkspaceLab();
    const directory = join(lab.platform.home, ".copilot", "ide");
    const { companion } = lab.build();
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    await companion.start();
    await expect.poll(() => recordsIn(directory)).toHaveLength(1);
    const port = portOf(companion);
    await companion.stop();
    // What a run leaves that ends without a word.
    const left = join(directory, `patchbay-${port}.sock`);
    const dead = createServer().listen(left);
    onTestFinished(() => void dead.close());
    await expect.poll(() => existsSync(left)).toBe(true);
    const next = lab.build([lab.platform.workspace], port);
    await next.companion.start();
    await expect.poll(() => recordsIn(directory)).toHaveLength(1);
    const [record] = recordsIn(directory);
    expect(record?.socketPath).toBe(left);
    if (record !== undefined) expect(await new CopilotClient(record).connect()).toBe(400);
  });
});
