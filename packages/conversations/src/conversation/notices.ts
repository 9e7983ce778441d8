import { adviceFor, messageOf, PatchbayError } from "@patchbay/core";
import type { ConversationStatus } from "../model/snapshot.ts";
import type { Transcript } from "../transcript/transcript.ts";
import type { TurnRunner } from "./turn-runner.ts";

export interface NoticesOptions {
  readonly put: TurnRunner["notice"];
  readonly status: () => Pick<ConversationStatus, "isKept">;
  readonly tell: (status: Pick<Partial<ConversationStatus>, "isKept" | "state">) => void;
}

/** What Patchbay itself says in a conversation when something does not go as it should. */
export class Notices {
  readonly #options: NoticesOptions;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** The agent could not be started. */
  notStarted(error: unknown): void {
    const reason = messageOf(error);
    const isMissing = error instanceof PatchbayError && error.code === "not-installed";
    this.#options.tell({ state: { kind: "ended", reason } });
    // What the program itself said is for those who look.
    const said = error instanceof PatchbayError && typeof error.cause === "string" ? { detail: error.cause } : {};
    this.#options.put("error", reason, { ...said, action: isMissing ? "install" : "restart" });
  }

  /** The agent that was started knows nothing of the conversation. */
  forgotten(why: { readonly detail?: string }): void {
    this.#options.put("warning", "The agent starts over: it does not remember the messages above.", why);
  }

  /** A draft or a prompt that waits could not be kept. */
  unsentLost(error: unknown): void {
    // Where nothing can be saved, that was said.
    if (!this.#options.status().isKept) return;
    const text = `What you have written but not sent could not be saved. ${adviceFor(error)}`;
    this.#options.put("warning", text);
  }

  /** A disk that is full is told once; the conversation goes on. */
  follow(transcript: Transcript): void {
    const { put, tell } = this.#options;
    transcript.onDidChangeKeeping(({ failure }) => {
      tell({ isKept: failure === undefined });
      if (failure === undefined) put("info", "The conversation is saved again.");
      else put("warning", `The conversation goes on, but cannot be saved. ${adviceFor(failure.cause)}`);
    });
  }
}
