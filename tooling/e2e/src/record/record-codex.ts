import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { WebSocket } from "ws";
import { codex } from "../agents/codex.ts";
import { listenModelServer, type Turn } from "../models/model-server.ts";
import { codexBinary } from "../prerequisites/components.ts";
import { ensurePrerequisites } from "../prerequisites/prerequisites.ts";
import { createLab } from "../support/lab.ts";
import { pause, poll } from "../support/poll.ts";
import { findProcesses, killTree } from "../support/processes.ts";
import { TmuxTerminal } from "../terminals/tmux.ts";
import { waitForScreen } from "../terminals/wait-for-screen.ts";

// Writes down what the service of the real Codex CLI says to a second client: the golden transcript of core's tests. The client asks and
// answers as ours does: it says no to a patch of four files, with a reason, yes to it when it comes again, and no to a command. Then its
// connection ends and another one begins, while the terminal asks.

const golden = fileURLToPath(new URL("../../../../packages/core/test/companion/golden/codex.jsonl", import.meta.url));

/** Of other things than conversations, or with news of its maker's. */
const unheard = /^(?:configWarning|remoteControl|account|app|skills|mcpServer|warning|deprecationNotice)/u;

type Message = Readonly<Record<string, unknown>> & {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: { readonly data?: readonly string[] };
};

const said: object[] = [];

class Client {
  readonly heard: Message[] = [];
  readonly #socket: WebSocket;
  #last = 0;

  constructor(path: string) {
    this.#socket = new WebSocket("ws://localhost/", {
      createConnection: () => connect({ path }),
      perMessageDeflate: false,
    });
    this.#socket.on("message", (data) => {
      const message: Message = JSON.parse(Buffer.isBuffer(data) ? data.toString("utf8") : "");
      this.heard.push(message);
      if (!unheard.test(message.method ?? "")) said.push({ service: message });
    });
  }

  async begin(): Promise<void> {
    await poll("the connection", () => this.#socket.readyState === WebSocket.OPEN, { timeout: 10_000 });
    said.push({ connected: true });
    const clientInfo = { name: "patchbay", title: "Patchbay", version: "0.0.0" };
    await this.ask("initialize", { clientInfo, capabilities: null });
    this.send({ method: "initialized" });
    const { result } = await this.ask("thread/loaded/list", {});
    for (const id of result?.data ?? []) {
      const { error, result: read } = await this.ask("thread/read", { threadId: id });
      if (error === undefined && JSON.stringify(read).includes('"type":"active"')) await this.join(id);
    }
  }

  async join(threadId: unknown): Promise<void> {
    await this.ask("thread/resume", { threadId, excludeTurns: true });
    await this.ask("thread/turns/list", { threadId, limit: 1, sortDirection: "desc" });
  }

  send(message: object): void {
    said.push({ client: message });
    this.#socket.send(JSON.stringify(message));
  }

  async ask(method: string, params: object): Promise<Message> {
    const id = ++this.#last;
    this.send({ id, method, params });
    const isReply = (one: Message): boolean => one.id === id && one.method === undefined;
    return await poll(`the answer to ${method}`, () => this.heard.find(isReply), { timeout: 10_000 });
  }

  /** Waits for a message that has not been waited for, the first one that fits. */
  async next(method: string, fits: (params: string) => boolean = () => true): Promise<Message> {
    const message = await poll(
      method,
      () => this.heard.find((one) => one.method === method && fits(JSON.stringify(one.params))),
      { timeout: 20_000 },
    );
    this.heard.splice(this.heard.indexOf(message), 1);
    return message;
  }

  end(): void {
    this.#socket.terminate();
  }
}

