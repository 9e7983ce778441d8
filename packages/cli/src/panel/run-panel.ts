import { existsSync, realpathSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  type Companion,
  createCompanion,
  createPrivateStorage,
  type EditorChange,
  type EditorContext,
  Emitter,
  formatLogLine,
  type HostActiveEditor,
  type HostEditors,
  type Logger,
  onAbort,
  PatchbayError,
  type Platform,
  type PrivateStorage,
  type TurnLedger,
  type TurnWitness,
} from "@patchbay/core";
import { askEditorForReview, followEditorContext } from "@patchbay/core/diagnosis";
import {
  askForLink,
  type BrowserStart,
  EditorReviews,
  openLink,
  type PagePanel,
  PageReviews,
  panelDirectory,
  startBrowser,
  startPagePanel,
} from "@patchbay/panel/server";
import * as z from "zod";
import { addAgent, readAgents } from "./agent-file.ts";
import type { PanelCommand } from "../command-line.ts";
import { HeadlessHost } from "../host/headless-host.ts";
import { program, version } from "../own-command.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { openLedgers } from "../turns/turn-commands.ts";

export interface RunPanelOptions {
  readonly command: PanelCommand;
  readonly platform: Platform;
  /** Absolute path of the folder with the page's files. */
  readonly pageDirectory: string;
  /** BCP 47. */
  readonly locale: string;
  readonly print: (line: string) => void;
  /** For warnings, where they disturb nobody. */
  readonly tell: (line: string) => void;
  /** Default: the system's browser. */
  readonly open?: BrowserStart;
  /** The user wants it to end. */
  readonly signal: AbortSignal;
  /** The panel runs: its agents are to end with the process, whatever ends it. */
  readonly onDidStart?: (panel: PagePanel) => void;
}

/** Where the server that runs for a folder is written down, for this user alone. */
const recordKey = "server";

const recordSchema = z.object({ port: z.int().min(1).max(65_535), secret: z.string().min(32) });

/** `patchbay panel`: the conversation panel of a folder in the browser. Resolves with the exit code when it has ended. */
export async function runPanel(options: RunPanelOptions): Promise<number> {
  const { command, platform, print, tell } = options;
  const folder = existingFolder(command.folder);
  if (!existsSync(join(options.pageDirectory, "panel.js"))) {
    throw new PatchbayError(
      "not-found",
      "The panel’s page is missing here. In a clone, build it: npx -y pnpm@12.21.0 run build",
    );
  }
  const directory = panelDirectory(platform.process, folder);
  const logger = warningsTo(tell);
  const storage = createPrivateStorage({ platform, directory, logger });
  const record = await readRecord(storage);
  const running = record === undefined ? undefined : await askForLink(record.port, record.secret);
  if (running !== undefined) {
    print(`The panel of ${escapeLine(folder)} is running. A new link:`);
    await show(running, directory, options);
    return 0;
  }
  const ended = new AbortController();
  const stop = AbortSignal.any([options.signal, ended.signal]);
  let shown: PagePanel | undefined;
  const turns = openLedgers(platform, [folder], {
    // There is no setting here by which a file is left out.
    mayKeep: () => true,
    tellUser: async ({ severity, text }) => (shown === undefined ? tell(escapeLine(text)) : shown.tell(severity, text)),
  });
  const known = { record, storage, logger, turns, onIdle: () => ended.abort(), stop };
  const panel = await start(folder, directory, known, options);
  try {
    shown = panel;
    options.onDidStart?.(panel);
    print(`The panel of ${escapeLine(folder)}:`);
    const opening = show(panel.url(), directory, options);
    await sayWhatIsMissing(panel, print);
    print(`Ctrl-C ends it and its agents.`);
    await Promise.all([opening, untilAborted(stop)]);
    if (ended.signal.aborted) print("Nobody used the panel for a while, so it has ended. Conversations are kept.");
  } finally {
    await panel.close();
    await turns.settled();
    turns.dispose();
  }
  return 0;
}

