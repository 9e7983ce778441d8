import type { ConversationSummary, HostMessage } from "./messages/from-host.ts";
import { folderName } from "./views/widgets/paths.ts";
import { visibleLine } from "./views/widgets/visible-text.ts";

/** What a tab says of the conversations behind it. */
type Sign = "asks" | "done" | "works" | "failed" | "idle";

const signs: Readonly<Record<Sign, { readonly word?: string; readonly color?: string }>> = {
  asks: { word: "list.waiting", color: "#e0a100" },
  done: { word: "tool.done", color: "#3fb950" },
  works: { word: "list.running", color: "#3794ff" },
  failed: { word: "list.failed", color: "#f85149" },
  idle: {},
};

const plug =
  '<path d="M11 7v6m10-6v6M8 13h16v4a8 8 0 0 1-16 0zM16 25v4" fill="none" stroke="#fff" stroke-width="2.5"/>';

/** A tile with a dot in the colour of the sign, as an address that needs no file. */
function iconOf(sign: Sign): string {
  const { color } = signs[sign];
  const dot =
    color === undefined ? "" : `<circle cx="24" cy="24" r="8" fill="${color}" stroke="#fff" stroke-width="2"/>`;
  const tile = '<rect width="32" height="32" rx="6" fill="#24507a"/>';
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${tile}${plug}${dot}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image)}`;
}

/** Undefined: this browser has no notifications, or none for such a page. */
const permission = (): NotificationPermission | undefined =>
  typeof Notification === "function" ? Notification.permission : undefined;

/**
 * The browser's tab around the page: its title and icon say which conversation it is, in which folder, and what is going on there. With the
 * user's leave it tells of each question once, while the tab is hidden.
 */
export class BrowserTab {
  #strings: Readonly<Record<string, string>> = {};
  #conversations: readonly ConversationSummary[] = [];
  #folders: readonly string[] = [];
  #reviews = 0;
  #shown: string | undefined;
  #running: ReadonlySet<string> = new Set();
  /** A turn has ended that nobody has seen yet. */
  #isDone = false;
  #asking = 0;
  #sign: Sign | undefined;

  constructor() {
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      this.#isDone = false;
      if (this.#sign !== undefined) this.#draw();
    });
  }

  /** Empty if it is not known. */
  titleOf(conversation: string): string {
    return this.#conversations.find(({ id }) => id === conversation)?.title ?? "";
  }

  /** Whether the user has not decided yet. */
  mayAskToNotify(): boolean {
    return permission() === "default";
  }

  /** Only upon a click of the user's: browsers refuse it otherwise. */
  async askToNotify(): Promise<void> {
    await Notification.requestPermission();
  }

  /** `shown`: the id of the conversation that is open now. What streams costs nothing here. */
  hear(message: HostMessage, shown: string | undefined): void {
    this.#shown = shown;
    switch (message.type) {
      case "hello":
        this.#strings = message.strings;
        this.#folders = message.settings.folders;
        this.#list(message.conversations);
        break;
      case "conversations":
        this.#list(message.conversations);
        break;
      case "settings":
        this.#folders = message.settings.folders;
        break;
      case "conversation":
        break;
      case "review": {
        const { about } = message;
        if (typeof about !== "object" || about === null || Reflect.get(about, "type") !== "reviews") return;
        const reviews: unknown = Reflect.get(about, "reviews");
        this.#reviews = Array.isArray(reviews) ? reviews.length : 0;
        break;
      }
      default:
        return;
    }
    this.#draw();
    this.#tell();
  }

  #list(conversations: readonly ConversationSummary[]): void {
    const hasEnded = conversations.some(({ id, state }) => state === "idle" && this.#running.has(id));
    const running = conversations.filter(({ state }) => state === "running" || state === "waiting");
    this.#conversations = conversations;
    this.#running = new Set(running.map(({ id }) => id));
    if (document.hidden && hasEnded) this.#isDone = true;
  }

  #draw(): void {
    const { sign, title } = this.#state();
    if (document.title !== title) document.title = title;
    if (this.#sign === sign) return;
    this.#sign = sign;
    document.querySelector("link[rel=icon]")?.setAttribute("href", iconOf(sign));
  }

  /** A conversation that asks comes before the one that is open. */
  #state(): { readonly sign: Sign; readonly title: string } {
    const own = this.#conversations.find(({ id }) => id === this.#shown);
    const asking = own?.state === "waiting" ? own : this.#conversations.find(({ state }) => state === "waiting");
    const sign = this.#signOf(own, asking);
    const about = asking ?? own;
    const folder = about?.folder ?? this.#folders[0];
    const name = about === undefined ? "" : visibleLine(about.title === "" ? this.#word("head.untitled") : about.title);
    const { word } = signs[sign];
    const first = [word === undefined ? "" : this.#word(word), name].filter((part) => part !== "").join(": ");
    const place = folder === undefined ? "" : visibleLine(folderName(folder, this.#folders));
    return { sign, title: [first, place, "Patchbay"].filter((part) => part !== "").join(" – ") };
  }

  #signOf(own: ConversationSummary | undefined, asking: ConversationSummary | undefined): Sign {
    if (asking !== undefined || this.#reviews > 0) return "asks";
    if (this.#isDone) return "done";
    const working = own === undefined ? this.#conversations.some(({ state }) => state === "running") : false;
    if (working || own?.state === "running") return "works";
    return own?.state === "failed" ? "failed" : "idle";
  }

  #word(key: string): string {
    return this.#strings[key] ?? "";
  }

  /** It shows the title alone: what is asked may be for nobody else's eyes. */
  #tell(): void {
    const asking = this.#conversations.filter(({ state }) => state === "waiting").length + this.#reviews;
    const isNew = asking > this.#asking;
    this.#asking = asking;
    if (!isNew || !document.hidden || permission() !== "granted") return;
    const notification = new Notification(document.title, { tag: "patchbay" });
    notification.addEventListener("click", () => {
      focus();
      notification.close();
    });
  }
}
