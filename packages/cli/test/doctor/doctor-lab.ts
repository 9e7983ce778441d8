import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { dirname, join, sep } from "node:path";
import {
  type Companion,
  createCompanion,
  type AgentId,
  type FileFacts,
  type OpenedText,
  type Platform,
  type Surroundings,
} from "@patchbay/core";
import { createMemoryEditor, createTestPlatform, type TestPlatform } from "@patchbay/testkit";
import { expect } from "vitest";
import { printFindings } from "../../src/doctor/print-findings.ts";
import { createPaint } from "../../src/terminal/paint.ts";
import { posixWords } from "../../src/terminal/shell-words.ts";

/** A pid that no process has. */
export const deadPid: number = 2 ** 22 + 1;

/** A machine for the doctor: real files, sockets and processes, and nothing of the machine beside it. */
export class DoctorLab {
  readonly platform: TestPlatform = createTestPlatform();
  /** This terminal's variables. */
  readonly environment: Record<string, string> = {};
  /** What the system tells, by path: process tables, marks of containers. */
  readonly system: Map<string, string> = new Map();
  /** Paths that belong to somebody else. */
  readonly foreign: Set<string> = new Set();
  /** Paths that belong to root, while the user is another. */
  readonly rooted: Set<string> = new Set();
  /** Processes of which the system tells the truth. */
  readonly visible: Set<number> = new Set();
  readonly elsewhere: Surroundings[] = [];
  uid: number = this.platform.process.uid;
  /** How long an editor may take to answer, ms. */
  waitMs: number | undefined;
  temporaryDirectory: string = this.platform.tmp;
  homeDirectory: string = this.platform.home;
  readonly #ends: (() => unknown)[] = [];

  get folder(): string {
    return this.platform.workspace;
  }

  /** All three agents are installed, and set up so that they look for an editor and ask. */
  settle(): void {
    for (const command of ["gemini", "qwen", "claude"]) this.put(join(this.platform.root, "bin", command), "", 0o755);
    this.environment["PATH"] = join(this.platform.root, "bin");
    this.put(this.inHome(".gemini/settings.json"), '{ "ide": { "enabled": true } } // fine');
    this.put(this.inHome(".qwen/settings.json"), '{ "tools": { "approvalMode": "default" /* fine */ } }');
    this.put(this.inHome(".claude/settings.json"), '{ "permissions": { "defaultMode": "default" } }');
  }

  inHome(path: string): string {
    return join(this.platform.home, path);
  }

