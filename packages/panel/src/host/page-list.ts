import type { Disposable } from "@patchbay/core";
import type { Conversation } from "@patchbay/conversations";
import type { ListMessage } from "../messages/index.ts";
import type { PanelEditor } from "./editor.ts";
import type { PanelLibrary } from "./library.ts";

export interface PageListOptions {
  readonly editor: Pick<PanelEditor, "tell" | "confirmDelete">;
  readonly library: Pick<PanelLibrary, "summaries" | "search" | "rename" | "remove">;
  /** Has the page list these. */
  readonly post: (conversations: PanelLibrary["summaries"]) => void;
  readonly page: {
    readonly conversation: Pick<Conversation, "id"> | undefined;
    begin(agent: string): Promise<void>;
    show(id: string): Promise<void>;
  };
  readonly addAgent: () => Promise<void>;
  /** The page shows no conversation any more. */
  readonly leave: (isClosed?: boolean) => void;
}

const elsewhere = "This conversation is open in another window. Close it there first.";

/** The list of conversations as one page shows it: what is searched for, and what the page asks of it. */
export class PageList implements Disposable {
  readonly #options: PageListOptions;
  #searching: AbortController | undefined;
  /** What the search has found; undefined: everything is listed. */
  #found: ReadonlySet<string> | undefined;

  constructor(options: PageListOptions) {
    this.#options = options;
  }

  get listed(): PanelLibrary["summaries"] {
    const found = this.#found;
    const { summaries } = this.#options.library;
    return found === undefined ? summaries : summaries.filter(({ id }) => found.has(id));
  }

  post(): void {
    this.#options.post(this.listed);
  }

  async handle(message: ListMessage): Promise<void> {
    const { editor, library, page, leave } = this.#options;
    switch (message.type) {
      case "new-conversation":
        return await page.begin(message.agent);
      case "select":
        return await page.show(message.conversation);
      case "deselect":
        return leave(true);
      case "add-agent":
        return await this.#options.addAgent();
      case "search":
        return await this.#search(message.text);
      case "rename":
        if (!(await library.rename(message.conversation, message.title))) editor.tell("warning", elsewhere);
        return;
      case "delete": {
        const title = library.summaries.find(({ id }) => id === message.conversation)?.title ?? "";
        if (!(await editor.confirmDelete(title))) return;
        if (page.conversation?.id === message.conversation) leave();
        if (!(await library.remove(message.conversation))) editor.tell("warning", elsewhere);
        return;
      }
    }
  }

  dispose(): void {
    this.#searching?.abort();
  }

  /** Titles first; what was said is looked through behind them. */
  async #search(text: string): Promise<void> {
    const { library } = this.#options;
    this.#searching?.abort();
    const stop = new AbortController();
    this.#searching = stop;
    const wanted = text.trim().toLocaleLowerCase();
    const found = new Set(
      library.summaries.flatMap(({ id, title }) => (title.toLocaleLowerCase().includes(wanted) ? [id] : [])),
    );
    this.#found = wanted === "" ? undefined : found;
    this.post();
    if (wanted === "") return;
    for await (const id of library.search(wanted, stop.signal)) {
      if (stop.signal.aborted) return;
      if (found.has(id)) continue;
      found.add(id);
      this.post();
    }
  }
}
