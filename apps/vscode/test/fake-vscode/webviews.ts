import { EventEmitter, type FakeDisposable } from "./emitter.ts";
import type { Uri } from "./uri.ts";

/** A webview, and the page in it as the test plays it. */
export class FakeWebview {
  html = "";
  options: { readonly enableScripts?: boolean; readonly localResourceRoots?: readonly Uri[] } = {};
  readonly cspSource = "https://webview.test";
  /** What the page was told; nothing arrives while it is hidden. */
  readonly posted: unknown[] = [];
  readonly #said: EventEmitter<unknown> = new EventEmitter();
  readonly onDidReceiveMessage: EventEmitter<unknown>["event"] = this.#said.event;
  readonly #isVisible: () => boolean;

  constructor(isVisible: () => boolean) {
    this.#isVisible = isVisible;
  }

  asWebviewUri(uri: Uri): Uri {
    return uri.with({ scheme: "https", authority: "webview.test" });
  }

  async postMessage(message: unknown): Promise<boolean> {
    if (!this.#isVisible()) return false;
    this.posted.push(structuredClone(message));
    return true;
  }

  /** The page says something. */
  say(message: object): void {
    this.#said.fire(message);
  }

  /** What the page was told of a kind, from the first on. */
  told(type: string): readonly object[] {
    return this.posted.filter((one): one is object => {
      return typeof one === "object" && one !== null && Reflect.get(one, "type") === type;
    });
  }
}

/** A place for a webview: a view or a tab, as far as both are alike. */
export class FakeWebviewPlace implements FakeDisposable {
  visible = true;
  title = "";
  badge: { readonly value: number; readonly tooltip: string } | undefined;
  iconPath: unknown;
  readonly webview: FakeWebview = new FakeWebview(() => this.visible);
  readonly #visibility: EventEmitter<void> = new EventEmitter();
  readonly #end: EventEmitter<void> = new EventEmitter();
  readonly onDidChangeVisibility: EventEmitter<void>["event"] = this.#visibility.event;
  readonly onDidChangeViewState: EventEmitter<void>["event"] = this.#visibility.event;
  readonly onDidDispose: EventEmitter<void>["event"] = this.#end.event;

  show(visible: boolean): void {
    if (this.visible === visible) return;
    this.visible = visible;
    this.#visibility.fire();
  }

  reveal(): void {
    this.show(true);
  }

  dispose(): void {
    this.visible = false;
    this.#end.fire();
  }
}

interface ViewProvider {
  resolveWebviewView(view: FakeWebviewPlace): unknown;
}

interface Serializer {
  deserializeWebviewPanel(panel: FakeWebviewPlace): unknown;
}

/** The webviews of a window. A view is made when it is first shown. */
export class FakeWebviews {
  readonly providers: Map<string, ViewProvider> = new Map();
  readonly serializers: Map<string, Serializer> = new Map();
  readonly views: Map<string, FakeWebviewPlace> = new Map();
  readonly tabs: FakeWebviewPlace[] = [];

  /** False: there is no such view. */
  async focus(id: string): Promise<boolean> {
    const provider = this.providers.get(id);
    if (provider === undefined) return false;
    const view = this.views.get(id);
    if (view !== undefined) view.show(true);
    else {
      const made = new FakeWebviewPlace();
      this.views.set(id, made);
      await provider.resolveWebviewView(made);
    }
    return true;
  }

  createTab(): FakeWebviewPlace {
    const tab = new FakeWebviewPlace();
    this.tabs.push(tab);
    return tab;
  }

  /** A tab of an earlier run comes back. */
  async restoreTab(kind: string): Promise<FakeWebviewPlace> {
    const tab = this.createTab();
    await this.serializers.get(kind)?.deserializeWebviewPanel(tab);
    return tab;
  }
}