await ensurePrerequisites(["codex"], (line) => console.log(line));
const lab = await createLab();
const model = await listenModelServer(codex.protocol);
const terminal = new TmuxTerminal();
try {
  await codex.configureModel?.(lab, model.url, { isServed: true });
  const put = (name: string, text: string): Promise<void> => writeFile(join(lab.workspace, name), text);
  await Promise.all([put("b.txt", "one\ntwo\nthree\n"), put("c.txt", "x\r\ny"), put("e.txt", "gone\n")]);
  await terminal.start({ directory: lab.workspace, env: lab.env, command: [codexBinary()] });
  await waitForScreen(terminal, codex.ready, 60_000);
  const link = join(lab.home, ".codex", "app-server-control", "app-server-control.sock");
  const socket = await poll("the service", () => realpath(link).catch(() => undefined), { timeout: 30_000 });
  await pause(2_000);
  const prompt = async (text: string, ...turns: readonly Turn[]): Promise<void> => {
    model.play(...turns);
    await terminal.type(text);
    await pause(500);
    await terminal.press("Enter");
  };
  const lines = [
    "*** Begin Patch",
    "*** Add File: a.txt",
    "+new",
    "*** Update File: b.txt",
    "@@",
    " one",
    "-two",
    "+TWO",
    " three",
    "*** Update File: c.txt",
    "*** Move to: d.txt",
    "@@",
    " x",
    "-y",
    "+z",
    "*** Delete File: e.txt",
    "*** End Patch",
  ];
  const patch: Turn = { kind: "tool", name: "apply_patch", input: { input: lines.join("\n") } };
  const first = new Client(socket);
  await first.begin();
  await prompt("Change the files", patch, patch);
  const isActive = (params: string): boolean => params.includes('"active"');
  const { params } = await first.next("thread/status/changed", isActive);
  await first.join(params?.["threadId"]);
  const refused = await first.next("item/fileChange/requestApproval");
  const { threadId, turnId: expectedTurnId } = refused.params ?? {};
  // It was asked before the client came.
  await first.ask("thread/resume", { threadId, excludeTurns: false });
  const input = [{ type: "text", text: "Once more, please.", text_elements: [] }];
  await first.ask("turn/steer", { threadId, expectedTurnId, input });
  first.send({ id: refused.id, result: { decision: "decline" } });
  await first.next("item/fileChange/requestApproval", (told) => told.includes(String(refused.params?.["itemId"])));
  first.send({ id: (await first.next("item/fileChange/requestApproval")).id, result: { decision: "accept" } });
  await first.next("turn/completed");
  await first.ask("thread/unsubscribe", { threadId });
  const escalated = { cmd: "touch f.txt", sandbox_permissions: "require_escalated", justification: "It is needed." };
  first.heard.length = 0;
  await prompt("Make f.txt", { kind: "tool", name: "exec_command", input: escalated });
  await first.next("thread/status/changed", isActive);
  await first.join(threadId);
  const command = await first.next("item/commandExecution/requestApproval");
  first.send({ id: command.id, result: { decision: "decline" } });
  await first.next("turn/completed");
  first.end();
  await prompt("Change b.txt", {
    kind: "tool",
    name: "apply_patch",
    input: { input: "*** Begin Patch\n*** Update File: b.txt\n@@\n one\n-TWO\n+2\n*** End Patch" },
  });
  await waitForScreen(terminal, /Would you like to make the following edits/u, 20_000);
  const second = new Client(socket);
  await second.begin();
  const late = await second.next("item/fileChange/requestApproval");
  await second.ask("thread/resume", { threadId, excludeTurns: false });
  second.send({ id: late.id, result: { decision: "accept" } });
  await second.next("turn/completed");
  second.end();
  const text = said.map((line) => `${JSON.stringify(line)}\n`).join("");
  const known = new Map<string, string>();
  const named = text
    .replaceAll(lab.root, "/lab")
    .replaceAll(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gu, (id) => {
      if (!known.has(id)) known.set(id, `id-${known.size + 1}`);
      return known.get(id) ?? id;
    })
    .replaceAll(/\b1[789]\d{8}(?:\d{3})?\b/gu, "0")
    .replaceAll(/"developer_instructions":"(?:[^"\\]|\\.)*"/gu, '"developer_instructions":""')
    .replaceAll(/"serverName":"[^"]*"/gu, '"serverName":""');
  await mkdir(join(golden, ".."), { recursive: true });
  await writeFile(golden, named);
  console.log(`${said.length} lines; b.txt is ${JSON.stringify(await readFile(join(lab.workspace, "b.txt"), "utf8"))}`);
} finally {
  await terminal.dispose();
  model.close();
  // The service outlives its terminal.
  for (const pid of await findProcesses(lab.root, /codex/u)) await killTree(pid);
  await lab.dispose();
}
