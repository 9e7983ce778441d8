import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Companion,
  createCompanion,
  createNodePlatform,
  DisposableStore,
  formatLogLine,
  type Logger,
  messageOf,
  type StopOptions,
} from "@patchbay/core";
import type { ExtensionContext } from "coc.nvim";
import { version } from "../package.json";
import { registerCommands, registerLists } from "./commands/commands.ts";
import { readEditorFacts, watchEditor } from "./host/editor-facts.ts";
import { createIdentity, createVimHost, keepTerminalEnvironment } from "./host/vim-host.ts";
import { claimStorageSlot } from "./host/storage-slot.ts";
import type { PanelSlot } from "./panel/vim-panel.ts";
import { readSettings } from "./settings.ts";
import { createLazyTurns } from "./turns/lazy-turns.ts";
import { showStatus } from "./status-line.ts";
import { type Coc, createCocServices, createCocVim } from "./vim/coc-vim.ts";
import { asText } from "./vim/shape.ts";

export interface RunningExtension {
  /** Ends the companion and everything around it. With `reload` reviews stay on the screen for the next start. */
  stop(options?: StopOptions): Promise<void>;
  /** For the last synchronous moment of the process. */
  removeRecordsSync(): void;
}

/** The composition root: puts the companion together for this editor, and takes it apart with it. */
export async function startExtension(coc: Coc, context: ExtensionContext): Promise<RunningExtension> {
  const logger = createLogger(context);
  const report = (error: unknown): void => logger.error("Something failed", { reason: messageOf(error) });
  const store = new DisposableStore();
  const vim = createCocVim(coc);
  const services = createCocServices(coc);
  const platform = createNodePlatform();
  const settings = (): ReturnType<typeof readSettings> => {
    const configuration = coc.workspace.getConfiguration("patchbay");
    // A folder's own settings come with a repository, which could loosen what is reviewed, and name programs.
    const own = (name: string): unknown => configuration.inspect<unknown>(name)?.globalValue;
    return readSettings((name) =>
      name === "reviews" || name === "panel.agents" ? own(name) : configuration.get<unknown>(name),
    );
  };

  await ensureRuntimePath(coc, context.extensionPath);
  const facts = readEditorFacts(await vim.call("patchbay#start"));
  let l10n = { t: (text: string): string => text };
  if (!isEnglish(process)) {
    const language = await import("./user-language.ts");
    language.speak(join(context.extensionPath, "lib"), vim);
    ({ l10n } = language);
  }
  const mark = (await platform.process.startMark(facts.pid)) ?? "";
  const parent = await platform.process.parentOf(facts.pid);
  const storageDirectory = await claimStorageSlot({
    root: context.storagePath,
    workspace: facts.directory,
    editor: { pid: facts.pid, mark },
    isRunning: async (owner) =>
      platform.process.isAlive(owner.pid) && (await platform.process.startMark(owner.pid)) === owner.mark,
  }).catch((error: unknown) => {
    logger.warn("Nothing is kept across restarts", { reason: messageOf(error) });
    return undefined;
  });

  const identity = {
    ...createIdentity(facts, parent, version, tmpdirOfSystem()),
    editorKey: `${facts.pid}-${mark}`,
  };
  const parts = store.add(
    createVimHost({
      vim,
      coc: services,
      clock: platform.clock,
      logger,
      settings,
      facts,
      identity,
      storageDirectory,
    }),
  );
  const turns = createLazyTurns(
    async (onChange) => {
      const { AgentChanges } = await import("./turns/agent-changes.ts");
      return new AgentChanges({
        ...parts,
        platform,
        logger,
        vim,
        coc: services,
        companion,
        directory: facts.directory,
        showsSigns: () => settings().turnSigns,
        onChange,
      });
    },
    () => settings().agentChanges,
    report,
  );
  const companion = createCompanion({
    host: parts.host,
    platform,
    logger,
    settings: settings().companion,
    turns: turns.witness,
  });
  store.add(
    coc.commands.registerCommand(
      "patchbay.event",
      (kind: unknown, subject: unknown, detail: unknown) => parts.report(asText(kind), asText(subject), detail),
      undefined,
      true,
    ),
  );
  store.add(
    coc.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("patchbay")) companion.updateSettings(settings().companion);
    }),
  );
  const panel: PanelSlot = {};
  store.add(showStatus({ coc, vim, notice: services.notice, companion, turns, settings, panel, logger }));
  const hookProgram = join(context.extensionPath, "lib", "patchbay-hook.cjs");
  const wired = {
    coc,
    vim,
    companion,
    turns,
    parts,
    settings,
    facts,
    identity,
    storageDirectory,
    hookProgram,
    logger,
    panel,
  };
  store.add(registerLists(wired, l10n));
  store.add(registerCommands(wired));
  store.add(announceConnections());
  store.add(keepTerminalEnvironment(vim, companion));

  const end = async (options: StopOptions | undefined): Promise<void> => {
    // Reviews stay on the screen and the editor may be waiting for this very process: nothing is asked of it.
    if (options?.reload === true) parts.abandon();
    await Promise.all([companion.stop(options), panel.current?.close()]);
    await turns.close();
    store.dispose();
  };
  // oxlint-disable-next-line patchbay/no-kept-promise -- There is one end, and no second one after it.
  let stopping: Promise<void> | undefined;
  const stop = (options?: StopOptions): Promise<void> => {
    stopping ??= end(options);
    return stopping;
  };
  const unlink = async (variables: Companion["environment"]): Promise<void> => {
    const { unlinkTmux } = await import("./commands/tmux-unlink.ts");
    unlinkTmux(variables);
  };
  const leave = (): Promise<void> => {
    // Nothing can be shown any more, and the editor waits.
    parts.abandon();
    companion.removeRecordsSync();
    if (facts.tmuxServer !== undefined) unlink(companion.environment).catch(report);
    return stop();
  };
  // Waited for by the editor for up to a second: agents get to know that nobody will decide any more.
  store.add(
    coc.workspace.registerAutocmd({ event: "VimLeavePre", request: true, callback: () => leave().catch(report) }),
  );
  store.add(
    watchEditor({
      pid: facts.pid,
      isAlive: (pid) => platform.process.isAlive(pid),
      clock: platform.clock,
      onGone: () => {
        logger.warn("The editor is gone; the agents are told");
        void leave().catch(report);
      },
    }),
  );
  if (settings().agentChanges) {
    void import("./turns/turns-before.ts")
      .then(({ wakeTurns }) => wakeTurns(platform, facts.directory, turns))
      .catch(report);
  }
  void import("./commands/hooks.ts")
    .then(({ repairAtStart }) => repairAtStart(platform, hookProgram, (line) => logger.warn(line)))
    .catch(report);
  const tellNotStarted = async (error: unknown): Promise<void> => {
    const { noticeLines } = await import("./host/vim-messages.ts");
    services.notice("error", noticeLines(messageOf(error), undefined, services.columns()), []).clicked.catch(report);
  };
  companion.start().catch(tellNotStarted).catch(report);
  return {
    stop,
    removeRecordsSync: () => {
      panel.current?.endNow();
      companion.removeRecordsSync();
    },
  };

  function announceConnections(): { dispose(): void } {
    let known: ReadonlySet<string> = new Set();
    return companion.onDidChangeSessions(() => {
      const connected = companion.sessions.filter((session) => session.state === "connected");
      for (const session of connected) {
        if (!known.has(session.id))
          vim.notify("patchbay#announce", ["PatchbayConnected", { agent: session.agentName }]);
      }
      known = new Set(connected.map((session) => session.id));
    });
  }
}

