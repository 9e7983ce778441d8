import { join } from "node:path";
import { type AgentId, messageOf, PatchbayError } from "@patchbay/core";
import { WebSocket } from "ws";
import * as z from "zod";
import {
  type AgentDriver,
  type AgentDriverOptions,
  type AgentEdit,
  type AgentOutcome,
  type AgentProposal,
  type AgentStatus,
  inspectFile,
  OpenQuestion,
  StatusBoard,
  withByteOrderMark,
  writeText,
} from "../agent-driver.ts";
import { type CompanionAddress, isWithin, readDiscoveryFiles } from "../records.ts";

/** A member of the family, as it was seen. */
export interface FamilyClient {
  readonly dialect: AgentId;
  readonly agentName: string;
  /** Its own variable for a port, beside Claude Code's. */
  readonly portVariable: string;
}

/** How long it waits before it looks for a companion again, ms; the last one from then on. */
const looksAgainAfterMs: readonly number[] = [1_000, 2_000, 4_000, 8_000, 10_000];

/**
 * opencode 1.18.34, and Kilo CLI 7.7.9, which is the same in all of this, without a model. It calls no tool and proposes nothing: its user
 * decides in its terminal.
 */
export class OpenCodeDriver implements AgentDriver {
  readonly dialect: AgentId;
  readonly agentName: string;
  readonly #client: FamilyClient;
  readonly #options: AgentDriverOptions;
  readonly #board: StatusBoard = new StatusBoard();
  readonly #questions: Set<OpenQuestion> = new Set();
  #socket: WebSocket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #looks = 0;
  #ended = false;

  constructor(client: FamilyClient, options: AgentDriverOptions) {
    this.dialect = client.dialect;
    this.agentName = client.agentName;
    this.#client = client;
    this.#options = options;
  }

  get status(): AgentStatus {
    return this.#board.status;
  }

  async until(what: string, matches: (status: AgentStatus) => boolean, timeoutMs?: number): Promise<AgentStatus> {
    return await this.#board.until(what, matches, timeoutMs);
  }

  async connect(): Promise<void> {
    this.#ended = false;
    this.#looks = 0;
    clearTimeout(this.#retry);
    this.#socket?.terminate();
    this.#board.change({ state: "connecting", contexts: 0, mentions: [] });
    const problem = await this.#look();
    if (problem === undefined) return;
    this.#board.disconnected(problem);
    throw new PatchbayError("not-found", problem);
  }

  propose(edit: AgentEdit): AgentProposal {
    const question = new OpenQuestion();
    question.refusal = `${this.agentName} shows changes in its own terminal.`;
    this.#questions.add(question);
    return {
      path: edit.path,
      asked: Promise.resolve(),
      outcome: question.outcome,
      refusal: question.refusal,
      decideInTerminal: async (verdict) => {
        question.answer(() => (verdict === "accept" ? this.#written(edit) : { kind: "rejected", by: "terminal" }));
        return await question.outcome;
      },
    };
  }

  async callTool(name: string): Promise<readonly string[]> {
    throw new PatchbayError("not-found", `${this.agentName} calls no tools, and so not ${name}.`);
  }

  cut(how: "clean" | "reset"): void {
    if (how === "clean") this.#socket?.close();
    else this.#socket?.terminate();
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#retry);
    for (const question of this.#questions) question.answer(() => ({ kind: "lost" }));
    this.#questions.clear();
    this.#socket?.terminate();
    this.#socket = undefined;
    this.#board.disconnected("The agent has ended.");
  }

  #written(edit: AgentEdit): AgentOutcome {
    const written = inspectFile(edit.path).hasByteOrderMark ? withByteOrderMark(edit.text) : edit.text;
    if (this.#options.writesFile !== false) writeText(edit.path, written);
    return { kind: "accepted", received: edit.text, written, userModified: false, by: "terminal" };
  }

  /** Looks for a companion and dials it; a returned sentence says why not. */
  async #look(): Promise<string | undefined> {
    const { cwd } = this.#options;
    const address = findOpenCodeCompanion(this.#options, this.#client.portVariable);
    if (address === undefined) return `${this.agentName} found no companion for ${cwd}.`;
    try {
      await this.#dial(address);
      return undefined;
    } catch (error) {
      return `${this.agentName} could not connect to port ${address.port}: ${messageOf(error)}`;
    }
  }

  async #dial({ port, token, editorName }: CompanionAddress): Promise<void> {
    const headers = token === undefined ? {} : { "x-claude-code-ide-authorization": token };
    // No subprotocol, no name of a browser.
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers, perMessageDeflate: true });
    this.#socket = socket;
    await new Promise<void>((resolve, reject) => {
      socket.on("open", () => {
        const params = {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: this.#options.clientName ?? "opencode", version: this.#options.version ?? "0.0.0" },
        };
        socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
      });
      socket.on("message", (data, isBinary) => {
        if (isBinary || !Buffer.isBuffer(data)) return;
        const message = messageSchema.parse(JSON.parse(data.toString("utf8")));
        if (message.id === 1 && message.error === undefined) {
          socket.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
          this.#looks = 0;
          this.#board.change({ state: "connected", tools: [], editorName, port });
          resolve();
        } else this.#receive(message.method, message.params);
      });
      socket.on("error", reject);
      socket.on("close", (code) => {
        const problem = `The connection closed with code ${code}.`;
        reject(new PatchbayError("stopped", problem));
        if (this.#socket === socket && this.status.state === "connected") this.#lost(problem);
      });
    });
  }

  /** After a drop it looks at the records again, and finds a companion on a new port with a new token. */
  #lost(problem: string): void {
    this.#board.disconnected(problem);
    if (this.#ended) return;
    const delay = looksAgainAfterMs[Math.min(this.#looks, looksAgainAfterMs.length - 1)];
    this.#looks += 1;
    this.#retry = setTimeout(() => {
      void this.#look().then((failure) => {
        if (failure !== undefined) this.#lost(failure);
      });
    }, delay);
    this.#retry.unref();
  }

