import { fileURLToPath } from "node:url";
import {
  type Clock,
  type Companion,
  type DiffOpening,
  type DiffRequest,
  type DiffViewEvents,
  type Disposable,
  DisposableStore,
  type EditorHost,
  type HostDiffs,
  type HostDocuments,
  type HostIdentity,
  type HostMessage,
  limitText,
  inBackground,
  LoadOnce,
  type Logger,
  messageOf,
} from "@patchbay/core";
import type { VimDiffs, VimDiffsOptions } from "../diff/vim-diffs.ts";
import type { ExtensionSettings } from "../settings.ts";
import { asBoolean } from "../vim/shape.ts";
import type { CocServices, Vim } from "../vim/vim.ts";
import type { DocumentTextsOptions } from "./document-texts.ts";
import type { EditorFacts } from "./editor-facts.ts";
import { PendingQuestions } from "./pending-questions.ts";
import { VimEditors } from "./vim-editors.ts";
import { VimWorkspace } from "./vim-workspace.ts";

export interface VimHostOptions {
  readonly vim: Vim;
  readonly coc: CocServices;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: () => ExtensionSettings;
  readonly facts: EditorFacts;
  readonly identity: HostIdentity;
  readonly storageDirectory: string | undefined;
}

/** This editor behind the port of core, and the parts of it that commands use. */
export interface VimHost extends Disposable {
  readonly host: EditorHost;
  readonly editors: VimEditors;
  readonly workspace: VimWorkspace;
  readonly questions: PendingQuestions;
  /** Takes what `patchbay#tell()` says. */
  report(kind: string, subject: string, detail: unknown): void;
  /** The editor is about to end, or coc is: nothing more is asked of it. */
  abandon(): void;
}

/** Puts the host together and begins to listen. */
export function createVimHost(options: VimHostOptions): VimHost {
  const { vim, coc, clock, logger, settings, facts } = options;
  const onFailure = (error: unknown): void => logger.error("A listener failed", { reason: messageOf(error) });
  const store = new DisposableStore();
  const editors = store.add(new VimEditors({ vim, coc, clock, onFailure }));
  const workspace = store.add(new VimWorkspace(coc, facts.directory, onFailure));
  const questions = new PendingQuestions();
  const show = async (message: HostMessage | { readonly keptPath: string }): Promise<string | undefined> => {
    const { createVimMessages, textKept } = await import("./vim-messages.ts");
    const level = (): ExtensionSettings["notices"] => settings().notices;
    const told = "keptPath" in message ? textKept(message.keptPath) : message;
    return await createVimMessages(coc, questions, level, () => editors.invite(), logger).show(told);
  };
  const begin = inBackground(logger);
  const tellKept = (keptPath: string): void => void begin(() => show({ keptPath }), "A kept text cannot be shown");
  const diffs = store.add(
    new DiffsOnDemand({
      vim,
      clock,
      logger,
      settings: () => settings().review,
      folders: () => workspace.folders(),
      isDirty: (path) => editors.bufferOf(path)?.modified === true,
      isIdle: () => editors.isIdle(),
      announce: (name, about) => vim.notify("patchbay#announce", [name, about]),
    }),
  );
  editors.start(facts);
  workspace.start(vim);
  return {
    host: {
      identity: options.identity,
      workspace,
      editors,
      diffs,
      messages: { show },
      storageDirectory: options.storageDirectory,
      diagnostics: {
        read: async (...asked) => {
          const { createCocDiagnostics } = await import("./coc-diagnostics.ts");
          return await createCocDiagnostics(coc).read(...asked);
        },
        onDidChange: (listener) =>
          coc.onDidChangeDiagnostics((uri) => {
            if (uri.startsWith("file:")) listener({ paths: [fileURLToPath(uri)] });
          }),
      },
      documents: createVimDocuments({
        vim,
        coc,
        editors,
        onKept: tellKept,
        later: () => new Promise((resolve) => void clock.setTimeout(resolve, 150)),
      }),
    },
    editors,
    workspace,
    questions,
    report: (kind, subject, detail) => {
      if (kind !== "unsaved") {
        diffs.report(kind, subject, detail);
        return;
      }
      tellKept(subject);
    },
    abandon: () => diffs.abandon(),
    dispose: () => {
      questions.dismissAll();
      store.dispose();
    },
  };
}

