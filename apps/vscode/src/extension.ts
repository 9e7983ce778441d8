import { type Companion, createCompanion, type EditorHost, inBackground, messageOf } from "@patchbay/core";
import { readTexts } from "@patchbay/languages/node";
import { commands, env, extensions, Uri, window } from "vscode";
import { createRestoration, LazyReviews } from "./diff/lazy-reviews.ts";
import type { EditionContext } from "./edition-context.ts";
import { createHost } from "./host/host.ts";
import { OutputLog } from "./host/log.ts";
import { commandIds, loadLater, loadTrial, registerLazily, trialCommandIds } from "./lazy.ts";
import { type LazyPanel, registerPanel } from "./panel/register-panel.ts";
import { Grouping, Sharing, WorkspaceSettings } from "./settings.ts";
import { useTexts } from "@patchbay/languages/spoken";
import { registerTerminalEnvironment } from "./terminals/terminal-environment.ts";
import { LazyTurns } from "./turns/lazy-turns.ts";
import { registerViews } from "./views/register-views.ts";

/** After about this long a reloaded window's extension host listens again (3 to 7 s were seen). */
const comeBackMs = 4_500;

/** So long after its start nothing is loaded that can wait. */
const calmMs = 2_000;

let running: { readonly companion: Companion; readonly panel: LazyPanel; readonly turns: LazyTurns } | undefined;

/** Puts the edition together: VS Code's side as a host, the companion behind it, and the commands and views before it. */
export async function activate(context: EditionContext): Promise<void> {
  const reason = reasonNotToServe();
  if (reason !== undefined) {
    const channel = window.createOutputChannel("Patchbay", "log");
    context.subscriptions.push(channel);
    channel.appendLine(reason);
    // Its commands and views would lead nowhere.
    await commands.executeCommand("setContext", "patchbay.silent", true);
    return;
  }
  try {
    await serve(context);
  } catch (error) {
    await (await loadLater()).tellFailure(messageOf(error));
  }
}

/** VS Code waits a few seconds for this. It does not say whether the window comes back, so everything is kept for it. */
export async function deactivate(): Promise<void> {
  const ending = running;
  running = undefined;
  // Both take their time: agents are asked to end, and what was said is written.
  await Promise.all([ending?.companion.stop({ reload: true, comeBackMs }), ending?.panel.close()]);
  // What the end of the companion said is in hand by now.
  await ending?.turns.close();
}

async function serve(context: EditionContext): Promise<void> {
  useTexts(readTexts(Uri.joinPath(context.extensionUri, "dist", "languages").fsPath, env.language));
  const own = (disposable: { dispose(): unknown }): void => {
    context.subscriptions.push(disposable);
  };
  const settings = new WorkspaceSettings();
  const channel = window.createOutputChannel("Patchbay", "log");
  const logger = new OutputLog(channel, settings);
  own(settings);
  // First: what is ended later may still want to log.
  own(logger);
  own(channel);

  const restoration = createRestoration();
  const handOver = async (text: string, likePath: string): Promise<void> =>
    await host.documents?.openUntitled?.(text, likePath);
  const sessions = (): Companion | undefined => running?.companion;
  const reviews = new LazyReviews({ settings, logger, restored: restoration.done, sessions, handOver, own });
  const host: EditorHost = createHost(context, versionOf(context), reviews, own);
  const { exclude, shareSelection, openReviews, reviews: policies } = settings;
  const shared = { exclude, shareSelection, openReviews, reviews: policies };
  const turns = new LazyTurns({
    folders: () => host.workspace.folders(),
    settings,
    logger,
    services: () => ({ companion, host, settings }),
  });
  own(turns);
  const companion = createCompanion({
    host,
    logger,
    turns,
    settings: shared,
    // Codex's own extension answers there, wherever it is installed.
    leavesQuestionsOf: () => (extensions.getExtension("openai.chatgpt") === undefined ? [] : ["codex"]),
  });
  const sharing = new Sharing(companion, settings, context.workspaceState);
  const { extensionUri } = context;
  const sharesSelection = (): boolean => !sharing.paused && settings.shareSelection;
  const panel = registerPanel({
    companion,
    host,
    logger,
    turns,
    extensionUri,
    version: versionOf(context),
    sharesSelection,
  });
  own(panel);
  running = { companion, panel, turns };

  own(sharing);
  const shown = registerViews({
    companion,
    editors: host.editors,
    sharing,
    settings,
    grouping: new Grouping(context.workspaceState),
    reviewOf: (id) => reviews.views?.review(id),
    logger,
  });
  own(shown);
  const { list } = shown;
  const services = { companion, settings, sharing, channel, extensionUri, views: () => reviews.views, list };
  own(
    registerLazily(commandIds, async () => {
      const { registerCommands } = await loadLater();
      return () => registerCommands(services);
    }),
  );
  own(
    registerLazily(trialCommandIds, async () => {
      const { registerTryReview } = await loadTrial();
      return () => registerTryReview(companion);
    }),
  );
  own(registerTerminalEnvironment(context.environmentVariableCollection, companion, settings));

  // The last moment of the process has no time for promises.
  const leaveNothing = (): void => {
    companion.removeRecordsSync();
    panel.endNow();
  };
  process.once("exit", leaveNothing);
  own({ dispose: () => process.removeListener("exit", leaveNothing) });

  logger.info("Starting", { version: versionOf(context), editor: env.appName });
  try {
    await companion.start();
    await companion.restored;
    void turns.wake();
    const warn = (line: string): void => logger.warn(line);
    const repair = async (): Promise<void> => await (await loadLater()).repairAtStart(extensionUri, warn);
    const begin = inBackground(logger);
    const timer = setTimeout(() => void begin(repair, "The commands of hooks cannot be repaired"), calmMs);
    own({ dispose: () => clearTimeout(timer) });
  } finally {
    restoration.finish();
  }
}

function versionOf(context: EditionContext): string {
  const manifest: unknown = context.extension.packageJSON;
  const versioned = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return versioned && typeof manifest.version === "string" ? manifest.version : "0.0.0";
}

/** Set by Patchbay's own Theia extension for the plug-in hosts of its windows: the editor, and the process that starts them. */
const nativeMarker = "PATCHBAY_NATIVE_EDITION";

/**
 * Why this edition stays silent in this window, or undefined where it serves. In a Theia application that has the native
 * edition, that one is the better one, and two would announce one window twice.
 */
export function reasonNotToServe(): string | undefined {
  // A VS Code that was started from a terminal of Theia has the variable from there, and another parent.
  if (process.env[nativeMarker] !== `theia:${process.ppid}`) return undefined;
  return `The native Patchbay edition of ${env.appName} serves this window.`;
}
