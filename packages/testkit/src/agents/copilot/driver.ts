import { basename, join } from "node:path";
import { messageOf, PatchbayError } from "@patchbay/core";
import * as z from "zod";
import {
  type AgentDriver,
  type AgentDriverOptions,
  type AgentEdit,
  type AgentProposal,
  type AgentStatus,
  type AgentView,
  inspectFile,
  OpenQuestion,
  readToolResult,
  StatusBoard,
  toCrLf,
  withByteOrderMark,
  writeText,
} from "../agent-driver.ts";
import { isWithin, readDiscoveryFiles } from "../records.ts";
import { CopilotConnection } from "./connection.ts";

/** Copilot CLI 1.0.102 without a model, in the mode in which it asks. It writes its own proposal, whatever the editor shows. */
export class CopilotDriver implements AgentDriver {
  readonly dialect = "copilot" as const;
  readonly agentName: string = "Copilot CLI";
  readonly #options: AgentDriverOptions;
  readonly #board: StatusBoard = new StatusBoard();
  readonly #questions: Set<OpenQuestion> = new Set();
  /** The client asks one question at a time. */
  #last: Promise<unknown> = Promise.resolve();
  #tabs = 0;
  #connection: CopilotConnection | undefined;
  #hasEnded = false;

  constructor(options: AgentDriverOptions) {
    this.#options = options;
  }

  get status(): AgentStatus {
    return this.#board.status;
  }

  async until(what: string, matches: (status: AgentStatus) => boolean, timeoutMs?: number): Promise<AgentStatus> {
    return await this.#board.until(what, matches, timeoutMs);
  }

  async connect(): Promise<void> {
    this.#connection?.end();
    this.#board.change({ state: "connecting", contexts: 0, mentions: [] });
    try {
      const record = await findRecord(this.#options);
      const version = this.#options.version ?? "1.0.102";
      const connection = await CopilotConnection.open({
        ...record,
        version,
        clientName: this.#options.clientName ?? "copilot-cli",
        onNotification: (method, params) => this.#receive(method, params),
        onClose: (problem) => void this.#lost(problem),
      });
      this.#connection = connection;
      const { tools } = toolsSchema.parse(await connection.request("tools/list", {}));
      this.#board.change({ state: "connected", tools: tools.map(({ name }) => name), editorName: record.ideName });
    } catch (error) {
      this.#board.disconnected(messageOf(error));
      throw error instanceof PatchbayError ? error : new PatchbayError("not-found", messageOf(error), { cause: error });
    }
  }

  propose(edit: AgentEdit): AgentProposal {
    const question = new OpenQuestion();
    this.#questions.add(question);
    const file = inspectFile(edit.path);
    const lines = file.usesCrLf ? toCrLf(edit.text) : edit.text;
    const proposed = file.hasByteOrderMark ? withByteOrderMark(lines) : lines;
    this.#tabs += 1;
    const tab = `[Copilot CLI] ${basename(edit.path)} (${String(this.#tabs).padStart(6, "0")})`;
    const accept = (by: "editor" | "terminal"): void =>
      question.answer(() => {
        if (this.#options.writesFile !== false) writeText(edit.path, proposed);
        return { kind: "accepted", received: "SAVED", written: proposed, userModified: false, by };
      });
    const asked = this.#last.then(async () => {
      if (question.isAnswered || this.status.state !== "connected") {
        question.refusal = "The editor is not connected.";
        return;
      }
      const args = { original_file_path: edit.path, new_file_contents: proposed, tab_name: tab };
      this.callTool("open_diff", args).then(
        ([text = ""]) => {
          if (verdictSchema.parse(JSON.parse(text)).result === "SAVED") accept("editor");
          else question.answer(() => ({ kind: "rejected", by: "editor" }));
        },
        (error: unknown) => {
          question.refusal = messageOf(error);
          this.#board.change({});
        },
      );
    });
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
        if (verdict === "accept") accept("terminal");
        else question.answer(() => ({ kind: "rejected", by: "terminal" }));
        await this.callTool("close_diff", { tab_name: tab }).catch(() => undefined);
        return await question.outcome;
      },
    };
  }

  async callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    if (this.#connection === undefined) throw new PatchbayError("not-found", `${this.agentName} is not connected.`);
    return readToolResult(await this.#connection.request("tools/call", { name, arguments: args }));
  }

  cut(how: "clean" | "reset"): void {
    this.#connection?.cut(how);
  }

  async end(): Promise<void> {
    this.#hasEnded = true;
    for (const question of this.#questions) question.answer(() => ({ kind: "lost" }));
    this.#questions.clear();
    this.#connection?.end();
    this.#connection = undefined;
    this.#board.disconnected("The agent has ended.");
  }

  /** It watches its records, and comes to the next one by itself. */
  async #lost(problem: string): Promise<void> {
    this.#connection = undefined;
    this.#board.disconnected(problem);
    for (let looks = 0; looks < 10 && !this.#hasEnded && this.status.state === "disconnected"; looks += 1) {
      await this.connect().catch(() => undefined);
    }
  }

  #receive(method: string, params: unknown): void {
    if (method !== "selection_changed") return;
    const told = selectionSchema.safeParse(params).data;
    if (told === undefined) return;
    this.#board.change({ contexts: this.status.contexts + 1, view: viewOf(told) });
  }
}

/** Speaks as Copilot CLI 1.0.102 does. */
export function createCopilotDriver(options: AgentDriverOptions): CopilotDriver {
  return new CopilotDriver(options);
}

const toolsSchema = z.object({ tools: z.array(z.object({ name: z.string() })) });
const verdictSchema = z.object({ result: z.enum(["SAVED", "REJECTED"]) });
const position = z.object({ line: z.number(), character: z.number() });
const selectionSchema = z.object({
  text: z.string(),
  filePath: z.string(),
  selection: z.object({ start: position, end: position, isEmpty: z.boolean() }),
});

function viewOf({ text, filePath, selection }: z.infer<typeof selectionSchema>): AgentView {
  if (filePath === "") return { openFiles: [] };
  return {
    openFiles: [filePath],
    active: filePath,
    cursor: selection.end,
    ...(selection.isEmpty ? {} : { selectedText: text }),
  };
}

// Spelled here and not taken from core: as the client was seen to go by them.

const recordSchema = z.object({
  socketPath: z.string(),
  headers: z.record(z.string(), z.string()),
  ideName: z.string().default("IDE"),
  workspaceFolders: z.array(z.string()),
});

/** The client watches the directory: what is not there yet comes within seconds. */
async function findRecord(options: AgentDriverOptions): Promise<z.infer<typeof recordSchema>> {
  const home = options.environment?.["COPILOT_HOME"] ?? join(options.home, ".copilot");
  for (let looks = 0; looks < 40; looks += 1) {
    for (const { content } of readDiscoveryFiles(join(home, "ide"), /\.lock$/)) {
      const record = recordSchema.safeParse(content).data;
      if (record?.workspaceFolders.some((folder) => isWithin(folder, options.cwd)) === true) return record;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new PatchbayError("not-found", `Copilot CLI found no companion for ${options.cwd}.`);
}
