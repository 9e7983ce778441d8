import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, createCompanion, createNodePlatform, type Logger } from "@patchbay/core";
import { createMemoryEditor, type PanelPageControls, type PuppetAgent } from "@patchbay/testkit";
import { type RawData, WebSocket } from "ws";
import type { FolderLedgers } from "@patchbay/turns";
import type { AddedAgent } from "../../src/messages/index.ts";
import { openLedger } from "../host/open-ledger.ts";
import { panelParts, writeLanguageFiles } from "../../../languages/scripts/files.ts";
import { type PagePanel, PageReviews, startPagePanel } from "../../src/server/index.ts";

export interface ServerLabOptions {
  readonly agent?: Pick<PuppetAgent, "id" | "name" | "program"> | undefined;
  /** The real page; else files that stand for it. */
  readonly pageDirectory?: string;
  readonly port?: number;
  readonly deskSecret?: string;
  readonly beginWith?: string;
  readonly clock?: Clock;
  /** Of the user; default: English. */
  readonly locale?: string;
  /** The disk of an earlier run, which is kept. */
  readonly root?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** A browser that has come in. */
export interface Guest {
  readonly cookie: string;
  readonly key: string;
}

/** A server on a real port, with a folder and storage of its own. */
export interface ServerLab {
  readonly root: string;
  readonly folder: string;
  readonly logged: readonly string[];
  readonly panel: PagePanel;
  /** Of what agents change in the folder. */
  readonly turns: FolderLedgers;
  readonly origin: string;
  /** Agents that the user has added. */
  readonly saved: readonly { readonly id: string; readonly agent: AddedAgent }[];
  isIdle(): boolean;
  /** One request as its headers say it; those of a page of the server are added where nothing else is said. */
  ask(
    method: string,
    path: string,
    more?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Answered>;
  /** Opens a link as a browser does. */
  enter(url?: string): Promise<Guest>;
  /** A WebSocket; undefined: it was refused. */
  socket(guest: Partial<Guest>, headers?: Readonly<Record<string, string>>): Promise<WebSocket | undefined>;
  close(): Promise<void>;
}

export async function startServerLab(options: ServerLabOptions = {}): Promise<ServerLab> {
  const { agent, clock, port, deskSecret, beginWith, locale = "en" } = options;
  const root = options.root ?? realpathSync(mkdtempSync(join(tmpdir(), "patchbay-page-")));
  const folder = join(root, "work");
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(root, "page"), { recursive: true });
  for (const name of ["panel.js", "panel.css", "connect.js"]) writeFileSync(join(root, "page", name), "/* page */");
  await writeLanguageFiles(join(root, "page", "languages"), panelParts());
  const platform = { ...createNodePlatform(), ...(clock === undefined ? {} : { clock }) };
  const logged: string[] = [];
  const note = (message: string): void => void logged.push(message);
  const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const reviews = new PageReviews();
  const { identity, workspace, editors, messages, documents, storageDirectory } = createMemoryEditor({
    folders: [folder],
    storageDirectory: join(root, "storage"),
    readDisk: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  });
  const host = { identity, workspace, editors, messages, documents, storageDirectory, diffs: reviews };
  const turns = openLedger(platform, folder, root);
  const companion = createCompanion({ host, platform, turns });
  const following = reviews.attach(companion);
  const saved: { readonly id: string; readonly agent: AddedAgent }[] = [];
  let isIdle = false;
  const panel = await startPagePanel({
    host,
    companion,
    reviews,
    turns: { witness: turns, ledger: turns.conversations },
    platform,
    logger,
    version: "0.0.0",
    locale,
    storageDirectory: join(root, "storage"),
    pageDirectory: options.pageDirectory ?? join(root, "page"),
    port,
    deskSecret,
    beginWith,
    onIdle: () => (isIdle = true),
    settings: {
      saveAgent: async (id, added) => void saved.push({ id, agent: added }),
      agents: () => (agent === undefined ? {} : { [agent.id]: { name: agent.name, program: agent.program } }),
      autosave: () => true,
      reasonNotToStart: () => undefined,
    },
  });
  const origin = `http://127.0.0.1:${panel.port}`;
  let isClosed = false;
  const lab: ServerLab = {
    root,
    folder,
    logged,
    panel,
    turns,
    origin,
    saved,
    isIdle: () => isIdle,
    ask: async (method, path, { headers = {}, body } = {}) => {
      const all = { origin, "sec-fetch-site": "same-origin", ...headers };
      const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
      return await ask({ port: panel.port, method, path, headers: sent, body });
    },
    enter: async (url = panel.url()) => {
      const answer = await lab.ask("POST", "/door", { body: url.slice(url.indexOf("#") + 1) });
      if (answer.status !== 200) throw new Error(`The door answers ${answer.status}.`);
      const [cookie = ""] = String(answer.headers["set-cookie"]).split(";");
      return { cookie, key: String(Reflect.get(JSON.parse(answer.body), "key")) };
    },
    socket: async ({ cookie = "", key = "" }, headers = {}) => {
      const all = { origin, ...(cookie === "" ? {} : { cookie }), ...headers };
      const socket = new WebSocket(`ws://127.0.0.1:${panel.port}/socket`, [`patchbay.${key}`], { headers: all });
      return await new Promise((resolve) => {
        socket.once("open", () => resolve(socket));
        socket.once("error", () => resolve(undefined));
      });
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await panel.close();
      following.dispose();
      await companion.stop();
      turns.dispose();
      if (options.root === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
  return lab;
}

async function ask(question: {
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}): Promise<Answered> {
  const { port, method, path, headers, body } = question;
  return await new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** What a message of a WebSocket says. */
export function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString("utf8") : "";
}

/** A page on a WebSocket, as `connect.ts` speaks with its server. */
export async function openPage(
  lab: ServerLab,
  guest: Guest,
): Promise<PanelPageControls & { /** What the page does itself. */ readonly told: unknown[] }> {
  const messages: unknown[] = [];
  const told: unknown[] = [];
  let socket: WebSocket | undefined;
  let heard = 0;
  let waiting: (() => void) | undefined;
  const connect = async (): Promise<void> => {
    socket = await lab.socket(guest);
    socket?.on("message", (data) => {
      const frame: unknown = JSON.parse(textOf(data));
      if (typeof frame !== "object" || frame === null) return;
      if ("message" in frame) messages.push(frame.message);
      if ("shell" in frame) told.push(frame.shell);
      if (!("ack" in frame)) return;
      heard = Number(frame.ack);
      waiting?.();
    });
  };
  await connect();
  let count = 0;
  return {
    messages,
    told,
    say: async (message) => {
      count += 1;
      const n = count;
      socket?.send(JSON.stringify({ n, message }));
      while (heard < n) await new Promise<void>((resolve) => (waiting = resolve));
    },
    leave: async () => {
      const left = socket;
      socket = undefined;
      await new Promise((resolve) => {
        left?.once("close", resolve);
        left?.close();
      });
    },
    comeBack: connect,
  };
}