  put(path: string, text: string, mode = 0o600): string {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  directory(...names: readonly string[]): string {
    const path = join(this.platform.root, ...names);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** An editor with these folders starts; its terminals' variables are its companion's `environment`. */
  async start(name: string, folders: readonly string[], pid?: number, platform?: Platform): Promise<Companion> {
    const identity = { name: "editor", displayName: name, version: "1", ...(pid === undefined ? {} : { pids: [pid] }) };
    const host = createMemoryEditor({ folders, identity });
    const companion = createCompanion({ host, platform: platform ?? this.platform });
    this.#ends.push(async () => await companion.stop());
    await companion.start();
    return companion;
  }

  /** The terminal is one of that editor's. */
  terminalOf(companion: Companion): void {
    Object.assign(this.environment, companion.environment);
  }

  /** A record as an editor leaves it; the places are spelled here, as the diagnosis takes them from core. */
  record(
    agent: AgentId,
    port: number,
    fields: Readonly<Record<string, unknown>> = {},
    pid: number = process.pid,
  ): string {
    const folders = { workspacePath: this.folder, workspaceFolders: [this.folder] };
    const ideInfo = { name: "editor", displayName: "Editor" };
    const text = JSON.stringify({
      port,
      ...folders,
      authToken: "t",
      ideName: "Editor",
      ideInfo,
      ...processOf(agent, pid),
      transport: "ws",
      ...fields,
    });
    switch (agent) {
      case "gemini":
        return this.put(join(this.platform.tmp, "gemini", "ide", `gemini-ide-server-${pid}-${port}.json`), text);
      case "qwen":
        return this.put(this.inHome(`.qwen/ide/${port}.lock`), text);
      case "claude":
        return this.put(this.inHome(`.claude/ide/${port}.lock`), text);
      default:
        throw new Error(`Nothing is known of the records of ${String(agent)}.`);
    }
  }

  /** Somebody who answers every request so. */
  async httpServer(status: number): Promise<number> {
    const server: HttpServer = createHttpServer((_request, response) => response.writeHead(status).end());
    server.on("upgrade", (_request, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    this.#ends.push(() => server.close());
    return await listen(server);
  }

  /** Somebody who accepts connections and says nothing. */
  async silentServer(): Promise<number> {
    const server = createServer((socket) => this.#ends.push(() => socket.destroy()));
    this.#ends.push(() => server.close());
    return await listen(server);
  }

  /** An editor that lets agents in, and takes its time for each answer. */
  async slowServer(delayMs: number): Promise<number> {
    const welcome = JSON.stringify({ result: { protocolVersion: "2025-06-18", serverInfo: { name: "editor" } } });
    const server: HttpServer = createHttpServer((request, response) => {
      setTimeout(() => response.writeHead(request.method === "GET" ? 401 : 200).end(welcome), delayMs);
    });
    this.#ends.push(() => server.closeAllConnections());
    this.#ends.push(() => server.close());
    return await listen(server);
  }

  /** Somebody who answers whoever only asks who is there, and says nothing to an agent. */
  async hangingServer(): Promise<number> {
    const server: HttpServer = createHttpServer((request, response) => {
      if (request.method === "GET") response.writeHead(401).end();
    });
    server.on("upgrade", (_request, socket) => this.#ends.push(() => socket.destroy()));
    this.#ends.push(() => server.closeAllConnections());
    this.#ends.push(() => server.close());
    return await listen(server);
  }

  /** An editor's process that is stopped, as by Ctrl-Z. */
  async stoppedProcess(): Promise<{ readonly pid: number; readonly port: number }> {
    const script = `require("node:http").createServer((_, response) => response.end()).listen(0, "127.0.0.1", function () { console.log(this.address().port) })`;
    const child: ChildProcess = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "ignore"] });
    this.#ends.push(() => child.kill("SIGKILL"));
    const [data] = await once(child.stdout ?? child, "data");
    child.kill("SIGSTOP");
    const pid = child.pid ?? 0;
    this.visible.add(pid);
    return { pid, port: Number(String(data)) };
  }

  /** What the doctor prints, in the words of the documentation: what differs from run to run is named. */
  async diagnose(agents: readonly AgentId[] = [], folder: string = this.folder): Promise<readonly string[]> {
    const { lines } = await this.run(agents, folder);
    return lines.slice(0, -2).map((line) => this.#inGeneral(line));
  }

  async run(
    agents: readonly AgentId[],
    folder: string = this.folder,
    { json = false, report = false }: { readonly json?: boolean; readonly report?: boolean } = {},
  ): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
    const lines: string[] = [];
    const code = await printFindings({
      folder,
      json,
      report,
      agents,
      platform: this.terminal(),
      paint: createPaint(false),
      print: (line) => void lines.push(line),
      elsewhere: this.elsewhere,
      waitMs: this.waitMs,
      shell: posixWords,
    });
    return { code, lines };
  }

  /** What it says to strangers. */
  async report(agents: readonly AgentId[], folder?: string): Promise<readonly string[]> {
    const { lines } = await this.run(agents, folder, { report: true });
    return lines;
  }

  async dispose(): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
    this.platform.dispose();
  }

  /** The terminal's view: it sees this lab, and what the system was told to tell. Nothing can be changed. */
  terminal(): Platform {
    const { platform, environment, system, foreign, rooted, temporaryDirectory, homeDirectory } = this;
    const uid = rooted.size > 0 ? 1000 : this.uid;
    const { files } = platform;
    const isHere = (path: string): boolean =>
      path.startsWith(platform.root) || Array.from(this.visible).some((pid) => path.startsWith(`/proc/${pid}/`));
    const lstat = async (path: string): Promise<FileFacts | undefined> => {
      if (system.has(path))
        return { kind: "file", uid: 0, mode: 0o644, size: 0, modifiedMs: 0, changedMs: 0, id: path };
      const facts = isHere(path) ? await files.lstat(path) : undefined;
      if (facts !== undefined && rooted.size > 0) return { ...facts, uid: rooted.has(path) ? 0 : uid };
      return facts !== undefined && foreign.has(path) ? { ...facts, uid: facts.uid + 1 } : facts;
    };
    const readOpened = async (path: string, limit: number): Promise<OpenedText | undefined> => {
      const opened = isHere(path) ? await files.readOpened(path, limit) : undefined;
      const facts = opened === undefined ? undefined : await lstat(path);
      return opened === undefined || facts === undefined ? undefined : { text: opened.text, facts };
    };
    return {
      ...platform,
      process: {
        ...platform.process,
        uid,
        temporaryDirectory,
        homeDirectory,
        environment: (name) => environment[name],
      },
      files: {
        lstat,
        list: async (path) => (isHere(path) ? await files.list(path) : []),
        readText: async (path, limit) =>
          system.get(path) ?? (isHere(path) ? await files.readText(path, limit) : undefined),
        readOpened,
        readReal: async (path, limit) => (isHere(path) ? await files.readReal(path, limit) : undefined),
        realPath: async (path) => (isHere(path) ? await files.realPath(path) : undefined),
        readLink: async (path) => (isHere(path) ? await files.readLink(path) : undefined),
        startsWithByteOrderMark: async (path) => isHere(path) && (await files.startsWithByteOrderMark(path)),
        makeDirectory: refuse,
        chmod: refuse,
        createExclusive: refuse,
        rename: refuse,
        replaceText: refuse,
        remove: refuse,
        removeDirectory: refuse,
        removeSync: () => expect.fail("the doctor changes nothing"),
      },
    };
  }

  #inGeneral(line: string): string {
    const { workspace, home, tmp, root } = this.platform;
    const told = line
      .replaceAll(workspace, "FOLDER")
      .replaceAll(home, "~")
      .replaceAll(tmp, "TMP")
      .replaceAll(root, "")
      .replaceAll(/(?<=(?:port|process|uid|-CONT) )\d+/gu, "N")
      .replaceAll(/[\d.]+(?= s\b)/gu, "N")
      .replaceAll(/server-\d+-\d+/gu, "server-N-N")
      .replaceAll(/\d+(?=\.lock)/gu, "N");
    // With the separators of Windows a word of the shell is quoted, which with the others needs it not.
    return sep === "/" ? told : told.replaceAll(sep, "/").replaceAll(/'([\w./~-]+)'/gu, "$1");
  }
}

function processOf(agent: AgentId, pid: number): Readonly<Record<string, number>> {
  if (agent === "gemini") return {};
  return agent === "qwen" ? { ppid: pid } : { pid };
}

async function refuse(): Promise<never> {
  return expect.fail("the doctor changes nothing");
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}
