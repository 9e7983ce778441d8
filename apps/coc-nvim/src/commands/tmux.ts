import { plainLine } from "../vim/shape.ts";

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
export const panesWithProcesses: readonly string[] = ["list-panes", "-a", "-F", "#{pane_id}\t#{pane_pid}"];

/** The pane in which one of these processes was started; undefined where there is none. */
export function paneOf(output: string, processes: readonly number[]): string | undefined {
  for (const line of output.split("\n")) {
    const [id = "", pid = ""] = line.split("\t");
    if (/^%\d+$/u.test(id) && processes.includes(Number(pid))) return id;
  }
  return undefined;
}

/** Types a text into a pane, and no Enter. */
export function pasteArguments(pane: string, text: string): readonly string[] {
  return ["send-keys", "-t", pane, "-l", "--", text];
}