/**
 * Who the agents see. From a `:terminal` older Gemini clients look under the editor's *parent*, from a tmux pane under the
 * tmux server (they take the grandparent of their shell); all others only want the editor to be alive.
 */
export function createIdentity(
  facts: Pick<EditorFacts, "pid" | "isNeovim" | "temporaryDirectory" | "tmuxServer">,
  parent: number | undefined,
  version: string,
  systemTemporaryDirectory: string,
): HostIdentity {
  const pids = [facts.pid, parent, facts.tmuxServer].filter((pid): pid is number => pid !== undefined && pid > 1);
  return {
    name: "coc-nvim",
    displayName: facts.isNeovim ? "Neovim" : "Vim",
    version,
    pids: [...new Set(pids)],
    temporaryDirectory: facts.temporaryDirectory ?? systemTemporaryDirectory,
  };
}

/** Keeps the companion's variables in the editor's environment, where each new terminal gets them from. */
export function keepTerminalEnvironment(
  vim: Pick<Vim, "notify">,
  companion: Pick<Companion, "environment" | "onDidChangeEnvironment">,
): Disposable {
  let set: Readonly<Record<string, string>> = {};
  const put = (variables: Readonly<Record<string, string>>): void => {
    const gone = Object.keys(set).filter((name) => !(name in variables));
    set = variables;
    if (gone.length > 0 || Object.keys(variables).length > 0) vim.notify("patchbay#environment", [variables, gone]);
  };
  put(companion.environment);
  return companion.onDidChangeEnvironment(() => put(companion.environment));
}

/** Opening, reading, changing and saving files in the editor for agents that ask for it, and for reviews. */
function createVimDocuments(options: DocumentTextsOptions): HostDocuments {
  const { vim, editors } = options;
  // Whoever only starts the editor does not pay for it.
  const texts = new LoadOnce(async () => {
    const { createDocumentTexts } = await import("./document-texts.ts");
    return createDocumentTexts(options);
  });
  return {
    open: async (request) => await (await texts.get()).open(request),
    isDirty: (path) => editors.bufferOf(path)?.modified,
    save: async (path) => {
      const buffer = editors.bufferOf(path);
      if (buffer === undefined) return false;
      const saved = asBoolean(await vim.call("patchbay#save", [buffer.number]));
      if (saved) editors.noteModified(buffer.number, false);
      return saved;
    },
    readText: async (path, limitBytes) => {
      const text = await (await texts.get()).upToDateText(path);
      return text === undefined ? undefined : limitText(text, limitBytes);
    },
    unsavedText: async (path) => await (await texts.get()).unsavedText(path),
    onDidChangeUnsaved: editors.onDidChangeUnsaved,
    decodeFile: async (path, bytes) => await (await texts.get()).decodeFile(path, bytes),
    reload: async (path, heldText) => await (await texts.get()).reload(path, heldText),
    write: async (path, heldText, text) => await (await texts.get()).write(path, heldText, text),
    languageId: (path) => {
      const type = editors.bufferOf(path)?.type;
      return type === undefined || type === "" ? undefined : type;
    },
  };
}

/** {@link VimDiffs}, loaded with the first proposal: whoever only starts the editor does not pay for reviews. */
class DiffsOnDemand implements HostDiffs, Disposable {
  readonly #options: VimDiffsOptions;
  readonly #diffs: LoadOnce<VimDiffs> = new LoadOnce(async () => {
    const { VimDiffs } = await import("../diff/vim-diffs.ts");
    return new VimDiffs(this.#options);
  });
  #abandoned = false;

  constructor(options: VimDiffsOptions) {
    this.#options = options;
  }

  async open(request: DiffRequest, events: DiffViewEvents): Promise<DiffOpening> {
    const diffs = await this.#diffs.get();
    if (this.#abandoned) diffs.abandon();
    return await diffs.open(request, events);
  }

  /** What Vim tells about a review; without one there is nobody to be told. */
  report(kind: string, id: string, text: unknown): void {
    this.#diffs.loaded?.report(kind, id, text);
  }

  /** The editor is about to end: views need not be taken away, and nothing more is asked of it. */
  abandon(): void {
    this.#abandoned = true;
    this.#diffs.loaded?.abandon();
  }

  dispose(): void {
    this.#abandoned = true;
    this.#diffs.loaded?.dispose();
  }
}
