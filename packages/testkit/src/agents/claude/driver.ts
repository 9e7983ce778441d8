import { rmSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf, PatchbayError } from "@patchbay/core";
import * as z from "zod";
import {
  type AgentDriver,
  type AgentDriverOptions,
  type AgentEdit,
  type AgentOutcome,
  type AgentProposal,
  type AgentStatus,
  type AgentView,
  inspectFile,
  OpenQuestion,
  readToolResult,
  StatusBoard,
  toCrLf,
  withByteOrderMark,
  type WorkspaceFile,
  writeText,
} from "../agent-driver.ts";
import { type CompanionAddress, type DiscoveryFile, isAlive, isWithin, readDiscoveryFiles } from "../records.ts";
import { ClaudeSocket, parseMention, parseSelection, parseToolNames, type SelectionTold } from "./socket.ts";

export interface ClaudeDriverOptions extends AgentDriverOptions {
  /** Waits before each attempt after a drop, milliseconds. Default: at once, then five in 15 s, as the client. */
  readonly reconnectDelaysMs?: readonly number[];
}

const keptSelectionUnits = 2000;

/** Claude Code 2.1.328 without a model, in the permission mode in which it asks (`manual`). */
export class ClaudeDriver implements AgentDriver {
  readonly dialect = "claude" as const;
  readonly agentName: string = "Claude Code";
  readonly #options: ClaudeDriverOptions;
  readonly #board: StatusBoard = new StatusBoard();
  readonly #questions: Set<OpenQuestion> = new Set();
  /** The client asks one question at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #tabs = 0;
  #socket: ClaudeSocket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(options: ClaudeDriverOptions) {
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
    clearTimeout(this.#retry);
    this.#socket?.end();
    this.#board.change({ state: "connecting", contexts: 0, mentions: [] });
    const address = findClaudeCompanion(this.#options);
    const problem =
      address === undefined
        ? `${this.agentName} found no companion, or more than one, for ${this.#options.cwd}.`
        : await this.#connectTo(address);
    if (problem === undefined) return;
    this.#board.disconnected(problem);
    throw new PatchbayError("not-found", problem);
  }

  propose(edit: AgentEdit): AgentProposal {
    const question = new OpenQuestion();
    this.#questions.add(question);
    const file = inspectFile(edit.path);
    const tool = edit.tool ?? (file.exists ? "edit" : "write");
    const proposed = tool === "edit" && file.hasByteOrderMark ? withByteOrderMark(edit.text) : edit.text;
    this.#tabs += 1;
    const tab = `✻ [Claude Code] ${basename(edit.path)} (${String(this.#tabs).padStart(6, "0")}) ⧉`;
    const asked = this.#last.then(async () => await this.#ask(edit.path, proposed, tab, { question, file, tool }));
    this.#last = Promise.all([asked, question.outcome]);
    return {
      path: edit.path,
      asked,
      outcome: question.outcome,
      get refusal(): string | undefined {
        return question.refusal;
      },
      decideInTerminal: async (verdict) => {
        await asked;
        question.answer(() =>
          verdict === "accept"
            ? this.#accepted(edit.path, proposed, proposed, { file, tool }, "terminal")
            : { kind: "rejected", by: "terminal" },
        );
        await this.#closeTab(tab);
        return await question.outcome;
      },
    };
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    return readToolResult(await this.#connected().request("tools/call", { name, arguments: args }));
  }

  cut(how: "clean" | "reset"): void {
    this.#socket?.cut(how);
  }

  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#retry);
    for (const question of this.#questions) question.answer(() => ({ kind: "lost" }));
    this.#questions.clear();
    this.#socket?.end();
    this.#socket = undefined;
    this.#board.disconnected("The agent has ended.");
  }

  /** Connects; a returned sentence says why not. */
  async #connectTo(address: CompanionAddress): Promise<string | undefined> {
    try {
      const version = this.#options.version ?? "2.1.328";
      const socket = await ClaudeSocket.open({
        address,
        version,
        onNotification: (method, params) => this.#receive(method, params),
        onClose: (problem) => this.#lost(problem, address, 0),
      });
      this.#socket = socket;
      await socket.request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: { roots: { listChanged: true }, elicitation: {} },
        clientInfo: { name: this.#options.clientName ?? "claude-code", title: "Claude Code", version },
      });
      socket.notify("notifications/initialized");
      socket.notify("ide_connected", { pid: process.pid });
      const tools = parseToolNames(await socket.request("tools/list"));
      this.#board.change({ state: "connected", tools, editorName: address.editorName, port: address.port });
      return undefined;
    } catch (error) {
      return `${this.agentName} could not connect to port ${address.port}: ${messageOf(error)}`;
    }
  }

  /** After a drop the client dials the same port with the same token; it does not look at the lock again. */
  #lost(problem: string, address: CompanionAddress, attempt: number): void {
    this.#board.disconnected(problem);
    const delay = (this.#options.reconnectDelaysMs ?? [0, 1000, 2000, 3000, 4000, 5000])[attempt];
    if (this.#ended || delay === undefined) return;
    this.#retry = setTimeout(() => void this.#reconnect(address, attempt), delay);
    this.#retry.unref();
  }

  async #reconnect(address: CompanionAddress, attempt: number): Promise<void> {
    const failure = await this.#connectTo(address);
    if (failure !== undefined && !this.#ended) this.#lost(failure, address, attempt + 1);
  }

  #receive(method: string, params: unknown): void {
    if (method === "selection_changed") {
      const told = parseSelection(params);
      if (told === undefined) return;
      this.#board.change({ contexts: this.status.contexts + 1, ...this.#viewChange(told) });
    } else if (method === "at_mentioned") {
      const told = parseMention(params);
      if (told === undefined) return;
      const { filePath, lineStart, lineEnd } = told;
      const lines = lineStart === undefined ? {} : { lines: { start: lineStart, end: lineEnd ?? lineStart } };
      this.#board.change({ mentions: [...this.status.mentions, { path: filePath, ...lines }] });
    }
  }

  #viewChange(told: SelectionTold): { readonly view?: AgentView } {
    // A missing selection object leaves what was known: the quirk that makes `null` useless for clearing.
    if (told.selection == null) return {};
    if (told.filePath === "") return { view: { openFiles: [] } };
    return {
      view: {
        openFiles: [told.filePath],
        active: told.filePath,
        cursor: told.selection.end,
        ...(told.selection.isEmpty ? {} : { selectedText: told.text.slice(0, keptSelectionUnits) }),
      },
    };
  }

  async #ask(
    path: string,
    proposed: string,
    tab: string,
    context: { readonly question: OpenQuestion; readonly file: WorkspaceFile; readonly tool: "edit" | "write" },
  ): Promise<void> {
    const { question } = context;
    if (question.isAnswered || this.status.state !== "connected") {
      question.refusal = "The editor is not connected.";
      return;
    }
    await this.callTool("closeAllDiffTabs", {}).catch((error: unknown) => this.#refused(question, error));
    const args = { old_file_path: path, new_file_path: path, new_file_contents: proposed, tab_name: tab };
    this.callTool("openDiff", args).then(
      (texts) => this.#decided(texts, path, proposed, tab, context),
      (error: unknown) => this.#refused(question, error),
    );
  }

  #refused(question: OpenQuestion, error: unknown): void {
    question.refusal = messageOf(error);
    this.#board.change({});
  }

  #decided(
    texts: readonly string[],
    path: string,
    proposed: string,
    tab: string,
    context: { readonly question: OpenQuestion; readonly file: WorkspaceFile; readonly tool: "edit" | "write" },
  ): void {
    const { question } = context;
    if (question.isAnswered) return;
    const [verdict, text] = texts;
    if (verdict === "FILE_SAVED" && text !== undefined) {
      question.answer(() => this.#accepted(path, proposed, text, context, "editor"));
    } else if (verdict === "TAB_CLOSED") {
      // To the client a closed tab is an accept.
      question.answer(() => this.#accepted(path, proposed, proposed, context, "editor"));
    } else if (verdict === "DIFF_REJECTED") {
      question.answer(() => ({ kind: "rejected", by: "editor" }));
    } else {
      this.#refused(question, new PatchbayError("invalid-argument", `openDiff was answered with ${String(verdict)}.`));
      return;
    }
    void this.#closeTab(tab).then(async () => await this.#closeTab(tab));
  }

  #accepted(
    path: string,
    proposed: string,
    received: string,
    context: { readonly file: WorkspaceFile; readonly tool: "edit" | "write" },
    by: "editor" | "terminal",
  ): AgentOutcome {
    const { file, tool } = context;
    const isWrite = tool === "write";
    // For its Write tool the client drops one final newline of what the editor answers.
    const text = isWrite && by === "editor" && received.endsWith("\n") ? received.slice(0, -1) : received;
    const lines = !isWrite && file.usesCrLf ? toCrLf(text) : text;
    const written = isWrite && file.hasByteOrderMark ? withByteOrderMark(lines) : lines;
    if (this.#options.writesFile !== false) writeText(path, written);
    const same = received === proposed || (isWrite && received === `${proposed}\n`);
    return { kind: "accepted", received, written, userModified: !same, by };
  }

  async #closeTab(tab: string): Promise<void> {
    if (this.#socket === undefined) return;
    // The answer says nothing that the client uses; a lost connection closes the tab as well.
    await this.callTool("close_tab", { tab_name: tab }).catch((error: unknown) => {
      this.#board.change({ problem: messageOf(error) });
    });
  }

  #connected(): ClaudeSocket {
    if (this.#socket === undefined) throw new PatchbayError("not-found", `${this.agentName} is not connected.`);
    return this.#socket;
  }
}

/** Speaks as Claude Code 2.1.328 does. */
export function createClaudeDriver(options: ClaudeDriverOptions): ClaudeDriver {
  return new ClaudeDriver(options);
}

// Places, names and rules are spelled here and not taken from core: as the client was seen to go by them, so that a driver
// that finds a companion shows that the client would.

const lockSchema = z.object({
  pid: z.number().optional(),
  workspaceFolders: z.array(z.string()).default([]),
  ideName: z.string().default("IDE"),
  transport: z.string().optional(),
  authToken: z.string().optional(),
});

/**
 * The companion that Claude Code 2.1.328 connects to by itself, or undefined (docs/protocols/claude.md): the lock of
 * the port in the environment, whatever its folders; else the one lock whose folders hold the working directory, letter
 * by letter. Two such locks: none, the user would be asked. Locks of dead processes are deleted.
 */
export function findClaudeCompanion(options: AgentDriverOptions): CompanionAddress | undefined {
  const environment = options.environment ?? {};
  const configured = environment["CLAUDE_CONFIG_DIR"];
  const bases = configured === undefined ? [] : [configured];
  const found = [...bases, join(options.home, ".claude")]
    .flatMap((base) => readDiscoveryFiles(join(base, "ide"), /^\d+\.lock$/))
    .flatMap((file) => readLock(file));
  const unique = Array.from(new Map(found.map((lock) => [lock.address.port, lock])).values());
  const namedPort = readPort(environment["CLAUDE_CODE_SSE_PORT"] ?? "");
  const named = unique.find((lock) => lock.address.port === namedPort);
  if (named !== undefined) return named.address;
  const matching = unique.filter((lock) => lock.folders.some((folder) => isWithin(folder, options.cwd)));
  return matching.length === 1 ? matching[0]?.address : undefined;
}

/** With an exponent it is that number; of everything else the digits at the beginning count. */
function readPort(text: string): number {
  return /^\d*\.?\d+e\d+$/iu.test(text.trim()) ? Number(text) : Number.parseInt(text, 10);
}

interface FoundLock {
  readonly address: CompanionAddress;
  readonly folders: readonly string[];
}

function readLock(file: DiscoveryFile): readonly FoundLock[] {
  const lock = lockSchema.safeParse(file.content).data;
  if (lock === undefined) return [];
  if (lock.pid !== undefined && !isAlive(lock.pid)) {
    rmSync(file.path, { force: true });
    return [];
  }
  if (lock.transport !== "ws") return [];
  const port = Number(file.name.replace(".lock", ""));
  const address = { port, token: lock.authToken, editorName: lock.ideName, record: file.path };
  return [{ address, folders: lock.workspaceFolders }];
}
