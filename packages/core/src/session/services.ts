import type { DiffOutcome, ProposalInput } from "../diff/model.ts";
import type { ClientFacts } from "../dialects/dialect.ts";
import type { EditorHost } from "../editor-host.ts";
import type { EditorContext } from "../context/model.ts";
import type { Platform } from "../platform/platform.ts";
import type { Logger } from "../support/logger.ts";

/** What a dialect's engine may do for its one session. Diffs are those of this session and no other. */
export interface SessionServices {
  readonly sessionId: string;
  /** What the client said of itself; undefined for a session that came back by its id. */
  readonly client: ClientFacts | undefined;
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly host: EditorHost;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly diffs: SessionDiffs;
  /** The context as it would be sent now (sharing policy applied). */
  context(): EditorContext;
  /** Whether anything may be told of a file (sharing policy, paused sharing). */
  mayName(path: string): boolean;
  /** The agent finished its handshake: context and mentions may be sent after `contextDelayMs`. */
  ready(): void;
  /** The agent told its name, version or process id (for status views). */
  describe(facts: { readonly version?: string; readonly pid?: number }): void;
  /** Shows a warning to the user in the editor, each sentence once. `values`: what was put into it, for translations. */
  tellUser(code: string, sentence: string, values: Readonly<Record<string, string>>): void;
  /** Settings and folders for tools that answer about the workspace. */
  folders(): readonly string[];
  /** A path from an agent, checked: throws PatchbayError `path-refused` with a sentence that may be sent. */
  checkPath(path: string): Promise<{ readonly inside: boolean; readonly exists: boolean }>;
}

export interface SessionDiffs {
  /**
   * Starts a review. Returns as soon as the proposal is registered; the view opens in the background. Throws PatchbayError
   * (`path-refused`, `too-large`, `invalid-argument`) before anything is opened. A second proposal for a handle that is
   * open with equal text is the first one again; with another text it takes its place, keeping what the user typed as a draft.
   */
  open(input: ProposalInput): Promise<OpenedProposal>;
  /** The agent's terminal decided, or the agent wants the view gone. Undefined: no such proposal and no undelivered outcome. `text` is the final text. */
  close(
    handle: string,
    options: { readonly notify: boolean },
  ): Promise<{ readonly text: string; readonly edited: boolean } | undefined>;
  /** Closes every open proposal of this session; says how many. */
  closeAll(): Promise<number>;
}

export interface OpenedProposal {
  readonly id: string;
  readonly kind: "create" | "change" | "delete";
  /** Resolves exactly once with how it ended; never rejects. */
  readonly outcome: Promise<DiffOutcome>;
  /** Resolves when the view is shown (or will not be); rejects with PatchbayError `host-failed` when the editor failed (F06). */
  readonly shown: Promise<void>;
  /** The agent has cancelled its call and waits no longer: as if it had gone. Nothing happens once it has ended. */
  abandon(): void;
}