  #receive(method: string | undefined, params: unknown): void {
    if (method === "selection_changed") {
      const told = selectionSchema.safeParse(params).data;
      if (told === undefined) return;
      const { filePath } = told;
      const ranges = "ranges" in told ? told.ranges : [told];
      // Without a length it is none.
      const selected = ranges.filter(
        ({ selection: { start, end } }) => start.line !== end.line || start.character !== end.character,
      );
      const [first] = selected;
      this.#board.change({
        contexts: this.status.contexts + 1,
        view: {
          openFiles: [filePath],
          active: filePath,
          // In editors' terms.
          ...(first === undefined
            ? {}
            : {
                cursor: { line: first.selection.end.line - 1, character: first.selection.end.character },
                selectedText: selected.map(({ text }) => text).join("\n"),
              }),
        },
      });
    } else if (method === "at_mentioned") {
      const told = mentionSchema.safeParse(params).data;
      if (told === undefined) return;
      const { filePath, lineStart, lineEnd } = told;
      const lines = lineStart === 0 ? {} : { lines: { start: lineStart - 1, end: lineEnd - 1 } };
      this.#board.change({ mentions: [...this.status.mentions, { path: filePath, ...lines }] });
    }
  }
}

/** Speaks as opencode 1.18.34 does. */
export function createOpenCodeDriver(options: AgentDriverOptions): OpenCodeDriver {
  const client = { dialect: "opencode", agentName: "opencode", portVariable: "OPENCODE_EDITOR_SSE_PORT" } as const;
  return new OpenCodeDriver(client, options);
}

/** Speaks as Kilo CLI 7.7.9 does, which says that it is opencode. */
export function createKiloDriver(options: AgentDriverOptions): OpenCodeDriver {
  const client = { dialect: "kilo", agentName: "Kilo", portVariable: "KILO_EDITOR_SSE_PORT" } as const;
  return new OpenCodeDriver(client, options);
}

// Places, names and rules are spelled here and not taken from core: as the client was seen to go by them.

const messageSchema = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  error: z.unknown().optional(),
});

const place = z.object({ line: z.number(), character: z.number() });
const range = z.object({ text: z.string(), selection: z.object({ start: place, end: place }) });
const selectionSchema = z.union([
  z.object({ filePath: z.string(), ranges: z.array(range).min(1) }),
  range.extend({ filePath: z.string() }),
]);

/** Both numbers are required. */
const mentionSchema = z.object({ filePath: z.string(), lineStart: z.number(), lineEnd: z.number() });

const lockSchema = z.object({
  workspaceFolders: z.array(z.string()).default([]),
  ideName: z.string().default("IDE"),
  transport: z.string().optional(),
  authToken: z.string().optional(),
});

/**
 * The companion that the client dials, or undefined (docs/protocols/opencode.md): the decimal port that its terminal names, without a token;
 * else the lock with the longest folder that holds the working directory, then the newest.
 */
export function findOpenCodeCompanion(
  { environment = {}, home, cwd }: AgentDriverOptions,
  portVariable: string,
): CompanionAddress | undefined {
  const named = Number.parseInt(environment["CLAUDE_CODE_SSE_PORT"] || environment[portVariable] || "", 10);
  if (named > 0 && named <= 65_535) return { port: named, token: undefined, editorName: "IDE", record: undefined };
  const found = readDiscoveryFiles(join(home, ".claude", "ide"), /^\d+\.lock$/u).flatMap((file) => {
    const lock = lockSchema.safeParse(file.content).data;
    if (lock === undefined || (lock.transport !== undefined && lock.transport !== "ws")) return [];
    const score = Math.max(
      0,
      ...lock.workspaceFolders.filter((root) => isWithin(root, cwd)).map((root) => root.length),
    );
    const port = Number.parseInt(file.name, 10);
    const address = { port, token: lock.authToken, editorName: lock.ideName, record: file.path };
    return score === 0 ? [] : [{ address, score, modifiedMs: file.modifiedMs }];
  });
  return found.toSorted((a, b) => b.score - a.score || b.modifiedMs - a.modifiedMs)[0]?.address;
}
