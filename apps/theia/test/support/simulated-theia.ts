import "./browser.ts";
import { ConnectionStatus, ConnectionStatusService } from "@theia/core/lib/browser/connection-status-service";
import { FrontendApplicationStateService } from "@theia/core/lib/browser/frontend-application-state";
import { SelectionService } from "@theia/core/lib/common/selection-service";
import { SaveableService } from "@theia/core/lib/browser/saveable-service";
import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import { WindowFocusService } from "@theia/core/lib/browser/window/window-focus-service";
import { CommandRegistry, type CommandContribution } from "@theia/core/lib/common/command";
import { ContributionProvider } from "@theia/core/lib/common/contribution-provider";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import { ILogger } from "@theia/core/lib/common/logger";
import { BasicChannel } from "@theia/core/lib/common/message-rpc/channel";
import {
  Uint8ArrayReadBuffer,
  Uint8ArrayWriteBuffer,
} from "@theia/core/lib/common/message-rpc/uint8-array-message-buffer";
import { MessageClient, MessageType } from "@theia/core/lib/common/message-service-protocol";
import { MessageService } from "@theia/core/lib/common/message-service";
import { RpcConnectionHandler, RpcProxyFactory } from "@theia/core/lib/common/messaging/proxy-factory";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import type { Resource } from "@theia/core/lib/common/resource";
import { URI } from "@theia/core/lib/common/uri";
import { Container, type interfaces } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { MonacoTextModelService } from "@theia/monaco/lib/browser/monaco-text-model-service";
import { WorkspaceService } from "@theia/workspace/lib/browser/workspace-service";
import { WorkspaceTrustService } from "@theia/workspace/lib/browser/workspace-trust-service";
import { ContextTracker } from "../../src/browser/context/context-tracker.ts";
import { LaterServices } from "../../src/browser/contributions/later-services.ts";
import { PanelChanges } from "../../src/browser/panel/panel-places.ts";
import { ProposalEditors } from "../../src/browser/review/proposal-editors.ts";
import { ProposalLabels, ProposalResources } from "../../src/browser/review/proposal-resources.ts";
import { QuietOpening } from "../../src/browser/documents/quiet-opening.ts";
import { HostMessages, Notices } from "../../src/browser/surfaces/notices.ts";
import { UnsavedReports } from "../../src/browser/documents/text-reports.ts";
import { WindowAttachment } from "../../src/browser/window/window-attachment.ts";
import { LogView, WindowClient } from "../../src/browser/window/window-client.ts";
import { PatchbayServer, type PatchbayWindow, type WindowStatus } from "../../src/common/protocol.ts";
import { DocumentActions } from "../../src/browser/documents/document-actions.ts";
import { ProblemReader } from "../../src/browser/documents/problem-reader.ts";
import { SimulatedEditors, SimulatedShell } from "./simulated-editors.ts";
import type { TestBackend } from "./backend.ts";

/** Notifications: what was said, and what the user answers. */
export class SimulatedMessages {
  readonly said: string[] = [];
  /** Taken back before anybody answered. */
  readonly withdrawn: string[] = [];
  readonly #open: Map<string, (answer: string | undefined) => void> = new Map();

  info(text: string, ...rest: readonly unknown[]): Promise<string | undefined> {
    return this.#say("info", text, rest);
  }

  warn(text: string, ...rest: readonly unknown[]): Promise<string | undefined> {
    return this.#say("warn", text, rest);
  }

  error(text: string, ...rest: readonly unknown[]): Promise<string | undefined> {
    return this.#say("error", text, rest);
  }

  /** The user presses a button of a message, or closes it. */
  answer(text: string, answer?: string): void {
    this.#open.get(text)?.(answer);
    this.#open.delete(text);
  }

  getMessageId({ text }: { readonly type: MessageType; readonly text: string }): string {
    return text;
  }

