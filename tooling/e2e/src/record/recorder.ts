import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentId } from "../agents/agent.ts";
import type { Lab } from "../support/lab.ts";
import { RecordingProxy } from "./recording-proxy.ts";
import { formatTranscript, type Replacement } from "./transcript.ts";

/** Where an agent looks for a companion, and the variable by which it prefers one port. */
interface Discovery {
  directory(lab: Lab): string;
  fileName(port: number): string;
  readonly portVariable: string;
}

const discoveries: Readonly<Record<AgentId, Discovery>> = {
  gemini: {
    directory: (lab) => join(lab.temporary, "gemini", "ide"),
    fileName: (port) => `gemini-ide-server-${process.pid}-${port}.json`,
    portVariable: "GEMINI_CLI_IDE_SERVER_PORT",
  },
  qwen: {
    directory: (lab) => join(lab.home, ".qwen", "ide"),
    fileName: (port) => `${port}.lock`,
    portVariable: "QWEN_CODE_IDE_SERVER_PORT",
  },
  claude: {
    directory: (lab) => join(lab.home, ".claude", "ide"),
    fileName: (port) => `${port}.lock`,
    portVariable: "CLAUDE_CODE_SSE_PORT",
  },
};

interface Recording {
  readonly agent: AgentId;
  readonly proxy: RecordingProxy;
  readonly record: string;
  readonly replacements: readonly Replacement[];
}

/** Leads the agents of one scenario to the companion by way of recording proxies, and saves what went through. */
export class Recorder {
  readonly #lab: Lab;
  readonly #into: string;
  readonly #scenario: string;
  readonly #recordings: Recording[] = [];

  constructor(lab: Lab, into: string, scenario: string) {
    this.#lab = lab;
    this.#into = into;
    this.#scenario = scenario;
  }

  /** Starts a proxy, announces it as the companion announces itself, and returns the variables that prefer it. */
  async environmentFor(agent: AgentId): Promise<Readonly<Record<string, string>>> {
    const discovery = discoveries[agent];
    const directory = discovery.directory(this.#lab);
    const { content, port, token } = await readRecord(directory);
    const proxy = new RecordingProxy(port);
    const proxyPort = await proxy.listen();
    const record = join(directory, discovery.fileName(proxyPort));
    await writeFile(record, content.replaceAll(String(port), String(proxyPort)), { mode: 0o600 });
    const replacements = [
      { from: this.#lab.workspace, to: "/workspace" },
      { from: this.#lab.home, to: "/home/user" },
      { from: this.#lab.root, to: "/lab" },
      { from: token, to: "TOKEN" },
      { from: `127.0.0.1:${proxyPort}`, to: "127.0.0.1:PORT" },
      { from: `127.0.0.1:${port}`, to: "127.0.0.1:PORT" },
    ];
    this.#recordings.push({ agent, proxy, record, replacements });
    return { [discovery.portVariable]: String(proxyPort) };
  }

  /** Writes one transcript per agent. */
  async save(): Promise<void> {
    for (const { agent, proxy, replacements } of this.#recordings) {
      await mkdir(join(this.#into, agent), { recursive: true });
      await writeFile(join(this.#into, agent, `${this.#scenario}.jsonl`), formatTranscript(proxy.lines, replacements));
    }
  }

  async dispose(): Promise<void> {
    for (const { proxy, record } of this.#recordings.splice(0)) {
      proxy.close();
      await rm(record, { force: true });
    }
  }
}

async function readRecord(directory: string): Promise<{ content: string; port: number; token: string }> {
  for (const name of await readdir(directory)) {
    const port = /(\d+)\.(lock|json)$/.exec(name)?.[1];
    const content = await readFile(join(directory, name), "utf8");
    const token = /"authToken":\s*"([^"]+)"/.exec(content)?.[1];
    if (port !== undefined && token !== undefined) return { content, port: Number(port), token };
  }
  throw new Error(`no companion is announced in ${directory}`);
}
