import { delimiter, join } from "node:path";
import { type AgentId, type Dialect, messageOf, PatchbayError } from "@patchbay/core";
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
  type WorkspaceFile,
  writeText,
} from "../agent-driver.ts";
import { type CompanionAddress, isWithinReal, readDiscoveryFiles } from "../records.ts";
import { CompanionSpecConnection, parseFinalText, toAgentView } from "./connection.ts";

/** Name that Gemini CLI and Qwen Code give their client. */
export const familyClientName = "streamable-http-client";

/** What differs between the agents of this family. */
export interface CompanionSpecProfile {
  readonly dialect: AgentId;
  readonly agentName: string;
  readonly clientName: string;
  readonly clientVersion: string;
  readonly protocolVersion: string;
  /** Candidates in the order in which they are tried. */
  find(options: AgentDriverOptions): readonly CompanionAddress[];
  /** Whether an `isError` answer to openDiff fails the edit for good; otherwise the terminal decides. */
  readonly failsOnRefusal: boolean;
  /** The proposal as it goes over the wire. */
  toWire(text: string, tool: "edit" | "write", file: WorkspaceFile): string;
  /** What is written for an accepted text. */
  toDisk(text: string, file: WorkspaceFile): string;
}

/** A member of the Gemini family without a model. */
export class CompanionSpecDriver implements AgentDriver {
  readonly dialect: AgentId;
  readonly agentName: string;
  readonly #profile: CompanionSpecProfile;
  readonly #options: AgentDriverOptions;
  readonly #board: StatusBoard = new StatusBoard();
  readonly #open: Map<string, { readonly question: OpenQuestion; accept(content: string): void }> = new Map();
  /** The last proposal of each file: the client asks about a file only when its last question is answered. */
  // oxlint-disable-next-line patchbay/no-kept-promise -- What follows in a queue does so whatever came before.
  readonly #queues: Map<string, Promise<unknown>> = new Map();
  readonly #questions: Set<OpenQuestion> = new Set();
  #connection: CompanionSpecConnection | undefined;

  constructor(profile: CompanionSpecProfile, options: AgentDriverOptions) {
    this.dialect = profile.dialect;
    this.agentName = profile.agentName;
    this.#profile = profile;
    this.#options = options;
  }

  get status(): AgentStatus {
    return this.#board.status;
  }

  /** The MCP session, for tests that look into the companion. */
  get sessionId(): string | undefined {
    return this.#connection?.sessionId;
  }

  async until(what: string, matches: (status: AgentStatus) => boolean, timeoutMs?: number): Promise<AgentStatus> {
    return await this.#board.until(what, matches, timeoutMs);
  }

  async connect(): Promise<void> {
    await this.#connection?.end();
    this.#board.change({ state: "connecting", contexts: 0, mentions: [] });
    const addresses = this.#profile.find(this.#options);
    let problem = `${this.agentName} found no companion for ${this.#options.cwd}.`;
    for (const address of addresses) {
      try {
        await this.#connectTo(address);
        return;
      } catch (error) {
        problem = `${this.agentName} could not connect to port ${address.port}: ${messageOf(error)}`;
      }
    }
    this.#board.disconnected(problem);
    throw new PatchbayError("not-found", problem);
  }

  propose(edit: AgentEdit): AgentProposal {
    const question = new OpenQuestion();
    this.#questions.add(question);
    const file = inspectFile(edit.path);
    const tool = edit.tool ?? (file.exists ? "edit" : "write");
    const proposed = this.#profile.toWire(edit.text, tool, file);
    const accept = (content: string, by: "editor" | "terminal"): void =>
      question.answer(() => this.#accepted(edit.path, file, proposed, content, by));
    const previous = this.#queues.get(edit.path) ?? Promise.resolve();
    const asked = previous.then(async () => {
      this.#open.set(edit.path, { question, accept: (content) => accept(content, "editor") });
      await this.#ask(edit.path, proposed, question);
    });
    this.#queues.set(edit.path, Promise.all([asked, question.outcome]));
    return {
      path: edit.path,
      asked,
      outcome: question.outcome,
      get refusal(): string | undefined {
        return question.refusal;
      },
      decideInTerminal: async (verdict) => {
        await asked;
        const held = await this.#closeDiff(edit.path);
        this.#open.delete(edit.path);
        if (verdict === "accept") accept(held ?? proposed, "terminal");
        else question.answer(() => ({ kind: "rejected", by: "terminal" }));
        return await question.outcome;
      },
    };
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    return await this.#connected().callTool(name, args);
  }

  cut(how: "clean" | "reset"): void {
    this.#connection?.cut(how);
  }

  async end(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    for (const question of this.#questions) question.answer(() => ({ kind: "lost" }));
    this.#questions.clear();
    this.#open.clear();
    await connection?.end();
    if (connection !== undefined) this.#board.disconnected("The agent has ended.");
  }

  async #connectTo(address: CompanionAddress): Promise<void> {
    const connection = await CompanionSpecConnection.open({
      address,
      clientName: this.#options.clientName ?? this.#profile.clientName,
      clientVersion: this.#options.version ?? this.#profile.clientVersion,
      protocolVersion: this.#profile.protocolVersion,
      onContext: (update) => {
        if (this.status.state === "disconnected") return;
        this.#board.change({ contexts: this.status.contexts + 1, view: toAgentView(update) });
      },
      onDiffAccepted: (path, content) => this.#take(path)?.accept(content),
      onDiffRejected: (path) => this.#take(path)?.question.answer(() => ({ kind: "rejected", by: "editor" })),
      onProblem: (problem) => this.#board.disconnected(problem),
    });
    this.#connection = connection;
    const tools = await connection.listTools();
    this.#board.change({ state: "connected", tools, editorName: address.editorName, port: address.port });
  }

  #take(path: string): { readonly question: OpenQuestion; accept(content: string): void } | undefined {
    const open = this.#open.get(path);
    this.#open.delete(path);
    if (open === undefined) this.#board.change({ unasked: this.status.unasked + 1 });
    return open;
  }

