import type { ClientFacts, SessionServices } from "../agents/dialect.ts";
import type { ContextTracker } from "../context/context-tracker.ts";
import type { DiffRegistry } from "../diff/diff-registry.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Platform } from "../platform/platform.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { titleOf } from "../support/text.ts";
import type { Logger } from "../support/logger.ts";
import { type CheckedPath, checkPath, type RealDirectories } from "./path-check.ts";
import type { Session } from "./session.ts";

/** What all sessions of a run work with. */
export interface SessionSurroundings {
  readonly host: EditorHost;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly tracker: ContextTracker;
  readonly diffs: () => DiffRegistry;
  /** Workspace folders with links resolved. */
  readonly realFolders: () => Promise<readonly string[]>;
}

export interface SessionServicesOptions extends SessionSurroundings {
  readonly directories: RealDirectories;
  /** Whether the session has not ended. */
  readonly isHere: (session: Session) => boolean;
  /** Something is shown for the session: its process is worth knowing. */
  readonly identify: (session: Session) => void;
  /** The agent has told its version or process id. */
  readonly onDidDescribe: () => void;
}

/** What the engine of one session may do: with its own proposals, and with the context. */
export function createSessionServices(
  session: Session,
  client: ClientFacts | undefined,
  options: SessionServicesOptions,
): SessionServices {
  const { host, platform, logger, tracker, diffs, realFolders, directories, isHere, identify } = options;
  const order = new OpensInOrder();
  const told = new Set<string>();
  const check = (path: string): Promise<CheckedPath> =>
    checkPath(path, {
      files: platform.files,
      realFolders,
      isWindows: platform.process.platform === "win32",
      directories,
    });
  return {
    sessionId: session.id,
    client,
    serverInfo: { name: "patchbay", version: host.identity.version },
    host,
    platform,
    logger,
    context: () => tracker.current(),
    mayName: (path) => tracker.mayName(path),
    folders: () => host.workspace.folders(),
    ready: () => session.becameReady(),
    describe: ({ version, pid, title }) => {
      if (title !== undefined) session.title = titleOf(title);
      if (version !== undefined) session.version = version;
      if (pid !== undefined) session.pid = pid;
      if (diffs().hasLeft) identify(session);
      options.onDidDescribe();
    },
    tellUser: (code, text, values) => {
      if (told.has(text)) return;
      told.add(text);
      host.messages
        .show({ code, severity: "warning", text, actions: [], values: { ...values, agent: session.dialect.agentName } })
        .catch((error: unknown) => logger.warn("A message could not be shown", { code, reason: messageOf(error) }));
    },
    checkPath: check,
    diffs: {
      open: (input, { isReadOnly = false } = {}) =>
        order.open(async () => {
          const facts = { ...openingFacts(await check(input.path), input.text), isReadOnly };
          if (!isHere(session)) throw new PatchbayError("stopped", "The session has ended.");
          identify(session);
          return { ...diffs().open(session.owner, input, facts), kind: facts.kind };
        }),
      close: (handle, { notify }) => order.after(() => diffs().closeByAgent(session.owner, handle, { notify })),
      closeAll: () => order.after(() => diffs().closeAllOfSession(session.owner)),
    },
  };
}

/** What a proposal is about, once its path has been checked. */
export function openingFacts(
  { inside, exists, size, modifiedMs, real, facts }: CheckedPath,
  text: string,
): Parameters<DiffRegistry["open"]>[2] {
  const kind = !exists ? "create" : text === "" && size > 0 ? "delete" : "change";
  return { inside, kind, real, fileState: `${size} ${modifiedMs}`, checked: { facts } };
}

/**
 * Opens of one session that are still checking their path. A close that an agent sends right after an open must find what
 * it closes: without this order the view would come up afterwards and wait for a verdict that nobody asks for.
 */
export class OpensInOrder {
  readonly #opening: Set<Promise<unknown>> = new Set();

  open<T>(work: () => Promise<T>): Promise<T> {
    const opened = work();
    const settled: Promise<unknown> = opened.then(
      () => this.#opening.delete(settled),
      () => this.#opening.delete(settled),
    );
    this.#opening.add(settled);
    return opened;
  }

  /** Runs when every open that was asked for before has been registered or refused. */
  async after<T>(work: () => Promise<T>): Promise<T> {
    if (this.#opening.size > 0) await Promise.all(this.#opening);
    return work();
  }
}