  clear(text: string): void {
    if (!this.#open.has(text)) return;
    this.withdrawn.push(text);
    this.answer(text);
  }

  #say(severity: string, text: string, _rest: readonly unknown[]): Promise<string | undefined> {
    this.said.push(`${severity}: ${text}`);
    return new Promise((resolve) => this.#open.set(text, resolve));
  }
}

/** A connection between a window and the backend that can be cut; as in Theia, a new one takes its place. */
class Wire {
  /** Nothing arrives any more, at either end. */
  isStalled = false;
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
    buffer.onCommit((bytes) => {
      if (!this.isStalled) other().onMessageEmitter.fire(() => new Uint8ArrayReadBuffer(bytes));
    });
    return buffer;
  }
}

/** A window of Theia: our own services as they are, real documents and a real connection, and no screen. */
export class SimulatedTheia {
  readonly container: Container = new Container({ defaultScope: "Singleton" });
  readonly messages: SimulatedMessages = new SimulatedMessages();
  readonly preferences: Map<string, unknown> = new Map();
  readonly log: string[] = [];
  readonly shell: SimulatedShell;
  readonly editors: SimulatedEditors;
  readonly connection: { currentStatus: ConnectionStatus } = { currentStatus: ConnectionStatus.OFFLINE };
  /** The files on disk, by URI. */
  readonly files: Map<string, string> = new Map();
  roots: readonly string[] = ["/workspace"];
  readonly #factory: RpcProxyFactory<PatchbayServer> = new RpcProxyFactory();
  readonly #problems: Emitter<readonly string[]> = new Emitter();
  readonly #trust: Emitter<boolean> = new Emitter();
  readonly #roots: Emitter<void> = new Emitter();
  readonly #preference: Emitter<{ readonly preferenceName: string }> = new Emitter();
  #wire: Wire | undefined;

  constructor({ hasLayout = true }: { readonly hasLayout?: boolean } = {}) {
    const { container } = this;
    const logger = this.#logger();
    container.bind<unknown>(ILogger).toConstantValue(logger).whenTargetNamed("patchbay");
    container.bind<unknown>(ILogger).toConstantValue(logger).whenTargetIsDefault();
    container.bind(LaterServices).toConstantValue(new LaterServices(container));
    container.bind(FrontendApplicationStateService).toSelf();
    container.bind<unknown>(WindowFocusService).toConstantValue({});
    container.bind<unknown>(ContributionProvider).toConstantValue({ getContributions: () => [] });
    container.bind(SaveableService).toSelf();
    container.bind(SelectionService).toSelf();
    this.shell = new SimulatedShell(container.get(SaveableService));
    this.editors = new SimulatedEditors(this.shell, (uri) => this.#resource(uri));
    this.#standIn(ApplicationShell, this.shell);
    this.#standIn(EditorManager, this.editors);
    this.#standIn(MonacoTextModelService, this.editors.textModels);
    this.#standIn(MessageService, this.messages);
    this.#standIn(MessageClient, this.messages);
    this.#standIn(ConnectionStatusService, this.connection);
    this.#standIn(PreferenceService, this.#preferenceService());
    this.#standIn(WorkspaceService, this.#workspace());
    this.#standIn(WorkspaceTrustService, {
      getWorkspaceTrust: () => new Promise(() => {}),
      onDidChangeWorkspaceTrust: this.#trust.event,
    });
    for (const part of [DocumentActions, LogView]) this.#standIn(part, {});
    this.#standIn(ProblemReader, { onDidChange: this.#problems.event });
    for (const service of [
      ContextTracker,
      HostMessages,
      Notices,
      ProposalEditors,
      ProposalLabels,
      ProposalResources,
      QuietOpening,
      UnsavedReports,
      WindowAttachment,
      WindowClient,
    ]) {
      container.bind<unknown>(service).toSelf();
    }
    this.#factory.target = container.get(WindowClient);
    container.bind(PatchbayServer).toConstantValue(this.#factory.createProxy());
    if (hasLayout) this.application.state = "initialized_layout";
  }

  get application(): FrontendApplicationStateService {
    return this.container.get(FrontendApplicationStateService);
  }

  get proposals(): ProposalEditors {
    return this.container.get(ProposalEditors);
  }

  get attachment(): WindowAttachment {
    return this.container.get(WindowAttachment);
  }