  async #ask(path: string, proposed: string, question: OpenQuestion): Promise<void> {
    const { state, tools } = this.status;
    if (state !== "connected" || !tools.includes("openDiff") || !tools.includes("closeDiff")) {
      question.refusal = "The editor is not connected, or it offers no diffs.";
      return;
    }
    try {
      await this.#connected().callTool("openDiff", { filePath: path, newContent: proposed });
    } catch (error) {
      this.#open.delete(path);
      const message = messageOf(error);
      question.refusal = message;
      if (this.#profile.failsOnRefusal) question.answer(() => ({ kind: "failed", message }));
    }
  }

  /** The text that the view held, or undefined where there is no view. */
  async #closeDiff(path: string): Promise<string | undefined> {
    if (this.#connection === undefined || this.status.state !== "connected") return undefined;
    try {
      const [text] = await this.#connection.callTool("closeDiff", { filePath: path, suppressNotification: true });
      return text === undefined ? undefined : parseFinalText(text);
    } catch {
      // The real clients take any failure here for "no content".
      return undefined;
    }
  }

  #accepted(
    path: string,
    file: WorkspaceFile,
    proposed: string,
    received: string,
    by: "editor" | "terminal",
  ): AgentOutcome {
    // An empty text is falsy for the client: it then writes what it proposed.
    const text = received === "" ? proposed : received;
    const written = this.#profile.toDisk(text, file);
    if (this.#options.writesFile !== false) writeText(path, written);
    return { kind: "accepted", received, written, userModified: text !== proposed, by };
  }

  #connected(): CompanionSpecConnection {
    if (this.#connection === undefined) throw new PatchbayError("not-found", `${this.agentName} is not connected.`);
    return this.#connection;
  }
}

/**
 * A member of the family of which nobody has yet seen how it really behaves: it looks where its folder in core says, which
 * therefore proves nothing about those places, and speaks the published interface under its own name.
 */
export function createPublishedDriver(agent: Dialect<AgentId>, options: AgentDriverOptions): CompanionSpecDriver {
  if (agent.transport !== "streamable-http") {
    throw new PatchbayError("not-found", `${agent.agentName} has no driver in the testkit.`);
  }
  return new CompanionSpecDriver(
    {
      dialect: agent.id,
      agentName: agent.agentName,
      clientName: agent.id,
      clientVersion: "1.0.0",
      protocolVersion: "2025-06-18",
      find: (where) => findAnnounced(agent, where),
      failsOnRefusal: false,
      toWire: (text) => text,
      toDisk: (text) => text,
    },
    options,
  );
}

const recordSchema = z.object({
  port: z.number(),
  workspacePath: z.string(),
  authToken: z.string().optional(),
  ideInfo: z.object({ displayName: z.string() }),
});

/** The port that the environment names first, then the newest record. */
function findAnnounced(agent: Dialect, options: AgentDriverOptions): readonly CompanionAddress[] {
  const environment = (name: string): string | undefined => options.environment?.[name];
  const { home: homeDirectory, temporaryDirectory, cwd } = options;
  const named = agent.portVariable === undefined ? undefined : Number(environment(agent.portVariable));
  return agent
    .places({ homeDirectory, temporaryDirectory, environment })
    .filter(({ isRead }) => isRead)
    .flatMap(({ root, directories, pattern }) => readDiscoveryFiles(join(root, ...directories), pattern))
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
    .flatMap(({ path, content }) => {
      const record = recordSchema.safeParse(content).data;
      const roots = record?.workspacePath.split(delimiter) ?? [];
      if (record === undefined || !roots.some((root) => isWithinReal(root, cwd))) return [];
      const { port, authToken, ideInfo } = record;
      return [{ port, token: authToken, editorName: ideInfo.displayName, record: path }];
    })
    .toSorted((a, b) => Number(b.port === named) - Number(a.port === named));
}
