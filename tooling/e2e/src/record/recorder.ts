import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type AgentId, agentOf } from "@patchbay/core";
import { recordsOf } from "../agents/records.ts";
import type { Lab } from "../support/lab.ts";
import { RecordingProxy } from "./recording-proxy.ts";
import { formatTranscript, type Replacement } from "./transcript.ts";

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
    const { path, content, port, token } = await readRecord(this.#lab, agent);
    const proxy = new RecordingProxy(port);
    const proxyPort = await proxy.listen();
    const name = basename(path).replace(new RegExp(`${port}(?=\\.)`, "u"), String(proxyPort));
    const record = join(dirname(path), name);
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
    const { portVariable } = agentOf(agent);
    return portVariable === undefined ? {} : { [portVariable]: String(proxyPort) };
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

interface FoundRecord {
  readonly path: string;
  readonly content: string;
  readonly port: number;
  readonly token: string;
}

/** The agent's way into the companion; what it and the companion say to each other is recorded, and nothing of ours. */
async function readRecord(lab: Lab, agent: AgentId): Promise<FoundRecord> {
  for (const path of await recordsOf(lab, agent)) {
    const port = /(\d+)\.(lock|json)$/.exec(path)?.[1];
    const content = await readFile(path, "utf8");
    const token = /"authToken":\s*"([^"]+)"/.exec(content)?.[1];
    if (port !== undefined && token !== undefined) return { path, content, port: Number(port), token };
  }
  throw new Error(`no companion is announced to ${agent}`);
}
