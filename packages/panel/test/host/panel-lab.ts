import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Companion, createCompanion, type EditorHost, Emitter, nullLogger } from "@patchbay/core";
import {
  type AgentFacts,
  type AgentSession,
  type Answer,
  ConversationLibrary,
  ConversationStore,
  type Entry,
  type McpServer,
  type McpServerChange,
  nodeLineFiles,
  type Prompt,
  type ProposedChange,
  type SessionCapabilities,
  type SessionHost,
  type SessionRequest,
  type SessionUpdate,
  type TurnEndReason,
} from "@patchbay/conversations";
import { createMemoryEditor, createTestPlatform, type MemoryEditor, type TestPlatform } from "@patchbay/testkit";
import type { FolderLedgers } from "@patchbay/turns";
import { onTestFinished } from "vitest";
import {
  createSessionHost,
  type PageLink,
  type PageReviews,
  type PanelEditor,
  PanelHost,
} from "../../src/host/index.ts";
import { languageOf } from "@patchbay/languages";
import { builtTexts } from "../../../languages/scripts/texts-of.ts";
import {
  type AgentWish,
  type HostMessage,
  hostMessageSchema,
  type PageMessage,
  panelTextsIn,
} from "../../src/messages/index.ts";

import { openLedger } from "./open-ledger.ts";

const capabilities: SessionCapabilities = {
  images: true,
  excerpts: true,
  editableChanges: true,
  rejectionMessages: true,
  fork: true,
  forkBefore: true,
  rewind: false,
  resume: true,
};

/** An agent that says what the test has it say. */
export class ScriptedAgent implements AgentSession {
  readonly capabilities: SessionCapabilities = capabilities;
  readonly #updates: Emitter<SessionUpdate> = new Emitter();
  readonly onUpdate: AgentSession["onUpdate"] = this.#updates.event;
  readonly prompts: Prompt[] = [];
  readonly answers: Answer[] = [];
  isClosed = false;
  readonly #open: Set<string> = new Set();
  #endTurn: (reason: TurnEndReason) => void = () => {};
  /** The editor as it knows it. */
  readonly host: SessionHost;
  /** What it waits for when it is started. */
  starting: Promise<void> = Promise.resolve();

  constructor(host: SessionHost) {
    this.host = host;
  }

  async start(): Promise<void> {
    await this.starting;
    this.say({ type: "session", sessionId: "s1" });
    this.say({ type: "state", state: { kind: "idle" } });
  }

