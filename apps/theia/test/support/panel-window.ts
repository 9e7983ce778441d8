import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createCompanion } from "@patchbay/core";
import type { AddedAgent, AgentAsk, AgentWish } from "@patchbay/panel/messages";
import { createTestPlatform, type PanelPageControls, type TestPlatform } from "@patchbay/testkit";
import { BasicChannel } from "@theia/core/lib/common/message-rpc/channel";
import {
  Uint8ArrayReadBuffer,
  Uint8ArrayWriteBuffer,
} from "@theia/core/lib/common/message-rpc/uint8-array-message-buffer";
import { RpcConnectionHandler, RpcProxyFactory } from "@theia/core/lib/common/messaging/proxy-factory";
import {
  type PageTitle,
  type PanelFacts,
  type PanelServer,
  panelServerPath,
  type PanelWindow,
  type TerminalLaunch,
} from "../../src/common/panel-protocol.ts";
import type { PatchbayWindow } from "../../src/common/protocol.ts";
import { ConnectedWindow, PanelService } from "../../src/node/panel-service.ts";
import { createTestBackend, type TestBackend } from "./backend.ts";
import { SimulatedWindow } from "./simulated-window.ts";

/** A way between a window and the backend as Theia's: messages are bytes, and it can be cut. */
class Wire {
  readonly #ends: readonly [BasicChannel, BasicChannel] = [
    new BasicChannel(() => this.#bufferFor(() => this.#ends[1])),
    new BasicChannel(() => this.#bufferFor(() => this.#ends[0])),
  ];

  get window(): BasicChannel {
    return this.#ends[0];
  }

  get backend(): BasicChannel {
    return this.#ends[1];
  }

  cut(): void {
    for (const end of this.#ends) end.onCloseEmitter.fire({ reason: "cut" });
    for (const end of this.#ends) end.close();
  }

  #bufferFor(other: () => BasicChannel): Uint8ArrayWriteBuffer {
    const buffer = new Uint8ArrayWriteBuffer();
    buffer.onCommit((bytes) => other().onMessageEmitter.fire(() => new Uint8ArrayReadBuffer(bytes)));
    return buffer;
  }
}

/** A backend with real companions, which run real programs on a real disk. */
export class PanelBackend {
  readonly machine: TestPlatform = createTestPlatform();
  readonly backend: TestBackend;

  constructor() {
    const storageFor = async (key: string): Promise<string> =>
      join(this.machine.root, "storage", Buffer.from(key).toString("hex").slice(-24));
    this.backend = createTestBackend({
      platform: this.machine,
      storageFor,
      createCompanion: (options) => createCompanion({ ...options, platform: this.machine }),
    });
  }

  /** A window on a folder, attached. */
  async open(windowId: string, folder: string = this.machine.workspace): Promise<PanelEnd> {
    mkdirSync(folder, { recursive: true });
    const readDisk = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
    const window = new SimulatedWindow({ windowId, roots: [folder], readDisk });
    const service = this.backend.connect(window);
    await window.attach(service);
    return new PanelEnd(this.backend, window, folder, () => service.dispose());
  }

  async end(): Promise<void> {
    await this.backend.workspaces.stop();
    this.machine.dispose();
  }
}

const facts: PanelFacts = {
  locale: "en",
  sendWith: "enter",
  isMac: false,
  notify: true,
  autosave: true,
  respectIgnoreFiles: true,
  agents: {},
  words: { selection: "Selection", problems: "Problems", untrusted: "Not trusted.", noFolder: "No folder." },
};

/** A window's end of its panel, over a connection of its own. */
export class PanelEnd implements PanelWindow {
  readonly window: SimulatedWindow;
  readonly folder: string;
  readonly titles: Map<string, PageTitle> = new Map();
  readonly told: string[] = [];
  readonly opened: string[] = [];
  readonly terminals: TerminalLaunch[] = [];
  /** What was asked of a user who adds an agent, and what they want. */
  readonly asks: AgentAsk[] = [];
  readonly wishes: AgentWish[] = [];
  agents: unknown = {};
  readonly #backend: TestBackend;
  readonly #leave: () => void;
  readonly #pages: Map<string, { readonly messages: unknown[]; isThere: boolean }> = new Map();
  #wire: Wire | undefined;
  #server: PanelServer | undefined;

  constructor(backend: TestBackend, window: SimulatedWindow, folder: string, leave: () => void) {
    this.#backend = backend;
    this.window = window;
    this.folder = folder;
    this.#leave = leave;
  }

  get server(): PanelServer {
    return (this.#server ??= this.#connect());
  }

  async attach(changed: Partial<PanelFacts> = {}): Promise<void> {
    const pages = Array.from(this.#pages.keys(), (page) => {
      return { page, conversation: this.titles.get(page)?.conversation, isVisible: true };
    });
    await this.server.attach({ ...facts, agents: this.agents, ...changed }, pages);
  }

  async openPage(page = `page-${this.#pages.size + 1}`): Promise<PanelPageControls> {
    const own = { messages: [] as unknown[], isThere: true };
    await this.attach();
    this.#pages.set(page, own);
    this.server.notifyPage({ page, isVisible: true });
    this.server.notifyVisible(page, true, true);
    return {
      messages: own.messages,
      say: async (message) => this.server.notifySaid(page, message),
      leave: async () => {
        own.isThere = false;
        this.server.notifyVisible(page, false, false);
      },
      comeBack: async () => {
        own.isThere = true;
        this.server.notifyVisible(page, true, true);
      },
    };
  }

  /** The window goes away with its connections, and nobody says goodbye. */
  close(): void {
    this.#wire?.cut();
    this.#server = undefined;
    this.#leave();
  }

  /** The connection of the panel is cut; the next call makes a new one. */
  cut(): void {
    this.#wire?.cut();
    this.#server = undefined;
  }

  async tellPage(page: string, message: unknown): Promise<boolean> {
    const own = this.#pages.get(page);
    if (own?.isThere === true) own.messages.push(message);
    return own?.isThere === true;
  }

  notifyTitle(page: string, title: PageTitle): void {
    this.titles.set(page, title);
  }

  async openFile(path: string): Promise<void> {
    this.opened.push(path);
  }

  async openText(text: string): Promise<void> {
    this.opened.push(text);
  }

  async openChanges(changes: readonly { readonly path: string }[]): Promise<void> {
    this.opened.push(...changes.map(({ path }) => path));
  }

  async openLink(href: string): Promise<void> {
    this.opened.push(href);
  }

  async insertText(text: string): Promise<void> {
    this.opened.push(text);
  }

  async copy(text: string): Promise<void> {
    this.opened.push(text);
  }

  async openTerminal(launch: TerminalLaunch): Promise<void> {
    this.terminals.push(launch);
  }

  async askForAgent(ask: AgentAsk): Promise<AgentWish | undefined> {
    this.asks.push(ask);
    return this.wishes.shift();
  }

  notifyTrying(command: string): void {
    this.opened.push(`trying ${command}`);
  }

  async saveAgent(id: string, agent: AddedAgent): Promise<void> {
    this.opened.push(`${id}: ${JSON.stringify(agent)}`);
  }

  async openTab(conversation: string): Promise<void> {
    this.opened.push(conversation);
  }

  async confirmDelete(): Promise<boolean> {
    return true;
  }

  async chooseFolder(folders: readonly string[]): Promise<string | undefined> {
    return folders[0];
  }

  notifyTold(severity: string, sentence: string): void {
    this.told.push(`${severity}: ${sentence}`);
  }

  #connect(): PanelServer {
    const wire = new Wire();
    this.#wire = wire;
    const connected = new ConnectedWindow();
    connected.client = this.window satisfies PatchbayWindow;
    const handler = new RpcConnectionHandler<PanelWindow>(panelServerPath, (client) => {
      const service = new PanelService({
        client,
        connected,
        workspaces: this.#backend.workspaces,
        readTexts: async () => ({ script: "", style: "" }),
        logger: this.#backend.log,
      });
      client.onDidCloseConnection(() => service.dispose());
      return service;
    });
    const factory = new RpcProxyFactory<PanelServer>(this);
    handler.onConnection(wire.backend);
    factory.listen(wire.window);
    return factory.createProxy();
  }
}
