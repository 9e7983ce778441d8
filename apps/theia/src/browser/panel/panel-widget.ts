import { inlinePanelDocument } from "@patchbay/panel/document";
import { ColorApplicationContribution } from "@theia/core/lib/browser/color-application-contribution";
import { ColorRegistry } from "@theia/core/lib/browser/color-registry";
import { ContextKeyService } from "@theia/core/lib/browser/context-key-service";
import { KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import { ServiceConnectionProvider } from "@theia/core/lib/browser/messaging/service-connection-provider";
import { ApplicationShellMouseTracker } from "@theia/core/lib/browser/shell/application-shell-mouse-tracker";
import type { StatefulWidget } from "@theia/core/lib/browser/shell/shell-layout-restorer";
import { BaseWidget, codicon, type Message } from "@theia/core/lib/browser/widgets/widget";
import { Disposable } from "@theia/core/lib/common/disposable";
import { ILogger } from "@theia/core/lib/common/logger";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable, type interfaces, named } from "@theia/core/shared/inversify";
import {
  type PageFacts,
  type PageTitle,
  type PanelCommand,
  type PanelCommandResult,
  PanelServer,
  panelServerPath,
} from "../../common/panel-protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { NewAgents } from "./new-agents.ts";
import { PanelActions } from "./panel-actions.ts";
import { PanelConnection, type PanelPage, PanelPages } from "./panel-connection.ts";
import { panelFocusKey, type PanelTab, panelTabId, panelWidgetId } from "./panel-places.ts";

/** What is kept of a page over a reload of the window; its texts are the backend's. */
interface KeptPage {
  readonly state?: unknown;
  readonly conversation?: string | undefined;
}

const randomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(18)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** What the page calls what Theia calls otherwise. */
const fonts: Readonly<Record<string, string>> = {
  "--vscode-font-family": "--theia-ui-font-family",
  "--vscode-font-size": "--theia-ui-font-size1",
  "--vscode-editor-font-family": "--theia-code-font-family",
  "--vscode-editor-font-size": "--theia-code-font-size",
};

/**
 * A page of the panel in a frame of its own, without an origin: texts of models and tools reach nothing of the window, whose
 * connection reaches files and terminals. The frame is made when the page is first seen, and anew when the widget moves.
 */
@injectable()
export class PanelWidget extends BaseWidget implements StatefulWidget, PanelPage {
  @inject(PanelConnection)
  readonly connection: PanelConnection;
  @inject(ColorRegistry)
  protected readonly colors: ColorRegistry;
  @inject(ColorApplicationContribution)
  protected readonly theme: ColorApplicationContribution;
  @inject(ContextKeyService)
  protected readonly contextKeys: ContextKeyService;
  @inject(KeybindingRegistry)
  protected readonly keybindings: KeybindingRegistry;
  @inject(ApplicationShellMouseTracker)
  protected readonly mouse: ApplicationShellMouseTracker;
  @inject(ILogger)
  @named("patchbay")
  protected readonly logger: ILogger;

  protected readonly page: string = randomText();
  protected kept: KeptPage = {};
  protected frame: HTMLIFrameElement | undefined;
  protected port: MessagePort | undefined;
  protected isKnown = false;
  protected isTab = false;

  /** Called once, before it is attached. */
  setUp({ tab, conversation }: PanelTab = {}): this {
    this.isTab = tab !== undefined;
    this.id = tab === undefined ? panelWidgetId : `${panelTabId}:${tab}`;
    if (conversation !== undefined) this.kept = { conversation };
    const name = nls.localize("patchbay/panel/title", "Conversations");
    this.title.label = name;
    this.title.caption = `Patchbay: ${name}`;
    this.title.iconClass = codicon("comment-discussion");
    this.title.closable = true;
    this.addClass("patchbay-panel");
    this.node.tabIndex = -1;
    this.contextKeys.createScoped(this.node).createKey(panelFocusKey, true);
    this.connection.pages.add(this);
    this.toDispose.pushAll([
      this.theme.onDidChange(() => this.port?.postMessage({ theme: this.themeValues() })),
      // A frame takes the mouse away from whoever drags something over it.
      this.mouse.onMousedown(() => this.setPassable(true)),
      this.mouse.onMouseup(() => this.setPassable(false)),
      this.onDidChangeVisibility(() => this.visibilityChanged()),
      Disposable.create(() => {
        this.unload();
        this.connection.pages.remove(this);
        if (this.isKnown) this.connection.server.notifyClosed(this.page);
      }),
    ]);
    return this;
  }

  get facts(): PageFacts {
    const { conversation } = this.kept;
    return { page: this.page, conversation, isVisible: this.isVisible };
  }

  tell(message: unknown): boolean {
    this.port?.postMessage(message);
    return this.port !== undefined;
  }

  setTitle({ conversation, title, state }: PageTitle): void {
    this.kept = { ...this.kept, conversation };
    if (!this.isTab) return;
    const name = visibleText(title) || "Patchbay";
    if (state === "waiting") this.title.label = nls.localize("patchbay/panel/waiting", "{0} (waiting)", name);
    else if (state === "running") this.title.label = nls.localize("patchbay/panel/working", "{0} (working)", name);
    else this.title.label = name;
    this.title.caption = this.title.label;
  }

  storeState(): object {
    return this.kept;
  }

  restoreState(kept: KeptPage): void {
    const { state, conversation } = kept;
    this.kept = { state, conversation: typeof conversation === "string" ? conversation : undefined };
  }