  async prompt(prompt: Prompt): Promise<TurnEndReason> {
    this.prompts.push(prompt);
    this.say({ type: "state", state: { kind: "running", since: 0 } });
    return await new Promise((resolve) => (this.#endTurn = resolve));
  }

  async interrupt(): Promise<void> {
    this.end("stopped");
  }

  answer(id: string, answer: Answer): boolean {
    if (!this.#open.delete(id)) return false;
    this.answers.push(answer);
    return true;
  }

  async setOption(): Promise<void> {}

  readonly servers: { name: string; state: McpServer["state"]; canChange: boolean }[] = [
    { name: "tracker", state: "connected", canChange: true },
  ];

  async facts(): Promise<AgentFacts> {
    return await Promise.resolve({ account: "you@example.com", servers: this.servers });
  }

  async changeServer(name: string, change: McpServerChange): Promise<void> {
    const server = this.servers.find((one) => one.name === name);
    if (server === undefined) throw new Error(`There is no ${name}.`);
    await Promise.resolve();
    server.state = change === "disable" ? "disabled" : "connected";
  }

  /** The ids of what was ended in the background. */
  readonly stopped: string[] = [];

  async stopTask(id: string): Promise<void> {
    await Promise.resolve();
    this.stopped.push(id);
    this.say({ type: "tasks", tasks: [] });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.end("exited");
    this.say({ type: "state", state: { kind: "ended" } });
  }

  say(update: SessionUpdate): void {
    this.#updates.fire(update);
  }

  tell(entry: Entry): void {
    this.say({ type: "entry", entry });
  }

  end(reason: TurnEndReason): void {
    this.#endTurn(reason);
  }

  /** Asks whether it may change a file. */
  asks(id: string, change: ProposedChange): void {
    this.#open.add(id);
    const choices = [
      { id: "yes", name: "Yes", kind: "allow-once" },
      { id: "always", name: "Always", kind: "allow-always" },
      { id: "no", name: "No", kind: "reject-once" },
    ] as const;
    const question = { type: "permission", toolId: "t", title: "Edit", change, choices } as const;
    this.tell({ kind: "question", id, at: 0, question });
  }

  /** Takes a question back. */
  withdraws(id: string): void {
    this.#open.delete(id);
    const question = { type: "permission", toolId: "t", title: "Edit", choices: [] } as const;
    this.tell({ kind: "question", id, at: 0, question, outcome: { type: "withdrawn" } });
  }
}

/** A page on the other end of a channel. */
export class TestPage {
  readonly messages: HostMessage[] = [];
  readonly #said: Emitter<unknown> = new Emitter();
  isThere = true;
  #taking: Promise<void> = Promise.resolve();
  readonly link: PageLink;

  constructor(panels: PanelHost, conversation?: string) {
    this.link = panels.connect(
      {
        post: async (message) => {
          if (this.isThere) this.messages.push(hostMessageSchema.parse(structuredClone(message)));
          await this.#taking;
          return this.isThere;
        },
        onMessage: this.#said.event,
      },
      conversation,
    );
  }

  /** Takes nothing more until the result is called. */
  hold(): () => void {
    let release = (): void => {};
    this.#taking = new Promise((resolve) => (release = resolve));
    return release;
  }

  say(message: PageMessage): void {
    this.#said.fire(message);
  }

  /** Says what is no message of a page. */
  babble(value: unknown): void {
    this.#said.fire(value);
  }

  /** The newest message of a kind. */
  last<Type extends HostMessage["type"]>(type: Type): Extract<HostMessage, { type: Type }> | undefined {
    const isOfType = (one: HostMessage): one is Extract<HostMessage, { type: Type }> => one.type === type;
    return this.messages.filter(isOfType).at(-1);
  }
}

export interface PanelLab {
  readonly platform: TestPlatform;
  readonly panels: PanelHost;
  readonly companion: Companion;
  readonly editor: MemoryEditor;
  readonly file: string;
  readonly agents: ScriptedAgent[];
  /** What the editor was asked to do, in order. */
  readonly done: string[];
  /** The folders of the workspace, and the one that the user picks where there are several. */
  readonly place: {
    folders: readonly string[];
    chosen: string | undefined;
    starting?: Promise<void>;
    /** What a mention may stand for. */
    files?: readonly string[];
    /** What the user wants who adds an agent, one after the other. */
    wishes?: AgentWish[];
  };
  /** Where somebody keeps it. */
  readonly turns?: FolderLedgers;
  page(conversation?: string): TestPage;
  /** A page with a new conversation in which a prompt was sent. */
  talk(): Promise<{ readonly page: TestPage; readonly agent: ScriptedAgent; readonly id: string }>;
}

/**
 * A panel on a real disk with a companion that was never started. `beside`: in another window on the same folder; `reviews`: pages show
 * them; `keepsLedger`: of what agents change; `connect`: who is talked with, in the place of the scripted agents.
 */
export function createPanelLab(
  how: {
    readonly beside?: PanelLab;
    readonly locale?: string;
    readonly reviews?: PageReviews;
    readonly keepsLedger?: boolean;
    readonly connect?: (request: SessionRequest, platform: TestPlatform) => AgentSession;
  } = {},
): PanelLab {
  const { beside, locale = "en", reviews, keepsLedger = false } = how;
  const platform = beside?.platform ?? createTestPlatform();
  onTestFinished(() => (beside === undefined ? platform.dispose() : undefined));
  const file = join(platform.workspace, "main.ts");
  writeFileSync(file, "one\ntwo\n");
  const editor = createMemoryEditor({
    folders: [platform.workspace],
    storageDirectory: join(platform.root, beside === undefined ? "storage" : "other-storage"),
    readDisk: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  });
  const host: EditorHost = reviews === undefined ? editor : Object.create(editor, { diffs: { value: reviews } });
  const turns = keepsLedger ? openLedger(platform, platform.workspace, platform.root) : undefined;
  if (turns !== undefined) onTestFinished(() => turns.dispose());
  const companion = createCompanion({ host, platform, ...(turns === undefined ? {} : { turns }) });
  reviews?.attach(companion);
  onTestFinished(() => companion.stop());
  const agents: ScriptedAgent[] = [];
  const done: string[] = [];
  const place: PanelLab["place"] = { folders: [platform.workspace], chosen: undefined };
  const { clock, random } = platform;
  const files = nodeLineFiles;
  const directory = join(platform.root, "conversations");
  // Each window has a process of its own.
  const own = { ...platform.process, pid: beside === undefined ? process.pid : process.ppid };
  const conversations = new ConversationLibrary({
    store: new ConversationStore({ platform: { ...platform, process: own }, logger: nullLogger, directory, files }),
    host: createSessionHost({ host: editor, files: platform.files, clock, isShared: () => true, isWindows: false }),
    turns:
      turns === undefined ? undefined : { witness: turns, ledger: turns.conversations, agentName: () => "Claude Code" },
    connect: (request) => {
      if (how.connect !== undefined) return how.connect(request, platform);
      const agent = new ScriptedAgent(request.host);
      if (place.starting !== undefined) agent.starting = place.starting;
      agents.push(agent);
      return agent;
    },
    files,
    clock,
    random,
    logger: nullLogger,
    listers: [],
  });
  const panels = new PanelHost({
    companion,
    conversations,
    ...(reviews === undefined ? {} : { reviews }),
    editor: reviews === undefined ? panelEditor(place, done, locale) : editorless(panelEditor(place, done, locale)),
    files: platform.files,
    trials: {
      tryAgent: async (command) =>
        await Promise.resolve(
          command === "good --acp"
            ? { kind: "answered", name: "Good 1.0", signIn: ["Key"] }
            : { kind: "failed", reason: "No.", words: "usage: bad" },
        ),
      added: (command, name) => ({ id: "new", agent: { name, program: command, args: [] } }),
    },
    clock,
    logger: nullLogger,
    agents: [{ id: "claude", name: "Claude Code", isInstalled: false }],
    findAgents: async () => [{ id: "claude", name: "Claude Code", isInstalled: true }],
  });
  onTestFinished(() => panels.close());
  const page = (conversation?: string): TestPage => new TestPage(panels, conversation);
  return {
    platform,
    panels,
    companion,
    editor,
    file,
    agents,
    done,
    place,
    ...(turns === undefined ? {} : { turns }),
    page,
    talk: async () => {
      const one = page();
      one.say({ type: "ready" });
      await until(() => one.last("hello"));
      one.say({ type: "new-conversation", agent: "claude" });
      const { id } = await until(() => one.last("conversation")?.open);
      one.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Do it" }] });
      const agent = await until(() => agents.find(({ prompts }) => prompts.length > 0));
      return { page: one, agent, id };
    },
  };
}

/** The first value that is there. */
export async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The same where the page shows changes itself. */
function editorless({ openChanges: _pagesDo, ...editor }: PanelEditor): PanelEditor {
  return editor;
}

/** An editor that only notes what it is asked to do. */
export function panelEditor(place: PanelLab["place"], done: string[], locale: string): PanelEditor {
  const note = (what: string) => async (): Promise<void> => void done.push(what);
  const never = new Emitter<void>().event;
  return {
    settings: () => ({ locale: "en", sendWith: "enter", isMac: false, folders: place.folders }),
    chooseFolder: async () => place.chosen,
    onDidChangeSettings: never,
    strings: panelTextsIn(builtTexts(languageOf(locale) ?? "en")),
    selection: () => undefined,
    onDidChangeSelection: never,
    mentions: async (query) =>
      (place.files ?? [])
        .filter((path) => path.includes(query))
        .map((path) => ({ id: path, kind: "file", label: path, block: { type: "mention", path } })),
    pick: async () => [],
    dropped: async () => [],
    openFile: async (path, line) => void done.push(`file ${path}:${line ?? ""}`),
    openDocument: async (text, language) => void done.push(`document ${language}: ${text}`),
    openChanges: async (changes) => void done.push(`changes ${changes.map(({ path }) => path).join(" ")}`),
    startInTerminal: async (agent, _folder, session) => void done.push(`start ${agent} ${session ?? ""}`),
    openLink: async (href) => void done.push(`link ${href}`),
    insertText: note("insert"),
    copy: note("copy"),
    runInTerminal: async (_agent, title, command) => void done.push(`terminal ${title}: ${command.join(" ")}`),
    openInTab: note("tab"),
    askForAgent: async (ask) => {
      done.push(`ask ${JSON.stringify(ask)}`);
      return place.wishes?.shift();
    },
    saveAgent: async (id, agent) => void done.push(`save ${id} ${JSON.stringify(agent)}`),
    confirmDelete: async () => true,
    tell: (severity, sentence) => void done.push(`${severity}: ${sentence}`),
  };
}
