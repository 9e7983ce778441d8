import { agents } from "@patchbay/core";

const overview = `Patchbay: what a terminal coding agent sees of your editor, without an editor.

Usage: patchbay <command>

  serve [folder]    be the editor for agents in a folder, and review their changes here
  env [folder]      print the variables that point agents in another terminal to the editor
  status            list the editors on this machine that agents can connect to
  doctor [folder]   say why an agent does not connect or shows no changes, and what to type

  --help            this text; with a command, more about it
  --version         the version

Agents: ${agents.map(({ agentName }) => agentName).join(", ")}.`;

const topics: Readonly<Record<string, string>> = {
  serve: `Usage: patchbay serve [folder] [options]

Serves a folder (the current one by default) to agents and reviews their changes in this terminal. What to type in the other terminal, where the agent runs, is printed.

  --open <file[:line[-line]]>   a file that agents see as open, and the lines you have selected (repeatable)
  --difftool <command>          look at changes in another program; $LOCAL is the file, $REMOTE the proposal. What you save in $REMOTE becomes the proposal. Example: --difftool 'vimdiff $LOCAL $REMOTE'
  --port <number>               listen there (default: the port of the last time, or a free one)
  --json                        for programs: events as lines of JSON, commands on the standard input
  --demo                        play the whole loop with driven agents in a throwaway folder and print what happened

In a review, press a to accept, r to reject, e to edit in $VISUAL or $EDITOR, v to see all of it in $PAGER, d for the difftool, s for the next one, q to end, ? for help.
Otherwise: open <file[:line[-line]]>, close <file>, mention <file[:line[-line]]>, sessions, proposals, review, kept, help, quit.
NO_COLOR turns colours off.`,
  env: `Usage: patchbay env [folder] [--shell sh|fish|tcsh|powershell] [--port <number>]

Prints the variables that point agents to the editor that serves the folder (the current one by default):
  sh, bash, zsh   eval "$(patchbay env)"
  fish            patchbay env --shell fish | source
  tcsh            eval "\`patchbay env\`"
  PowerShell      patchbay env --shell powershell | Out-String | Invoke-Expression
The shell is told from $SHELL where it is not given; --port chooses where several editors serve the folder. No token is ever printed: agents read it from a private file.`,
  status: `Usage: patchbay status [--json]

Lists the editors on this machine that have left a record for agents: editor, folders, port, and which agents can find it.`,
  doctor: `Usage: patchbay doctor [folder] [--agent ${agents.map(({ id }) => id).join("|")}] [--json]

Run it in the terminal in which the agent does not connect. It does what the agent would do: reads the records where the
agent looks, takes the editor that the agent would take, opens a session with its token, and reads the agent's settings.
It says what is wrong and what to type, and changes nothing. --agent (repeatable) looks at one agent only.
Exit code 1: an agent cannot connect or will show no changes.`,
};

/** The help text of a command, or the overview. */
export function helpText(topic: string | undefined): string {
  return (topic === undefined ? undefined : topics[topic]) ?? overview;
}
