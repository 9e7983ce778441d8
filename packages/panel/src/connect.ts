import type { HostMessage, PanelSettings } from "./messages/from-host.ts";
import type { PageMessage } from "./messages/from-page.ts";
import type { ShellMessage } from "./messages/shell.ts";
import { BrowserTab } from "./browser-tab.ts";

/**
 * Connects the page with its host where it stands in a browser by itself: the server has no editor that would. The page talks
 * with this script as with the owner of a frame (`createPortBridge`).
 */

const names = { key: "patchbay.key", state: "patchbay.state", unsent: "patchbay.unsent" } as const;

/** Between two tries to connect, ms: at first, and at most. */
const pause = { first: 500, most: 15_000 } as const;

/** The server says something at least every 20 s; after so long without a word it is gone, ms. */
const silence = 60_000;

/** What is kept until the host has taken it, also over a reload: what the user has written and decided. Each may come twice. */
const kept: ReadonlySet<PageMessage["type"]> = new Set(["send", "resend", "draft", "answer"]);

type Kept = readonly (readonly [n: number, message: PageMessage])[];

/** The way to the server, which may be gone at any time and come back. */
class Connection {
  readonly #page: MessagePort;
  readonly #words: Readonly<Record<string, string | undefined>>;
  readonly #unsent: Map<number, PageMessage>;
  readonly #banner: HTMLElement = document.createElement("div");
  #socket: WebSocket | undefined;
  #heardAt = 0;
  #isGreeted = false;
  #pause: number = pause.first;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #count: number;
  #ready: PageMessage | undefined;
  #shown: string | undefined;
  #settings: PanelSettings | undefined;
  readonly #tab = new BrowserTab();

