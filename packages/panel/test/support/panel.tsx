import type { ConversationSnapshot, Entry } from "@patchbay/conversations/model";
import { options, render } from "preact";
import { act } from "preact/test-utils";
import { PageHost } from "../../bench/page-host.ts";
import { sampleConversation } from "../../bench/sample.ts";
import { createViewBridge } from "../../src/bridge.ts";
import type { PageMessage } from "../../src/messages/index.ts";
import { PanelStore } from "../../src/store/store.ts";
import { App } from "../../src/views/frame/app.tsx";
import { fill as fillChanges } from "../../src/views/changes.tsx";
import { fill as fillRare } from "../../src/views/rare.tsx";
import { fill as fillRest } from "../../src/views/rest.tsx";

/** What jsdom does not have: it lays nothing out. */
class NoObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
Object.assign(globalThis, {
  ResizeObserver: NoObserver,
  IntersectionObserver: NoObserver,
});
// What follows a drawing that nobody waits for comes at once, and not when the document is gone.
options.requestAnimationFrame = (callback) => queueMicrotask(callback);
Element.prototype.scrollIntoView = () => undefined;
fillRest();
fillRare();
fillChanges();

/** The panel in jsdom, with a host that is in the page. */
export class TestPanel {
  readonly host: PageHost;
  readonly store: PanelStore;
  readonly root: HTMLElement;

  private constructor(host: PageHost, store: PanelStore, root: HTMLElement) {
    this.host = host;
    this.store = store;
    this.root = root;
  }

  /** Shows a conversation with these entries. */
  static async show(entries: readonly Entry[], change: Partial<ConversationSnapshot> = {}): Promise<TestPanel> {
    const host = new PageHost();
    host.open({ ...sampleConversation(entries, 0), ...change });
    return await TestPanel.start(host);
  }

  static async start(host: PageHost): Promise<TestPanel> {
    const root = document.createElement("div");
    document.body.append(root);
    const bridge = createViewBridge(host.viewApi);
    const store = new PanelStore(bridge, (callback) => callback());
    bridge.onMessage((message) => store.apply(message));
    await act(() => {
      render(<App store={store} />, root);
      store.post({ type: "ready" });
    });
    return new TestPanel(host, store, root);
  }

  /** Does something and draws what comes of it. */
  async do(what: () => void): Promise<void> {
    await act(what);
  }

  /** The user closes it, and it is as if it had never been there. */
  close(): void {
    this.end();
    localStorage.clear();
  }

  /** The page is gone, as when it is hidden or loaded anew. */
  end(): void {
    render(null, this.root);
    this.root.remove();
  }

  get text(): string {
    return this.root.textContent;
  }

  /** The one element that fits. */
  one<Found extends HTMLElement>(selector: string, kind: new () => Found): Found {
    const [found, second] = this.root.querySelectorAll(selector);
    if (second !== undefined) throw new Error(`More than one: ${selector}`);
    if (!(found instanceof kind)) throw new Error(`Not there: ${selector}`);
    return found;
  }

  /** The button with a name. */
  button(name: string): HTMLButtonElement {
    const buttons = Array.from(this.root.querySelectorAll("button"));
    const found = buttons.find((button) => (button.ariaLabel ?? button.textContent).trim() === name);
    if (found === undefined) throw new Error(`No button ${name}`);
    return found;
  }

  async press(name: string): Promise<void> {
    await this.do(() => this.button(name).click());
  }

  get area(): HTMLTextAreaElement {
    return this.one("textarea", HTMLTextAreaElement);
  }

  /** Writes into the composer, as keys do. */
  async write(text: string): Promise<void> {
    await this.do(() => {
      this.area.value = text;
      this.area.setSelectionRange(text.length, text.length);
      this.area.dispatchEvent(new Event("input", { bubbles: true }));
    });
  }

  async key(key: string, more: KeyboardEventInit = {}, target: Element = this.area): Promise<KeyboardEvent> {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
    await this.do(() => void target.dispatchEvent(event));
    return event;
  }

  /** What the page has said of a kind. */
  heard<Type extends PageMessage["type"]>(type: Type): readonly Extract<PageMessage, { readonly type: Type }>[] {
    const isOfType = (message: PageMessage): message is Extract<PageMessage, { readonly type: Type }> =>
      message.type === type;
    return this.host.heard.filter(isOfType);
  }
}