async function start(
  folder: string,
  directory: string,
  known: {
    readonly record: z.infer<typeof recordSchema> | undefined;
    readonly storage: PrivateStorage;
    readonly logger: Logger;
    /** What agents do here can be undone as in the other editors. */
    readonly turns: TurnWitness & { readonly conversations: TurnLedger };
    readonly onIdle: () => void;
    /** The panel ends. */
    readonly stop: AbortSignal;
  },
  { command, platform, pageDirectory, locale }: RunPanelOptions,
): Promise<PagePanel> {
  const { record, storage, logger, turns, onIdle, stop } = known;
  const headless = new HeadlessHost({
    folder,
    storageDirectory: directory,
    // Where nothing stands in the page that could be answered, it is told.
    ask: async ({ severity, text }) => {
      panel.tell(severity, text);
      return undefined;
    },
  });
  const { identity, workspace, messages, documents } = headless;
  const editors = new FollowedEditor(headless.editors);
  const reviews = new PageReviews();
  const diffs = new EditorReviews({
    pages: reviews,
    ask: async (request, signal) => await askEditorForReview(platform, folder, request, signal),
    fileText: async (path) => await readFile(path, "utf8"),
    companion: () => companion,
  });
  const host = { identity, workspace, editors, messages, documents, diffs, storageDirectory: directory };
  // It listens to nobody: it only reviews what conversations ask for.
  const companion: Companion = createCompanion({ host, platform, turns });
  reviews.attach(companion);
  const secret = platform.random.token(32);
  let agents = await readAgents(platform);
  const panel: PagePanel = await startPagePanel({
    host,
    companion,
    reviews,
    turns: { witness: turns, ledger: turns.conversations },
    platform,
    logger,
    version,
    storageDirectory: directory,
    pageDirectory,
    locale,
    // A page that is still open finds the server where it was.
    port: command.port ?? record?.port,
    deskSecret: secret,
    beginWith: command.agent,
    onIdle,
    settings: {
      agents: () => agents,
      saveAgent: async (id, agent) => {
        agents = await addAgent(platform, id, agent);
      },
      autosave: () => true,
      reasonNotToStart: () => undefined,
    },
  });
  try {
    await storage.write(recordKey, JSON.stringify({ port: panel.port, secret }));
  } catch (error) {
    // Conversations could not be kept there either. What listens would keep this process for ever.
    await panel.close();
    throw error;
  }
  void followEditorContext(platform, folder, (context) => editors.update(context), stop);
  return panel;
}

/** Opens the link in a browser, and prints it where that may be of use: it works once. */
async function show(
  url: string,
  directory: string,
  { command, platform, print, open = startBrowser, signal }: RunPanelOptions,
): Promise<void> {
  print(`  ${url}`);
  print(`The link works once, within a minute. For another one: ${program} panel`);
  if (!command.open) return;
  const onDidTry = (isOpened: boolean): void => {
    if (!isOpened) print("No browser could be started: open the link yourself.");
  };
  await openLink(url, { directory, platform, open, signal, onDidTry });
}

async function sayWhatIsMissing({ panels }: PagePanel, print: (line: string) => void): Promise<void> {
  const agents = await panels.foundAgents();
  if (agents.some(({ isInstalled }) => isInstalled)) return;
  print("No agent was found that the panel could run. Install one of these:");
  for (const { name, installUrl } of agents) if (installUrl !== undefined) print(`  ${name}: ${installUrl}`);
}

async function readRecord(storage: PrivateStorage): Promise<z.infer<typeof recordSchema> | undefined> {
  const text = await storage.read(recordKey).catch(() => undefined);
  try {
    return text === undefined ? undefined : recordSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function existingFolder(folder: string): string {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new PatchbayError("invalid-argument", `Folder not found: ${path}.`);
  }
  return realpathSync(path);
}

function warningsTo(tell: (line: string) => void): Logger {
  const note: Logger["warn"] = (message, fields) => tell(formatLogLine(message, fields));
  return { debug: () => {}, info: () => {}, warn: note, error: note };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => onAbort(signal, resolve));
}

/** What is open in the editor that has the folder open; where there is none, what is open here. */
class FollowedEditor implements HostEditors {
  readonly #own: HostEditors;
  readonly #change: Emitter<EditorChange> = new Emitter();
  #context: EditorContext | undefined;
  readonly onDidChange: HostEditors["onDidChange"] = this.#change.event;

  constructor(own: HostEditors) {
    this.#own = own;
    own.onDidChange((change) => this.#change.fire(change));
  }

  /** Undefined: there is no such editor. */
  update(context: EditorContext | undefined): void {
    this.#context = context;
    this.#change.fire({ kind: "selection" });
  }

  openFiles(): readonly string[] {
    return this.#context?.files.map(({ path }) => path) ?? this.#own.openFiles();
  }

  active(): HostActiveEditor | undefined {
    if (this.#context === undefined) return this.#own.active();
    const { active } = this.#context;
    if (active === undefined) return undefined;
    const { path, cursor, selection } = active;
    // The editor has cut it already.
    if (selection === undefined) return { path, cursor, readSelection: () => "" };
    return { path, cursor, selection: selection.range, readSelection: () => selection.text };
  }
}