/**
 * An extension that coc installed is not on Vim's 'runtimepath', where its functions and its help are looked for. Its own
 * folder must not be put there: coc would take it for another extension and start it once more. So a copy below lib is.
 */
async function ensureRuntimePath(coc: Coc, extensionPath: string): Promise<void> {
  const { nvim } = coc.workspace;
  const found = await nvim.eval("globpath(&runtimepath, 'autoload/patchbay/review.vim', 0, 1)");
  if (Array.isArray(found) && found.length > 0) return;
  const escaped = asText(await nvim.call("fnameescape", [join(extensionPath, "lib", "vim")]));
  await nvim.command(`set runtimepath+=${escaped.replaceAll(",", "\\,")}`);
  await nvim.command(`silent! helptags ${escaped}/doc`);
}

/** coc gives its own process the editor's private directory as temporary directory, where no agent looks. */
function tmpdirOfSystem(): string {
  return process.platform === "win32" ? tmpdir() : "/tmp";
}

/** Nothing of other languages is loaded then. */
function isEnglish({
  env: { LC_ALL, LC_MESSAGES, LANG },
  platform,
}: Pick<NodeJS.Process, "env" | "platform">): boolean {
  // On Windows the system says it otherwise.
  const unknown = platform === "win32" ? "" : "en";
  return /^(?:en|C|POSIX)(?![a-z])/u.test(LC_ALL || LC_MESSAGES || LANG || unknown);
}

function createLogger(context: ExtensionContext): Logger {
  const log =
    (severity: "debug" | "info" | "warn" | "error"): Logger["info"] =>
    (message, fields) =>
      context.logger[severity](formatLogLine(message, fields));
  return { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
}
