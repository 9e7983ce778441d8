import { strict as assert } from "node:assert";
import { applyPatch, type ConversationPatch, type ConversationSnapshot } from "@patchbay/conversations/model";

/** A page's end of the way to its host, in the hands of a test. A control resolves when the host has been reached. */
export interface PanelPageControls {
  /** All that arrived in its documents, in order, as the host said it. */
  readonly messages: readonly unknown[];
  /** The document says something to the host. */
  say(message: unknown): Promise<void>;
  /** The document is gone without a word, as when it is reloaded or hidden: what the host says now is lost. */
  leave(): Promise<void>;
  /** There is a new document, which has said nothing yet. */
  comeBack(): Promise<void>;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A page as its user sees it: what it was told, put together as the real page does. */
export class SeenPage {
  readonly controls: PanelPageControls;
  /** The conversation that it shows. */
  open: ConversationSnapshot | undefined;
  #read = 0;

  constructor(controls: PanelPageControls) {
    this.controls = controls;
  }

  /** What agent and user have said in the entries that are shown. */
  get text(): string {
    const texts = (this.open?.entries ?? []).map(({ entry }) => ("text" in entry ? entry.text : ""));
    return texts.join("\n");
  }

  /** The question that is open. */
  get question(): { readonly entry: Extract<Shown, { kind: "question" }> } | undefined {
    for (const { entry } of this.open?.entries ?? []) {
      if (entry.kind === "question" && entry.outcome === undefined) return { entry };
    }
    return undefined;
  }

  /** The document has started. Resolves with the host's answer. */
  async ready(conversation?: string): Promise<Fields> {
    this.#look();
    const before = this.controls.messages.length;
    await this.controls.say({ type: "ready", ...(conversation === undefined ? {} : { conversation }) });
    return await this.#next("hello", before);
  }

  /** There is a new document, which remembers the conversation that the earlier one showed. */
  async reload(): Promise<void> {
    const id = this.open?.id;
    await this.controls.leave();
    await this.controls.comeBack();
    await this.ready(id);
  }

  /** The next message of a kind, counted from the first that was not looked at yet. */
  async next(type: string): Promise<Fields> {
    return await this.#next(type, this.#read);
  }

  /** Waits until the page shows something. */
  async until(isSo: (page: this) => boolean): Promise<this> {
    await until(() => {
      this.#look();
      return isSo(this);
    }, isSo.toString());
    return this;
  }

  async #next(type: string, from: number): Promise<Fields> {
    const found = await until(() =>
      this.controls.messages
        .slice(from)
        .map(record)
        .find((one) => one["type"] === type),
    );
    this.#look();
    return found;
  }

  #look(): void {
    for (const message of this.controls.messages.slice(this.#read)) this.#take(record(message));
    this.#read = this.controls.messages.length;
  }

  #take(message: Fields): void {
    const { type, open, patch, conversation } = message;
    if (type === "hello" || type === "conversation") this.open = isSnapshot(open) ? open : undefined;
    if (type !== "patch" || this.open?.id !== conversation || !isPatch(patch)) return;
    if (this.open === undefined || patch.sequence <= this.open.sequence) return;
    const patched = applyPatch(this.open, patch);
    if (patched === undefined) assert.fail("A patch does not follow the one before.");
    this.open = patched;
  }
}

type Shown = ConversationSnapshot["entries"][number]["entry"];

/** Messages are the host's own: what they are is its schema's matter. */
function isSnapshot(value: unknown): value is ConversationSnapshot {
  return value !== undefined;
}

function isPatch(value: unknown): value is ConversationPatch {
  return value !== undefined;
}

export function record(value: unknown): Fields {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Longer than that nothing takes that happens at all, ms. */
const patienceMs = 20_000;

/** Looks again and again until something is so; what it is then. */
export async function until<T>(look: () => T | undefined | false, wanted: string = look.toString()): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) assert.fail(`It never came true: ${wanted}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
