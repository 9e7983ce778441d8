import { writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { basename, join } from "node:path";

/** What the program tells its test. */
type Told =
  | { readonly type: "started"; readonly pid: number }
  | { readonly type: "prompt"; readonly text: string }
  | { readonly type: "answer"; readonly choice: string };

/** What the program does next, in the turn that runs; where none runs yet, in the one that comes. */
type Act =
  | { readonly act: "say"; readonly text: string }
  /** Uses of tools, one after the other, each an entry of its own. */
  | { readonly act: "use-tools"; readonly count: number }
  | { readonly act: "ask"; readonly command: string }
  /** A command begins, or ends: what it does, the test does. */
  | { readonly act: "run"; readonly id: string; readonly command: string; readonly isOver: boolean }
  | { readonly act: "ask-change"; readonly path: string; readonly before: string; readonly after: string }
  | { readonly act: "end" };

/**
 * An agent that does what a test tells it, in a process of its own: a program that speaks the Agent Client Protocol with
 * whoever starts it.
 */
export class PuppetAgent {
  readonly id = "puppet";
  readonly name = "Puppet";
  /** Absolute path; on Windows without its ending. */
  readonly program: string;
  /** Texts of the prompts that it was sent, in order. */
  readonly prompts: string[] = [];
  /** The ids of the choices that it was answered with, in order: `yes`, `no`, or `cancelled`. */
  readonly answers: string[] = [];
  readonly #server: Server;
  readonly #sockets: Set<Socket> = new Set();
  #newest: Socket | undefined;
  #started = 0;

  private constructor(program: string, server: Server) {
    this.program = program;
    this.#server = server;
    server.on("connection", (socket) => this.#follow(socket));
  }

  /** Writes the program into a folder. */
  static async create(folder: string): Promise<PuppetAgent> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const program = join(folder, "puppet");
    const source = puppetSource.replace("PORT", String(address.port));
    if (process.platform === "win32") {
      // As npm puts it there.
      await writeFile(`${program}.cjs`, source);
      await writeFile(`${program}.cmd`, `@node "%~dp0\\${basename(program)}.cjs" %*\r\n`);
    } else await writeFile(program, `#!${process.execPath}\n${source}`, { mode: 0o755 });
    return new PuppetAgent(program, server);
  }

  /** How often it was started. */
  get starts(): number {
    return this.#started;
  }

  /** How many of its processes live. */
  get running(): number {
    return this.#sockets.size;
  }

  /** Has the process that was started last do something. */
  do(act: Act): void {
    if (this.#newest === undefined) throw new Error("The agent has not been started.");
    this.#newest.write(`${JSON.stringify(act)}\n`);
  }

  /** Ends what is left of it. */
  async dispose(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #follow(socket: Socket): void {
    this.#sockets.add(socket);
    this.#newest = socket;
    let rest = "";
    socket.setEncoding("utf8");
    socket.on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#hear(JSON.parse(line));
    });
    socket.on("error", () => undefined);
    // Its end of the line is open as long as it lives.
    socket.on("close", () => this.#sockets.delete(socket));
  }

  #hear(told: Told): void {
    if (told.type === "started") this.#started += 1;
    else if (told.type === "prompt") this.prompts.push(told.text);
    else this.answers.push(told.choice);
  }
}

const puppetSource = `
const { connect } = require("node:net");
const test = connect(PORT, "127.0.0.1");
const tell = (message) => test.write(JSON.stringify(message) + "\\n");
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const update = (update) => send({ method: "session/update", params: { sessionId: "s1", update } });
const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }, { optionId: "no", name: "No", kind: "reject_once" }];
let prompt;
const early = [];
let count = 1000;
const ask = (toolCall) => send({ id: count += 1, method: "session/request_permission",
  params: { sessionId: "s1", toolCall: { toolCallId: "t" + count, ...toolCall }, options } });
const end = (stopReason) => {
  const id = prompt;
  prompt = undefined;
  if (id !== undefined) send({ id, result: { stopReason } });
};
const acts = {
  say: ({ text }) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } }),
  "use-tools": ({ count: many }) => {
    for (let index = 0; index < many; index += 1)
      update({ sessionUpdate: "tool_call", toolCallId: "u" + (count += 1), title: "Tool " + index, kind: "other", status: "completed" });
  },
  ask: ({ command }) => ask({ title: command, kind: "execute", rawInput: { command } }),
  run: ({ id, command, isOver }) => update({ sessionUpdate: isOver ? "tool_call_update" : "tool_call", toolCallId: id, title: command,
    kind: "execute", status: isOver ? "completed" : "in_progress", rawInput: { command } }),
  "ask-change": ({ path, before, after }) => ask({ title: "Edit", kind: "edit",
    content: [{ type: "diff", path, oldText: before, newText: after }] }),
  end: () => end("end_turn"),
};
const act = (message) => prompt === undefined ? early.push(message) : acts[message.act](message);
const handle = ({ id, method, params, result, error }) => {
  if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
  else if (method === "session/new") send({ id, result: { sessionId: "s1" } });
  else if (method === "session/prompt") {
    prompt = id;
    tell({ type: "prompt", text: params.prompt.map(({ text = "" }) => text).join("") });
    for (const message of early.splice(0)) act(message);
  } else if (method === "session/cancel") end("cancelled");
  else if (method === undefined && id > 1000) {
    const { outcome = {} } = result ?? {};
    tell({ type: "answer", choice: outcome.optionId ?? "cancelled" });
  } else if (id !== undefined && method !== undefined) send({ id, error: { code: -32601, message: "no" } });
};
const lines = (stream, take) => {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk) => {
    const all = (rest + chunk).split("\\n");
    rest = all.pop();
    for (const line of all) if (line !== "") take(JSON.parse(line));
  });
};
tell({ type: "started", pid: process.pid });
lines(process.stdin, handle);
lines(test, act);
process.stdin.on("end", () => process.exit(0));
test.on("close", () => process.exit(0));
test.on("error", () => process.exit(1));
`;
