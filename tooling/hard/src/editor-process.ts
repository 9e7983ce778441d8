import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { Call } from "./host/calls.ts";
import * as calls from "./host/calls.ts";
import type { Sandbox } from "./sandbox.ts";

const answerSchema = z.object({ id: z.number(), value: z.unknown(), error: z.string().optional() });

export interface EditorProcessOptions {
  /** Runs as another user; needs root. */
  readonly uid?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** An editor with a companion in a process of its own, and the hands of its user. */
export class EditorProcess {
  readonly sandbox: Sandbox;
  readonly #child: ChildProcess;
  readonly #waiting: Map<number, { resolve(value: unknown): void; reject(error: Error): void }> = new Map();
  readonly #exit: Promise<string>;
  #nextId = 1;
  #exited: string | undefined;
  #errorText = "";
  port = 0;

  private constructor(sandbox: Sandbox, child: ChildProcess) {
    this.sandbox = sandbox;
    this.#child = child;
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#errorText += chunk.toString("utf8");
    });
    child.on("message", (message) => this.#receive(message));
    this.#exit = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#exited = `exit ${code ?? signal}`;
        for (const { reject } of this.#waiting.values())
          reject(new Error(`The editor process ended: ${this.#exited}. ${this.#errorText}`));
        this.#waiting.clear();
        resolve(this.#exited);
      });
    });
  }

  /** Starts the process; nothing listens before `start`. */
  static async spawn(sandbox: Sandbox, options: EditorProcessOptions = {}): Promise<EditorProcess> {
    const main = fileURLToPath(new URL("./host/main.ts", import.meta.url));
    const child = spawn(
      process.execPath,
      ["--conditions=@patchbay/source", "--expose-gc", "--disable-warning=ExperimentalWarning", main],
      {
        cwd: sandbox.workspace,
        // Nothing of this process's environment: what the companion sees is what the test gives it.
        env: { PATH: "/usr/bin:/bin", HOME: sandbox.home, TMPDIR: sandbox.tmp, ...options.environment },
        stdio: ["ignore", "ignore", "pipe", "ipc"],
        serialization: "advanced",
        ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
      },
    );
    const process_ = new EditorProcess(sandbox, child);
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("error", reject);
      void process_.#exit.then((how) =>
        reject(new Error(`The editor process did not start: ${how}. ${process_.#errorText}`)),
      );
    });
    return process_;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  get hasExited(): boolean {
    return this.#exited !== undefined;
  }

  /** Starts the companion. */
  async start(settings: Partial<calls.HostSettings> = {}): Promise<calls.Listening> {
    const listening = await this.call(calls.start, {
      folders: [this.sandbox.workspace],
      storage: this.sandbox.storage,
      ...settings,
    });
    this.port = listening.port;
    return listening;
  }

  call<Output>(call: Call<undefined, Output>): Promise<Output>;
  call<Input, Output>(call: Call<Input, Output>, input: Input): Promise<Output>;
  async call<Input, Output>(call: Call<Input, Output>, input?: Input): Promise<Output> {
    if (this.#exited !== undefined) throw new Error(`The editor process has ended: ${this.#exited}.`);
    const id = this.#nextId;
    this.#nextId += 1;
    const value = await new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, name: call.name, input });
    });
    return call.output.parse(value);
  }

  /** The first open view that matches, as soon as there is one. */
  async view(matches: (view: calls.ViewSeen) => boolean = () => true, timeoutMs = 5_000): Promise<calls.ViewSeen> {
    return this.until(
      "an open view",
      async () => (await this.call(calls.views)).find((view) => view.state === "open" && matches(view)),
      timeoutMs,
    );
  }

  async openViews(): Promise<readonly calls.ViewSeen[]> {
    return (await this.call(calls.views)).filter((view) => view.state === "open");
  }

  /** Asks until there is an answer. */
  async until<T>(
    what: string,
    ask: () => Promise<T | undefined | false> | T | undefined | false,
    timeoutMs = 5_000,
  ): Promise<T> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const found = await ask();
      if (found !== undefined && found !== false) return found;
      if (performance.now() > end) throw new Error(`Not seen within ${timeoutMs} ms: ${what}.`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the process as a crash does and waits until it is gone. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#exit;
  }

  /** Open file descriptors of the process. */
  descriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  #receive(message: unknown): void {
    const parsed = answerSchema.safeParse(message);
    if (!parsed.success) return;
    const { id, value, error } = parsed.data;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}