  get context(): ContextTracker {
    return this.container.get(ContextTracker);
  }

  /** Commands as Theia runs them, of these contributions. */
  commands(...contributions: readonly interfaces.Newable<CommandContribution>[]): CommandRegistry {
    const registry = new CommandRegistry({ getContributions: () => [] });
    if (!this.container.isBound(CommandRegistry)) this.container.bind(CommandRegistry).toConstantValue(registry);
    for (const contribution of contributions) this.container.resolve(contribution).registerCommands(registry);
    return registry;
  }

  /** The window gets a connection, as `patchbay-backend-module.ts` makes one. */
  connect(backend: Pick<TestBackend, "connect">): void {
    this.#wire = new Wire();
    const handler = new RpcConnectionHandler<PatchbayWindow>("/services/patchbay", (window) => {
      const service = backend.connect(window);
      window.onDidCloseConnection(() => service.dispose());
      return service;
    });
    handler.onConnection(this.#wire.backend);
    this.connection.currentStatus = ConnectionStatus.ONLINE;
    this.#factory.listen(this.#wire.window);
  }

  /** The connection is dead, and nobody knows yet. */
  stall(): void {
    if (this.#wire !== undefined) this.#wire.isStalled = true;
  }

  disconnect(): void {
    this.connection.currentStatus = ConnectionStatus.OFFLINE;
    this.#wire?.cut();
    this.#wire = undefined;
  }

  /** The backend says how things stand. */
  receive(status: WindowStatus): void {
    this.container.get(WindowClient).notifyStatus(status);
  }

  /** A language server speaks about files. */
  publishProblems(...paths: readonly string[]): void {
    this.#problems.fire(paths);
  }

  setTrust(trusted: boolean): void {
    this.#trust.fire(trusted);
  }

  setRoots(roots: readonly string[]): void {
    this.roots = roots;
    this.#roots.fire();
  }

  setPreference(name: string, value: unknown): void {
    this.preferences.set(name, value);
    this.#preference.fire({ preferenceName: name });
  }

  dispose(): void {
    this.proposals.stop();
    this.#wire?.cut();
    this.shell.dispose();
  }

  #standIn(service: interfaces.ServiceIdentifier, standIn: object): void {
    this.container.bind<unknown>(service).toConstantValue(standIn);
  }

  #resource(uri: URI): Resource {
    if (uri.scheme === "patchbay-theia-change") return this.container.get(PanelChanges).resolve(uri);
    if (uri.scheme !== "file") return this.container.get(ProposalResources).resolve(uri);
    const name = uri.toString();
    return {
      uri,
      readContents: async () => this.files.get(name) ?? "",
      saveContents: async (text) => void this.files.set(name, text),
      dispose: () => {},
    };
  }

  #logger(): object {
    const write = async (line: string): Promise<void> => void this.log.push(line);
    return { debug: write, info: async () => {}, warn: write, error: write };
  }

  #preferenceService(): object {
    return {
      ready: Promise.resolve(),
      onPreferenceChanged: this.#preference.event,
      get: (name: string, fallback: unknown) => this.preferences.get(name) ?? fallback,
      inspect: (name: string) => ({ globalValue: this.preferences.get(name) }),
      set: async (name: string, value: unknown) => this.setPreference(name, value),
    };
  }

  #workspace(): object {
    const onWorkspaceChanged: Event<void> = this.#roots.event;
    const roots = (): readonly { readonly resource: URI }[] =>
      this.roots.map((root) => ({ resource: URI.fromFilePath(root) }));
    return {
      onWorkspaceChanged,
      onWorkspaceLocationChanged: new Emitter<void>().event,
      get roots() {
        return Promise.resolve(roots());
      },
      get workspace() {
        return roots()[0];
      },
    };
  }
}

/** The user presses a button of the dialog that is open. */
export function pressButton(label: string): void {
  const buttons = Array.from(document.querySelectorAll(".dialogOverlay button"));
  const button = buttons.find(({ textContent }) => textContent === label);
  if (!(button instanceof HTMLElement)) throw new Error(`There is no button "${label}".`);
  button.click();
}