  constructor(page: MessagePort, words: Readonly<Record<string, string | undefined>>) {
    this.#page = page;
    this.#words = words;
    this.#unsent = new Map(readJson<Kept>(sessionStorage, names.unsent) ?? []);
    this.#count = Math.max(0, ...this.#unsent.keys());
    this.#banner.className = "connection";
    this.#banner.setAttribute("role", "status");
    document.body.append(this.#banner);
    page.addEventListener("message", ({ data }) => {
      if ("state" in data) writeJson(sessionStorage, names.state, data.state);
      // Keys that the page does not take are the browser's.
      else if ("message" in data) this.#say(data.message);
    });
    page.start();
    const again = (): void => {
      if (document.visibilityState === "visible") this.#hurry();
    };
    addEventListener("keydown", (event) => this.#find(event));
    for (const event of ["online", "focus"]) addEventListener(event, again);
    document.addEventListener("visibilitychange", again);
    setInterval(() => {
      if (this.#socket !== undefined && Date.now() - this.#heardAt > silence) this.#socket.close();
    }, silence / 4);
  }

  /** Shows the link's secret once, if the page was opened by a link; then connects. */
  async start(): Promise<void> {
    const secret = location.hash.slice(1);
    // Neither the history nor a bookmark has it.
    if (secret !== "") history.replaceState(null, "", "/");
    const answer =
      secret === "" ? undefined : await fetch("/door", { method: "POST", body: secret }).catch(() => undefined);
    if (answer?.ok === true) {
      const { key } = await answer.json();
      if (typeof key === "string") localStorage.setItem(names.key, key);
    }
    await this.#connect();
  }

  async #connect(): Promise<void> {
    this.#timer = undefined;
    const key = localStorage.getItem(names.key) ?? "";
    const answer = await fetch("/door", { headers: { "patchbay-key": key } }).catch(() => undefined);
    if (answer?.ok !== true) {
      // Another tab may be let in by a new link, and this one with it.
      this.#show(answer === undefined ? "lost" : "shutout");
      this.#later();
      return;
    }
    const socket = new WebSocket(`ws://${location.host}/socket`, `patchbay.${key}`);
    this.#socket = socket;
    this.#heardAt = Date.now();
    socket.addEventListener("open", () => {
      this.#show(undefined);
      this.#pause = pause.first;
      this.#greet();
    });
    socket.addEventListener("message", ({ data }) => this.#hear(data));
    socket.addEventListener("close", () => {
      this.#socket = undefined;
      this.#isGreeted = false;
      this.#show("lost");
      this.#later();
    });
  }

  /** Tries again, each time after a longer pause. */
  #later(): void {
    this.#timer = setTimeout(() => void this.#connect(), this.#pause * (0.75 + Math.random() / 2));
    this.#pause = Math.min(this.#pause * 2, pause.most);
  }

  /** The user is back: now is the time. */
  #hurry(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#pause = pause.first;
    void this.#connect();
  }

  #show(word: "lost" | "shutout" | undefined): void {
    const text = word === undefined ? "" : (this.#words[word] ?? "");
    // A sentence that stands there already is not read aloud again.
    if (this.#banner.textContent !== text) this.#banner.textContent = text;
    this.#banner.hidden = text === "";
  }

  /** The page is there and knows what it showed; the host answers with everything. */
  #greet(): void {
    if (this.#ready === undefined) return;
    const shown = this.#shown;
    this.#send(shown === undefined ? this.#ready : { type: "ready", conversation: shown });
  }

  #say(message: PageMessage): void {
    switch (message.type) {
      case "ready":
        this.#ready = message;
        if (this.#socket?.readyState === WebSocket.OPEN) this.#greet();
        return;
      case "copy":
        void copy(message.text);
        return;
      case "notify":
        void this.#tab.askToNotify().then(() => this.#passSettings());
        return;
      case "open-link":
        openLink(message.href);
        return;
      case "open-conversation":
        if (message.as !== "tab") break;
        open(`/#${tabMark}${message.conversation}`, "_blank", "noopener");
        return;
      case "delete": {
        const title = this.#tab.titleOf(message.conversation);
        if (!confirm((this.#words["delete"] ?? "").replace("{title}", () => title))) return;
        break;
      }
    }
    if (kept.has(message.type)) this.#keep(message);
    else this.#send(message);
  }

  /** Sends it when the host is there, and again until the host has taken it. */
  #keep(message: PageMessage): void {
    if (message.type === "draft") {
      for (const [n, one] of this.#unsent) {
        if (one.type === "draft" && one.conversation === message.conversation) this.#unsent.delete(n);
      }
    }
    this.#count += 1;
    this.#unsent.set(this.#count, message);
    this.#keepUnsent();
    if (this.#isGreeted) this.#send(message, this.#count);
  }

  #keepUnsent(): void {
    const unsent: Kept = [...this.#unsent];
    writeJson(sessionStorage, names.unsent, unsent);
  }

  #send(message: PageMessage, n = 0): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ n, message }));
  }

  #hear(data: unknown): void {
    this.#heardAt = Date.now();
    const frame: { readonly ack?: number; readonly message?: HostMessage; readonly shell?: ShellMessage } = JSON.parse(
      String(data),
    );
    if (frame.ack !== undefined && this.#unsent.delete(frame.ack)) this.#keepUnsent();
    if (frame.shell !== undefined) this.#do(frame.shell);
    if (frame.message !== undefined) this.#pass(frame.message);
  }

  #pass(message: HostMessage): void {
    if (message.type === "hello" || message.type === "conversation") this.#shown = message.open?.id;
    this.#tab.hear(message, this.#shown);
    if (message.type === "hello" || message.type === "settings") this.#settings = message.settings;
    if (message.type === "settings") this.#passSettings();
    else if (message.type !== "hello") this.#page.postMessage(message);
    else this.#page.postMessage({ ...message, settings: this.#withOffer(message.settings) });
    if (message.type !== "hello" || this.#isGreeted) return;
    this.#isGreeted = true;
    for (const [n, unsent] of this.#unsent) this.#send(unsent, n);
  }

  /** The browser's own search sees only what is drawn of a long conversation. Reviews, which hide the panel, have theirs. */
  #find(event: KeyboardEvent): void {
    const isWanted = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "f";
    const isHidden = document.querySelector<HTMLElement>("#panel")?.hidden !== false;
    if (!isWanted || this.#shown === undefined || isHidden) return;
    event.preventDefault();
    const command: HostMessage = { type: "command", command: "find" };
    this.#page.postMessage(command);
  }

  #passSettings(): void {
    if (this.#settings === undefined) return;
    const settings: HostMessage = { type: "settings", settings: this.#withOffer(this.#settings) };
    this.#page.postMessage(settings);
  }

  #withOffer(settings: PanelSettings): PanelSettings {
    return this.#tab.mayAskToNotify() ? { ...settings, offersNotices: true } : settings;
  }

  #do(message: ShellMessage): void {
    if (message.type === "agent") {
      void import("./agent-dialog.ts").then(({ askForAgent }) =>
        askForAgent(message, (wish) => this.#send({ type: "agent-wish", ...(wish === undefined ? {} : { wish }) })),
      );
      return;
    }
    const dialog = document.createElement("dialog");
    dialog.className = `shell ${message.type}`;
    const text = document.createElement(message.type === "text" ? "pre" : "p");
    if (message.type === "link") text.append(linkTo(message.href));
    else text.textContent = message.type === "text" ? message.text : message.sentence;
    const close = button(this.#words["close"], () => dialog.close());
    const row = document.createElement("div");
    row.append(close);
    if (message.type === "text") {
      const title = document.createElement("h2");
      title.textContent = message.title;
      dialog.append(title);
      dialog.setAttribute("aria-label", message.title);
      row.prepend(button(this.#words["copy"], () => void copy(message.text)));
      text.tabIndex = 0;
    } else dialog.setAttribute("role", message.type === "tell" && message.severity !== "info" ? "alert" : "status");
    dialog.append(text, row);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    // What is only said takes no focus.
    if (message.type === "text") dialog.showModal();
    else dialog.setAttribute("open", "");
  }
}

function button(label: string | undefined, onClick: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button";
  made.textContent = label ?? "";
  made.addEventListener("click", onClick);
  return made;
}

function linkTo(href: string): HTMLElement {
  const link = document.createElement("a");
  link.textContent = href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  if (isWeb(href)) link.href = href;
  return link;
}

const isWeb = (href: string): boolean => /^https?:\/\//iu.test(href);

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text).catch(() => undefined);
}

/** In a tab of its own, which knows nothing of this one. */
function openLink(href: string): void {
  if (isWeb(href)) open(href, "_blank", "noopener,noreferrer");
}

function readJson<T>(storage: Storage, name: string): T | undefined {
  try {
    return JSON.parse(storage.getItem(name) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** What is too large for it is not kept over a reload. */
function writeJson(storage: Storage, name: string, value: unknown): void {
  try {
    storage.setItem(name, JSON.stringify(value));
  } catch {
    storage.removeItem(name);
  }
}

/** Before the id of a conversation for which a tab was opened. */
const tabMark = "conversation=";

const own = location.hash.startsWith(`#${tabMark}`) ? location.hash.slice(tabMark.length + 1) : undefined;
if (own !== undefined) {
  history.replaceState(null, "", "/");
  writeJson(sessionStorage, names.state, { conversation: own });
}

const { port1, port2 } = new MessageChannel();
const words = document.querySelector<HTMLElement>("#connect")?.dataset ?? {};
const connection = new Connection(port1, words);
postMessage({ state: readJson(sessionStorage, names.state) }, location.origin, [port2]);
void connection.start();
