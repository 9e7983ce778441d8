import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Companion, messageOf } from "@patchbay/core";
import { type Presence, presencesOf, promptPaste } from "@patchbay/core/presences";
import { plainLine } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";
import { withParents } from "./hooks.ts";

const run = promisify(execFile);

/** Runs tmux and gives what it prints. */
export async function runTmux(args: readonly string[]): Promise<string> {
  return (await run("tmux", args.slice())).stdout;
}

/** Where a text went that stands in an agent's prompt now, and was not sent. */
export type PromptPlace = "terminal" | "tmux";

export interface PromptServices {
  readonly companion: Companion;
  readonly vim: Vim;
  /** Runs tmux and gives what it prints; undefined: the editor does not run in it. */
  readonly tmux: ((args: readonly string[]) => Promise<string>) | undefined;
  readonly logger: { debug(message: string, fields: Readonly<Record<string, string>>): void };
}

/** How long an agent takes to close its question and show its prompt again, ms. */
const promptBackMs = 500;

/** Into the agent's own terminal, once its question is gone from there; undefined where it has none that can be reached, or asks again. */
export async function pasteOnceFree(
  services: PromptServices,
  { id }: Pick<Presence, "id">,
  text: string,
): Promise<PromptPlace | undefined> {
  await new Promise<void>((resolve) => setTimeout(resolve, promptBackMs));
  const presence = presencesOf(services.companion).find((one) => one.id === id);
  return presence === undefined ? undefined : await paste(services, presence, text);
}

/** Into the terminal of the agent that was active last, of those that take a prompt now; undefined where none can be reached. */
export async function pasteIntoLatest(
  services: PromptServices,
  text: string,
): Promise<{ readonly agentName: string; readonly place: PromptPlace } | undefined> {
  for (const presence of presencesOf(services.companion)) {
    const place = await paste(services, presence, text);
    if (place !== undefined) return { agentName: presence.agentName, place };
  }
  return undefined;
}

async function paste(
  { vim, tmux, logger }: PromptServices,
  presence: Presence,
  text: string,
): Promise<PromptPlace | undefined> {
  const keys = promptPaste(text, presence);
  if (keys === undefined || presence.processes.length === 0) return undefined;
  const processes = await withParents(presence.processes);
  if ((await vim.call("patchbay#hooks#paste", [processes, keys])) === 1) return "terminal";
  try {
    const pane = tmux === undefined ? undefined : paneOf(await tmux(panesWithProcesses), processes);
    if (tmux === undefined || pane === undefined) return undefined;
    await tmux(pasteArguments(pane, keys));
    return "tmux";
  } catch (error) {
    logger.debug("A text could not be put into a pane of tmux", { reason: messageOf(error) });
    return undefined;
  }
}

/** A pane of tmux in which a shell waits. */
export interface TmuxPane {
  /** E.g. `%3`. */
  readonly id: string;
  readonly title: string;
}

const shells: ReadonlySet<string> = new Set(["bash", "zsh", "sh", "dash", "ksh", "fish", "tcsh", "csh"]);

/** Arguments of tmux that list the panes of this session, for {@link readPanes}. */
export const listPanesArguments: readonly string[] = [
  "list-panes",
  "-s",
  "-F",
  "#{pane_id}\t#{pane_current_command}\t#{window_index}.#{pane_index}\t#{pane_current_path}",
];

/** Panes with a shell that waits for a command; into any other program the line would be typed as text. */
export function readPanes(output: string, own: string | undefined): readonly TmuxPane[] {
  return output.split("\n").flatMap((line) => {
    const [id = "", command = "", place = "", path = ""] = line.split("\t");
    if (!/^%\d+$/u.test(id) || id === own || !shells.has(command)) return [];
    return [{ id, title: plainLine(`${place}  ${command}  ${path}`) }];
  });
}

/** One tmux call for each variable: `set-environment` gives it to panes that are opened later. */
export function setEnvironmentArguments(variables: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  return Object.entries(variables).map(([name, value]) => ["set-environment", name, value]);
}

/**
 * The line that an existing pane needs once. It reads the variables from tmux, so it can be kept in a shell's
 * start-up file; nothing secret is among them.
 */
export function paneLine(variables: Readonly<Record<string, string>>): string {
  const names = Object.keys(variables).sort().join("|");
  return `eval "$(tmux show-environment -s | grep -E '^(${names})=')"`;
}

/** Types a line into a pane and runs it; the leading blank keeps it out of most shells' history. */
export function sendLineArguments(pane: string, line: string): readonly (readonly string[])[] {
  return [
    ["send-keys", "-t", pane, "-l", "--", ` ${line}`],
    ["send-keys", "-t", pane, "Enter"],
  ];
}

/** Arguments of tmux that list all panes with the process of each, for {@link paneOf}. */
const panesWithProcesses: readonly string[] = ["list-panes", "-a", "-F", "#{pane_id}\t#{pane_pid}"];

/** The pane in which one of these processes was started; undefined where there is none. */
function paneOf(output: string, processes: readonly number[]): string | undefined {
  for (const line of output.split("\n")) {
    const [id = "", pid = ""] = line.split("\t");
    if (/^%\d+$/u.test(id) && processes.includes(Number(pid))) return id;
  }
  return undefined;
}

/** Types a text into a pane, and no Enter. */
function pasteArguments(pane: string, text: string): readonly string[] {
  return ["send-keys", "-t", pane, "-l", "--", text];
}
