import type { Clock } from "@patchbay/core";
import type { Entry } from "../model/entries.ts";
import type { SessionUpdate } from "../model/session.ts";
import { appendText, type ConversationStatus } from "../model/snapshot.ts";
import type { History } from "./history.ts";

export interface SessionUpdatesOptions {
  readonly clock: Clock;
  readonly history: () => History;
  readonly status: () => ConversationStatus;
  readonly tell: (status: Partial<ConversationStatus>) => void;
  readonly onDidTitle: (title: string) => void;
  /** The agent's own id of the session. */
  readonly onDidName: (sessionId: string) => void;
  /** An entry of the agent's is about to be taken. */
  readonly onEntry: (entry: Entry) => void;
  readonly onDidChangeFile: (update: Extract<SessionUpdate, { type: "file-changed" }>) => void;
  readonly onDidSignIn: () => void;
}

/** Takes what a session tells into the conversation. */
export class SessionUpdates {
  readonly #options: SessionUpdatesOptions;
  /** There was something to read when the session was opened: what it replays is that. */
  #hadHistory = false;

  constructor(options: SessionUpdatesOptions) {
    this.#options = options;
  }

  /** A session is about to be started. */
  expect(): void {
    this.#hadHistory = this.#options.history().hasTalk;
  }

  /** `isReplay`: the session has not been started yet. */
  take(update: SessionUpdate, isReplay: boolean): void {
    const { tell, onDidTitle, onDidName, onDidChangeFile } = this.#options;
    switch (update.type) {
      case "state":
        return this.#takeState(update.state);
      case "entry":
        if (!isReplay || update.entry.kind === "notice" || !this.#hadHistory) this.#takeEntry(update.entry);
        return;
      case "append":
        if (!isReplay || !this.#hadHistory) this.#append(update);
        return;
      case "title":
        return onDidTitle(update.title);
      case "session":
        return onDidName(update.sessionId);
      case "options":
        return tell({ options: update.options });
      case "commands":
        return tell({ commands: update.commands });
      case "usage":
        return tell({ usage: update.usage });
      case "tasks":
        return tell({ tasks: update.tasks });
      case "file-changed":
        return onDidChangeFile(update);
    }
  }

  #takeState(state: ConversationStatus["state"]): void {
    const { status, tell, history, onDidSignIn } = this.#options;
    const before = status().state.kind;
    tell({ state });
    if (state.kind === "ended") {
      if ((status().tasks?.length ?? 0) > 0) tell({ tasks: [] });
      history().settle();
    }
    if (before === "signed-out" && state.kind === "idle") onDidSignIn();
  }

  #takeEntry(entry: Entry): void {
    const { history, onEntry } = this.#options;
    if (entry.kind === "prompt" && history().has(entry.id)) return;
    onEntry(entry);
    history().upsert(entry);
  }

  #append({ id, to, text, parent }: Extract<SessionUpdate, { type: "append" }>): void {
    const { clock, history } = this.#options;
    if (history().append(id, text)) return;
    const base = { id, at: clock.now(), ...(parent === undefined ? {} : { parent }) };
    const entry: Entry =
      to === "output"
        ? { ...base, kind: "tool", tool: "other", name: "", title: "", state: "running" }
        : { ...base, kind: to, text: "", isComplete: false };
    history().upsert(appendText(entry, text));
  }
}
