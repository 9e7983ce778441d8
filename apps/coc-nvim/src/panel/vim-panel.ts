import { basename, dirname, join } from "node:path";
import {
  type Companion,
  createNodePlatform,
  type Event,
  type HostIdentity,
  isSecretPath,
  type Logger,
  type TurnLedger,
  type TurnWitness,
} from "@patchbay/core";
import { lateLedger } from "@patchbay/core/turn-ledger";
import {
  browserFor,
  openLink,
  type PagePanel,
  panelDirectory,
  startBrowser,
  startPagePanel,
} from "@patchbay/panel/server";
import { l10n } from "@patchbay/languages/spoken";
import type { PromptBlock } from "@patchbay/conversations/model";
import type { VimHost } from "../host/vim-host.ts";

export interface VimPanelOptions {
  readonly companion: Companion;
  readonly parts: Pick<VimHost, "host">;
  readonly identity: HostIdentity;
  /** Lies beside the page's files. */
  readonly hookProgram: string;
  readonly logger: Logger;
  readonly settings: () => { readonly panelAgents: unknown };
  /** Keeps an agent in the user's own settings. */
  readonly saveAgent: (id: string, agent: object) => void;
  /** Hears of what agents do to files, and knows what they changed. */
  readonly turns: {
    readonly witness: TurnWitness;
    readonly onDidChange: Event<void>;
    readonly conversations: () => Promise<TurnLedger | undefined>;
  };
}

/** What the user selected, or the lines that they named; both from 0, the last one included. */
export interface PanelLines {
  readonly start: number;
  readonly end: number;
}

/** Longest selection that goes into a prompt, UTF-8 bytes. */
const longestSelection = 65_536;

/** The conversation panel of this editor: a page in the user's browser, served by this process. Its reviews open in Vim. */
export class VimPanel {
  readonly #options: VimPanelOptions;
  readonly #page: PagePanel;
  readonly #directory: string;
  readonly #platform: ReturnType<typeof createNodePlatform>;
  readonly #end: AbortController;

  private constructor(options: VimPanelOptions, page: PagePanel, directory: string, end: AbortController) {
    this.#options = options;
    this.#page = page;
    this.#directory = directory;
    this.#end = end;
    this.#platform = createNodePlatform();
  }

  /** `onEnd`: nobody used it for a while. */
  static async start(options: VimPanelOptions, onEnd: () => void): Promise<VimPanel> {
    const { companion, parts, identity, hookProgram, logger, turns, settings, saveAgent } = options;
    const [folder] = parts.host.workspace.folders();
    if (folder === undefined) throw new Error(l10n.t("Open a folder first: agents work in one."));
    const platform = createNodePlatform();
    const directory = panelDirectory(platform.process, folder);
    const documents = parts.host.documents;
    const page = await startPagePanel({
      host: parts.host,
      companion,
      turns: { witness: turns.witness, ledger: lateLedger(turns.conversations, turns.onDidChange) },
      platform,
      logger,
      version: identity.version,
      storageDirectory: directory,
      pageDirectory: join(dirname(hookProgram), "page"),
      locale: Intl.DateTimeFormat().resolvedOptions().locale,
      settings: {
        agents: () => settings().panelAgents,
        saveAgent: async (id, agent) => saveAgent(id, agent),
        autosave: () => true,
        reasonNotToStart: () => undefined,
      },
      showFile: async (path, line) => {
        if (documents === undefined) return false;
        const place = { line: (line ?? 1) - 1, character: 0 };
        const range = line === undefined ? {} : { range: { start: place, end: place } };
        await documents.open({ path, preview: false, focus: true, ...range });
        return true;
      },
      onIdle: onEnd,
    });
    companion.excludeProcesses((pid) => page.isOwn(pid));
    return new VimPanel(options, page, directory, new AbortController());
  }

  /** How many questions wait for the user in its conversations. */
  get waiting(): number {
    return this.#page.panels.library.waiting;
  }

  /** What it shows, or what waits in it, may have changed. */
  get onDidChange(): PagePanel["panels"]["onDidChange"] {
    return this.#page.panels.onDidChange;
  }

  /** Opens it in the browser. The link, where there is none on this machine's screen: it works once, within a minute. */
  async open(onFailure: (link: string) => void): Promise<string | undefined> {
    const platform = this.#platform;
    const url = this.#page.url();
    if (browserFor(platform.process) === undefined) return url;
    const onDidTry = (isOpened: boolean): void => {
      if (!isOpened) onFailure(this.#page.url());
    };
    const opening = { directory: this.#directory, platform, open: startBrowser, signal: this.#end.signal, onDidTry };
    openLink(url, opening).catch((error: unknown) => {
      this.#options.logger.warn("The panel could not be opened in a browser", { reason: String(error) });
      onFailure(this.#page.url());
    });
    return undefined;
  }

  /** Puts a mention of a file, or of lines of it, into the composer. False: no page is open, or agents may not know of the file. */
  mention(path: string, lines: PanelLines | undefined): boolean {
    if (!this.#mayName(path)) return false;
    const place = lines === undefined ? {} : { lines: { start: lines.start + 1, end: lines.end + 1 } };
    return this.#insert({ type: "mention", path, ...place });
  }

  /** Puts the selected text into the composer. False: nothing is selected, no page is open, or agents may not know of the file. */
  sendSelection(): boolean {
    const active = this.#options.parts.host.editors.active();
    if (active?.selection === undefined || !this.#mayName(active.path)) return false;
    const { start, end } = active.selection;
    const lines = { start: start.line + 1, end: end.line + 1 };
    const title = `${basename(active.path)} ${lines.start === lines.end ? lines.start : `${lines.start}–${lines.end}`}`;
    const text = active.readSelection(longestSelection);
    return this.#insert({ type: "excerpt", title, path: active.path, lines, text });
  }

  /** Ends the server and its agents. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#page.close();
  }

  /** The last moment of the process. */
  endNow(): void {
    this.#page.endNow();
  }

  #mayName(path: string): boolean {
    return !isSecretPath(path) && this.#options.companion.mayName(path);
  }

  #insert(block: PromptBlock): boolean {
    const page = this.#page.panels.active;
    if (page?.conversation === undefined) return false;
    page.send({ type: "insert", blocks: [block] });
    return true;
  }
}

/** The one panel of an editor, if it has been opened. */
export interface PanelSlot {
  current?: VimPanel | undefined;
  /** What waits in it may have changed. */
  onDidChange?: () => void;
}
