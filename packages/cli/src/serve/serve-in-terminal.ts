import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import {
  type Companion,
  createCompanion,
  messageOf,
  type Platform,
  readAgentSettings,
  type SessionInfo,
} from "@patchbay/core";
import type { ServeCommand } from "../command-line.ts";
import { askingWords } from "../doctor/finding-words.ts";
import { HeadlessHost } from "../host/headless-host.ts";
import { TerminalReview } from "../review/terminal-review.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import { Screen, type ScreenStreams } from "../terminal/screen.ts";
import { sessionName } from "./describe-session.ts";
import { openFile, runServeCommand } from "./serve-commands.ts";
import { stateDirectory } from "./state-directory.ts";
import { program } from "../own-command.ts";

export interface ServeInTerminalOptions {
  readonly command: ServeCommand;
  /** Absolute, real. */
  readonly folder: string;
  readonly platform: Platform;
  readonly streams: ScreenStreams;
  readonly paint: Paint;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted: the process is asked to end. */
  readonly signal: AbortSignal;
  /** Told of the companion as soon as there is one, for the last synchronous moment of the process. */
  readonly onCompanion?: (companion: Companion) => void;
  /** Names of other editors that serve the folder. */
  readonly others: readonly string[];
}

/** Serves a folder and reviews its proposals in a terminal until the user ends it. */
export async function serveInTerminal(options: ServeInTerminalOptions): Promise<void> {
  const { command, folder, platform, paint, environment, signal } = options;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const screen = new Screen(options.streams, {
    line: (text) => review.line(text),
    interrupt: () => review.line("q"),
    end: finish,
  });
  const print = (text: string): void => screen.print(text);
  const host: HeadlessHost = new HeadlessHost({
    folder,
    storageDirectory: stateDirectory(platform.process, folder),
    ask: async (message) => await review.ask(message),
    keep: async (text, likePath) =>
      print(`Text that has lost its agent is kept in ${escapeLine(keepText(text, likePath))}`),
  });
  const companion = createCompanion({
    host,
    platform,
    ...(command.port === undefined ? {} : { port: command.port }),
  });
  const review: TerminalReview = new TerminalReview({
    queue: host.diffs,
    screen,
    paint,
    folder,
    environment,
    difftool: command.difftool,
    monotonic: () => platform.clock.monotonic(),
    command: (line) => runServeCommand(line, { companion, host, folder, print, review: (id) => review.review(id) }),
    quit: finish,
  });
  options.onCompanion?.(companion);
  for (const place of command.open) openFile(place, { host, folder, print });
  const advise = adviser(options, print);
  const sessions = companion.onDidChangeSessions(tellSessions(companion, print, advise));
  signal.addEventListener("abort", finish, { once: true });
  try {
    screen.open();
    await companion.start();
    greet(companion, options, print);
    review.start();
    if (!signal.aborted) await finished;
  } finally {
    sessions.dispose();
    signal.removeEventListener("abort", finish);
    screen.ask("");
    await companion.stop();
    review.dispose();
    screen.close();
  }
}

function greet(companion: Companion, options: ServeInTerminalOptions, print: (text: string) => void): void {
  if (companion.state.kind !== "listening") return;
  const { folder, paint, others } = options;
  const { port, warnings } = companion.state;
  print(`${paint.strong(`Patchbay serves ${escapeLine(folder)}`)} on port ${port}.`);
  for (const warning of warnings) print(paint.bad(escapeLine(warning)));
  for (const other of others) print(paint.bad(`${escapeLine(other)} serves it too; an agent connects to one of them.`));
  print("Gemini CLI, Qwen Code and Claude Code find it from that folder. In another terminal:");
  const variables = `eval "$(${program} env${others.length === 0 ? "" : ` --port ${port}`})"`;
  const claude = "claude --permission-mode manual";
  print(
    `  ${paint.place(escapeLine(variables))}  and then  ${paint.place("gemini")}, ${paint.place("qwen")} or ${paint.place(claude)}`,
  );
  print(paint.faint("Type help for the commands, quit to end."));
}

/** Says who comes and who goes, each once. */
function tellSessions(
  companion: Companion,
  print: (text: string) => void,
  advise: (dialect: string) => void,
): () => void {
  const known = new Map<string, { readonly state: SessionInfo["state"]; readonly name: string }>();
  return () => {
    const { sessions } = companion;
    for (const session of sessions) {
      const { id, state, dialect } = session;
      if (state === "connecting" || known.get(id)?.state === state) continue;
      const isNew = !known.has(id);
      known.set(id, { state, name: sessionName(session) });
      if (state === "away") print(`${sessionName(session)} is away.`);
      else print(`${sessionName(session)} ${isNew ? "has connected" : "is back"}.`);
      if (isNew) advise(dialect);
    }
    for (const [id, { state, name }] of Array.from(known)) {
      if (sessions.some((session) => session.id === id)) continue;
      known.delete(id);
      // Of one that was away this has been said.
      if (state !== "away") print(`${name} has gone.`);
    }
  };
}

/** Tells once per agent that its settings keep it from asking, so that nobody waits for changes that never come. */
function adviser(options: ServeInTerminalOptions, print: (text: string) => void): (dialect: string) => void {
  const { platform, folder, paint } = options;
  const advised = new Set<string>();
  return (dialect) => {
    if (advised.has(dialect)) return;
    advised.add(dialect);
    readAgentSettings(platform, folder).then(
      (settings) => {
        for (const { text, fix } of askingWords(settings, dialect)) {
          print(paint.faint(escapeLine(`If you see no changes: ${text}${fix === undefined ? "" : ` Type: ${fix}`}`)));
        }
      },
      (error: unknown) => print(escapeLine(messageOf(error))),
    );
  };
}

/** Puts text where only this user can read it. */
function keepText(text: string, likePath: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "patchbay-kept-")), basename(likePath));
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
  return path;
}