  /** Does what a command wants in this page. */
  async run(command: PanelCommand): Promise<PanelCommandResult> {
    await this.load();
    return await this.connection.server.run(command, this.page);
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) void this.load();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    void this.load();
  }

  protected override onBeforeDetach(message: Message): void {
    this.unload();
    super.onBeforeDetach(message);
  }

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    // Where the page has the keys already, they stay where they are in it.
    if (this.frame === undefined) this.node.focus();
    else if (document.activeElement !== this.frame) this.frame.focus();
    this.node.dispatchEvent(new FocusEvent("focus"));
  }

  protected async load(): Promise<void> {
    try {
      const { script, style } = await this.connection.texts();
      if (this.frame !== undefined || !this.isAttached || this.isDisposed) return;
      this.introduce();
      this.frame = this.makeFrame(script, style);
      this.node.append(this.frame);
    } catch (error) {
      void this.logger.error(`the panel could not be opened: ${String(error)}`);
    }
  }

  protected introduce(): void {
    if (this.isKnown) return;
    this.isKnown = true;
    this.connection.server.notifyPage(this.facts);
  }

  protected makeFrame(scriptText: string, styleText: string): HTMLIFrameElement {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = nls.localize("patchbay/panel/frame", "Conversation with an agent");
    const values = Object.entries(this.themeValues());
    frame.srcdoc = inlinePanelDocument({
      scriptText,
      styleText,
      nonce: randomText(),
      locale: nls.locale ?? "en",
      isInEditor: this.isTab,
      theme: values.map(([name, value]) => (value === "" ? "" : `${name}:${value};`)).join(""),
    });
    frame.addEventListener("load", () => this.connect(frame), { once: true });
    return frame;
  }

  protected connect(frame: HTMLIFrameElement): void {
    const { contentWindow } = frame;
    if (contentWindow === null || this.frame !== frame) return;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.visibilityChanged();
    port1.onmessage = ({ data }: MessageEvent<unknown>) => this.heard(data);
    // It has no origin that could be named; the frame is the one that was made above, and nothing can lead it elsewhere.
    contentWindow.postMessage({ state: this.kept.state }, "*", [port2]);
    if (document.activeElement === this.node) frame.focus();
  }

  /** What the frame says may be anything: a message is parsed by the backend. */
  protected heard(data: unknown): void {
    if (typeof data !== "object" || data === null) return;
    if ("state" in data) this.kept = { ...this.kept, state: data.state };
    else if ("key" in data) this.pressed(data.key);
    else if ("message" in data) {
      if (isFocus(data.message)) this.node.dispatchEvent(new FocusEvent("focus"));
      this.connection.server.notifySaid(this.page, data.message);
    }
  }

  /** A key that is the window's own, as if it had been pressed beside the frame. */
  protected pressed(key: unknown): void {
    if (typeof key !== "object" || key === null) return;
    const text = (name: string): string => {
      const value: unknown = Reflect.get(key, name);
      return typeof value === "string" ? value : "";
    };
    const isOn = (name: string): boolean => Reflect.get(key, name) === true;
    const keyCode: unknown = Reflect.get(key, "keyCode");
    if (text("key") === "" || typeof keyCode !== "number") return;
    const event = {
      key: text("key"),
      code: text("code"),
      keyCode,
      ctrlKey: isOn("ctrlKey"),
      metaKey: isOn("metaKey"),
      altKey: isOn("altKey"),
      shiftKey: isOn("shiftKey"),
      repeat: isOn("repeat"),
    };
    this.keybindings.dispatchKeyDown(event, this.node);
  }

  protected visibilityChanged(): void {
    if (!this.isKnown) return;
    this.connection.server.notifyVisible(this.page, this.isVisible, this.port !== undefined);
  }

  protected setPassable(isPassable: boolean): void {
    if (this.frame !== undefined) this.frame.style.pointerEvents = isPassable ? "none" : "";
  }

  /** The frame goes with its place in the window. */
  protected unload(): void {
    this.frame?.remove();
    this.port?.close();
    this.frame = undefined;
    this.port = undefined;
    this.visibilityChanged();
  }

  /** The theme under the names that the page knows. Empty: it has no such colour. */
  protected themeValues(): Readonly<Record<string, string>> {
    const own = getComputedStyle(document.documentElement);
    const values: Record<string, string> = {};
    for (const id of this.colors.getColors()) {
      values[this.colors.toCssVariableName(id, "vscode")] = this.colors.getCurrentColor(id) ?? "";
    }
    for (const [name, theirs] of Object.entries(fonts)) values[name] = own.getPropertyValue(theirs).trim();
    return values;
  }
}

function isFocus(message: unknown): boolean {
  return (
    typeof message === "object" &&
    message !== null &&
    Reflect.get(message, "type") === "focus" &&
    Reflect.get(message, "hasFocus") === true
  );
}

/** A page of the panel. With the first one come the services behind it, and their channel to the backend. */
export function createPanelPage(container: interfaces.Container, tab: PanelTab | undefined): PanelWidget {
  if (!container.isBound(PanelServer)) {
    for (const service of [NewAgents, PanelActions, PanelConnection, PanelPages]) {
      container.bind<unknown>(service).toSelf().inSingletonScope();
    }
    container.bind(PanelWidget).toSelf();
    container
      .bind(PanelServer)
      .toDynamicValue(() =>
        ServiceConnectionProvider.createProxy<PanelServer>(container, panelServerPath, container.get(PanelActions)),
      )
      .inSingletonScope();
  }
  return container.get(PanelWidget).setUp(tab);
}
