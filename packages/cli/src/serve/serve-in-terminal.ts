import {
  agents,
  type Companion,
  createCompanion,
  DisposableStore,
  type Event,
  messageOf,
  onAbort,
  type Platform,
  type SessionInfo,
} from "@patchbay/core";
import type { ServeCommand } from "../command-line.ts";
import { HeadlessHost, serveDirectory } from "../host/headless-host.ts";
import { TerminalReview } from "../review/terminal-review.ts";
import { escapeLine, escapeText } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import { Screen, type ScreenStreams } from "../terminal/screen.ts";
import { Advice, argumentsOf } from "./advice.ts";
import { openFile, runServeCommand, saveKept, sessionName } from "./serve-commands.ts";
import { program, shellWords } from "../own-command.ts";
import { openLedgers } from "../turns/turn-commands.ts";
import { tryReview } from "./try-review.ts";

export interface ServeInTerminalOptions {
  readonly command: ServeCommand;
  /** Absolute, real. */
  readonly folder: string;
  readonly platform: Platform;
  readonly streams: ScreenStreams;
  readonly paint: Paint;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Stops the job this process belongs to, at Ctrl+Z. */
  readonly suspend: () => void;
  /** The job goes on after it was stopped. */
  readonly onDidContinue: Event<void>;
  /** Aborted: the process is asked to end. */
  readonly signal: AbortSignal;
  /** Told of the companion as soon as there is one, for the last synchronous moment of the process. */
  readonly onCompanion?: (companion: Companion) => void;
  /** Names of other editors that serve the folder. */
  readonly others: readonly string[];
  /** Begins with a made-up proposal. */
  readonly trial?: boolean;
}

/** Serves a folder and reviews its proposals in a terminal until the user ends it. */
export async function serveInTerminal(options: ServeInTerminalOptions): Promise<void> {
  const { command, folder, platform, paint, environment, signal } = options;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const screen = new Screen({
    streams: options.streams,
    clock: platform.clock,
    suspend: options.suspend,
    handlers: {
      line: (text) => review.line(text),
      complete: (text) => review.complete(text),
      emptied: () => review.emptied(),
      interrupt: () => review.line("q"),
      end: finish,
    },
  });
  const print = (text: string): void => screen.print(text);
  const host: HeadlessHost = new HeadlessHost({
    folder,
    storageDirectory: serveDirectory(platform.process, folder),
    ask: async (message) => await review.ask(message),
  });
  const turns = openLedgers(platform, [folder], {
    mayKeep: (path) => companion.mayName(path),
    tellUser: async (message) => await host.messages.show(message),
  });
  const companion: Companion = createCompanion({
    host,
    platform,
    turns,
    ...(command.port === undefined ? {} : { port: command.port }),
    ...(command.reviews === undefined ? {} : { settings: { reviews: { "*": command.reviews } } }),
  });
  const begin = (): void => void tryReview({ companion, platform, screen, paint });
  const review: TerminalReview = new TerminalReview({
    queue: host.diffs,
    screen,
    paint,
    folder,
    environment,
    difftool: command.difftool,
    monotonic: () => platform.clock.monotonic(),
    command: (line) =>
      runServeCommand(line, { companion, host, folder, print, review: (id) => review.review(id), tryReview: begin }),
    accept: async (id) => await companion.accept(id),
    hunks: {
      list: async (id) => await companion.hunks(id),
      decide: async (id, verdict, line) => await companion.decideHunk(id, verdict, line),
      undo: async (id) => await companion.undoHunk(id),
    },
    rejectWithReason: async (id, reason) => await rejectWithReason(companion, id, reason),
    rejectCommand: (id, reason) => void companion.commands?.answer(id, "reject", reason),
    kept: {
      has: (id) => companion.keptTexts.some((text) => text.id === id),
      save: async (id) => {
        const path = companion.keptTexts.find((text) => text.id === id)?.path ?? folder;
        return await saveKept(id, path, { companion, folder }).catch((error: unknown) => escapeText(messageOf(error)));
      },
    },
    quit: finish,
  });
  options.onCompanion?.(companion);
  for (const place of command.open) print(openFile(place, { host, folder }).text);
  const advise = (text: string): void => print(paint.faint(escapeLine(text)));
  const advice = new Advice({ platform, folder, companion, print: advise, argumentsOf });
  const store = new DisposableStore();
  store.add(advice);
  store.add(companion.onDidChangeSessions(tellSessions(companion, print, advice)));
  store.add(options.onDidContinue(() => screen.resume()));
  store.add(onAbort(signal, finish));
  try {
    screen.open();
    await companion.start();
    greet(companion, options, screen);
    review.start();
    void companion.restored.then(() => tellKept(companion, print));
    if (options.trial === true) begin();
    if (!signal.aborted) await finished;
  } finally {
    store.dispose();
    screen.ask("");
    await companion.stop();
    await turns.settled();
    turns.dispose();
    review.dispose();
    screen.close();
  }
}

