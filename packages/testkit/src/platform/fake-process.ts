import type { ProcessFacts, TcpPorts } from "@patchbay/core";

export interface FakeProcessOptions {
  readonly pid?: number;
  readonly ppid?: number;
  readonly uid?: number;
  readonly platform?: string;
  readonly homeDirectory?: string;
  readonly temporaryDirectory?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A process table of a test's own making. */
export class FakeProcess implements ProcessFacts {
  readonly pid: number;
  readonly ppid: number;
  readonly uid: number;
  readonly platform: string;
  readonly homeDirectory: string;
  readonly temporaryDirectory: string;
  readonly #environment: Map<string, string>;
  readonly #connections: Map<number, number> = new Map();
  readonly #table: Map<number, { readonly parent: number; readonly mark: string }> = new Map();

  constructor(options: FakeProcessOptions) {
    this.pid = options.pid ?? 4000;
    this.ppid = options.ppid ?? 3000;
    this.uid = options.uid ?? 1000;
    this.platform = options.platform ?? "linux";
    this.homeDirectory = options.homeDirectory ?? "/home/user";
    this.temporaryDirectory = options.temporaryDirectory ?? "/tmp";
    this.#environment = new Map(Object.entries(options.environment ?? {}));
    this.run(this.ppid, 1);
    this.run(this.pid, this.ppid);
  }

  environment(name: string): string | undefined {
    return this.#environment.get(name);
  }

  setEnvironment(name: string, value: string | undefined): void {
    if (value === undefined) this.#environment.delete(name);
    else this.#environment.set(name, value);
  }

  /** A process starts; a `mark` other than before means that the id was used again. */
  run(pid: number, parent: number, mark = `start-${pid}`): void {
    this.#table.set(pid, { parent, mark });
  }

  end(pid: number): void {
    this.#table.delete(pid);
  }

  isAlive(pid: number): boolean {
    return this.#table.has(pid);
  }

  /** A process opens a connection to us from this port of its own. */
  connect(pid: number, port: number): void {
    this.#connections.set(port, pid);
  }

  async peerOf({ remotePort }: TcpPorts): Promise<number | undefined> {
    return this.#connections.get(remotePort);
  }

  async parentOf(pid: number): Promise<number | undefined> {
    return this.#table.get(pid)?.parent;
  }

  async startMark(pid: number): Promise<string | undefined> {
    return this.#table.get(pid)?.mark;
  }
}

/** A process with a parent, both alive. */
export function createFakeProcess(options: FakeProcessOptions = {}): FakeProcess {
  return new FakeProcess(options);
}