function greet(companion: Companion, options: ServeInTerminalOptions, screen: Screen): void {
  if (companion.state.kind !== "listening") return;
  const { folder, paint, others } = options;
  const { port, warnings } = companion.state;
  screen.print(`${paint.strong(`Patchbay is serving ${escapeLine(folder)}`)} on port ${port}.`);
  for (const warning of warnings) screen.print(paint.bad(escapeLine(warning)));
  for (const other of others) {
    screen.print(paint.bad(`${escapeLine(other)} has this folder open too; each agent connects to only one of them.`));
  }
  screen.print("In another terminal, in that folder, start an agent:");
  // As they are, so that they can be copied.
  if (others.length > 0) {
    screen.printLines(`  ${paint.place(escapeLine(shellWords.evaluate(`${program} env --port ${port}`)))}`);
    screen.print("and then one of:");
  }
  for (const { id } of agents) screen.printLines(`  ${paint.place(escapeLine(`${program} run ${id}`))}`);
  screen.print(paint.faint("Type try for a review without an agent, help for the commands, quit to exit."));
}

/** Who asked by a hook waits for the answer, and the reason is part of it; nobody else can be told from here. */
async function rejectWithReason(companion: Companion, id: string, reason: string): Promise<string> {
  const proposal = companion.proposals.find((one) => one.id === id);
  const isTold = proposal?.readsReasons === true;
  const isRejected = await companion.reject(id, reason).catch(() => false);
  if (proposal === undefined || !isRejected) return "It is not waiting any more.";
  const agent = escapeLine(proposal.agentName);
  return isTold ? `${agent} reads why.` : `${agent} cannot be told why from here: tell it in its own terminal.`;
}

/** What is left of an earlier run is easily forgotten. */
function tellKept({ keptTexts }: Companion, print: (text: string) => void): void {
  if (keptTexts.length === 0) return;
  const texts =
    keptTexts.length === 1
      ? "A text of yours that no agent took is"
      : `${keptTexts.length} texts of yours that no agent took are`;
  print(`${texts} kept. Type: kept`);
}

/** Says who comes and who goes, each once. */
function tellSessions(companion: Companion, print: (text: string) => void, advice: Advice): () => void {
  const known = new Map<string, { readonly state: SessionInfo["state"]; readonly name: string }>();
  return () => {
    const { sessions } = companion;
    for (const session of sessions) {
      const { id, state } = session;
      if (state === "connecting" || known.get(id)?.state === state) continue;
      const isNew = !known.has(id);
      known.set(id, { state, name: sessionName(session) });
      if (state === "away") print(`${sessionName(session)} is away.`);
      else print(`${sessionName(session)} ${isNew ? "has connected" : "is back"}.`);
      if (isNew) advice.connected(session);
    }
    for (const [id, { state, name }] of Array.from(known)) {
      if (sessions.some((session) => session.id === id)) continue;
      known.delete(id);
      // Of one that was away this has been said.
      if (state !== "away") print(`${name} has disconnected.`);
    }
  };
}
