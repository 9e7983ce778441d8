import { agents } from "@patchbay/core";

/** What agents are called on the command line. */
const ids = agents.map(({ id }) => id).join(", ");

const overview = `Patchbay: the editor side of terminal coding agents, without an editor.

Usage: patchbay <command>

  run <agent>       start an agent so that your editor reviews its changes
  panel [folder]    talk with agents in the browser, beside any editor
  serve [folder]    act as the editor for agents in a folder, and review their changes here
  env [folder]      print the variables that point agents in another terminal to the editor
  status            list the editors that agents can connect to, and what the agents are doing
  hook <action>     review changes in every mode of an agent: install, status, remove
  turns             list what agents changed in the current folder, turn by turn
  diff [turn]       show what a turn changed
  undo [turn]       take a turn back, a file of it or a part of that
  redo [turn]       bring back what an undo took
  doctor [folder]   find out why an agent does not connect or shows no changes

  --help            this text; with a command, more about it
  --version         the version

Agents: ${agents.map(({ agentName }) => agentName).join(", ")}.`;

const topics: Readonly<Record<string, string>> = {
  serve: `Usage: patchbay serve [folder] [options]

Serves a folder (the current one by default) to agents and reviews their changes in this terminal. Prints what to type in the agent's terminal.

  --open <file[:line[-line]]>   a file that agents see as open, and the lines you have selected (repeatable)
  --difftool <command>          show changes in another program; $LOCAL is the file, $REMOTE the proposal. What you save in $REMOTE becomes the proposal. Example: --difftool 'vimdiff $LOCAL $REMOTE'
  --port <number>               listen on this port (default: the previous port, or a free one)
  --reviews <which>             which changes of agents with a hook (patchbay hook install) are reviewed: always (the default), asks-itself (only what agents ask about by themselves, and what the folder's .patchbay.json names), never (nothing by hook, whatever .patchbay.json says)
  --json                        for programs: JSON lines, events on standard output and commands on standard input (docs/serve-json.md)
  --folder <folder>             with --json: another folder that is served (repeatable)
  --problems                    with --json: the program tells agents of problems in files
  --demo                        play the whole loop with scripted agents in a temporary folder and print what happened

In a review, press a to accept, r to reject, e to edit in $VISUAL or $EDITOR, v to view all of it in $PAGER, d for the difftool, s to skip to the next, q to quit, ? for help.
Otherwise: open <file[:line[-line]]>, close <file>, mention <file[:line[-line]]>, sessions, proposals, review, kept, help, quit.
NO_COLOR turns off colours.`,
  env: `Usage: patchbay env [folder] [--shell sh|fish|tcsh|powershell] [--port <number>]

Prints the variables that point agents to the editor that has the folder open (the current folder by default):
  sh, bash, zsh   eval "$(patchbay env)"
  fish            patchbay env --shell fish | source
  tcsh            eval "\`patchbay env\`"
  PowerShell      patchbay env --shell powershell | Out-String | Invoke-Expression
Without --shell, the shell is taken from $SHELL. --port chooses among several editors that have the folder open. No token is ever printed: agents read it from a private file.`,
  status: `Usage: patchbay status [--watch] [--json]

Lists the editors on this machine that have announced themselves to agents (editor, folders, port, and which agents can find it), and what the connected agents are doing: working, waiting for you (for which files), idle, ended. What agents without a hook (patchbay hook install) do is not known, unless they wait for a review: they are connected or away.
--watch keeps it up to date until you press Ctrl-C; where the output is no terminal, it prints a line for each change, with --json a JSON line.`,
  panel: `Usage: patchbay panel [folder] [--no-open] [--port <number>] [--agent <agent>]

Opens the conversation panel of a folder (the current one by default) in the browser. It runs the agents that you have installed, and ends them with Ctrl-C. If the panel of the folder is running, you get a new link to it.
The page is on this machine alone (127.0.0.1). A link works once, within a minute.

  --no-open         only print the link
  --port <number>   listen on this port (default: the previous one, or a free one)
  --agent <agent>   begin a conversation with this agent: ${ids}, or one of the settings

Settings: {"agents": …} in ~/.config/patchbay/panel.json, with the same entries as "patchbay.panel.agents" in VS Code.`,
  run: `Usage: patchbay run <agent> [the agent's own arguments]

Starts an agent (${ids}) in the current folder so that it connects to the editor that has the folder open, and asks before it writes. Its settings stay as they are.
What follows the agent's name is passed on as it is, and so are its exit code and signals. If you name a mode yourself, that one counts.
Where its hook is installed (patchbay hook install), no mode is chosen for you: changes are reviewed in every mode.
Without an editor nothing is started. If this terminal names an editor (patchbay env), that one is used.`,
  hook: `Usage: patchbay hook install|status|remove [agent] [--project] [--yes]

Agents run a hook before they write a file, in every mode, also in those in which they ask nobody. It has the change reviewed in the editor that has the folder open; without one, agents work as if there were no hook.
install enters it into an agent's settings: the user's own, or with --project those of the current folder. What changes is shown, and asked about, before it is written (--yes: not asked). remove takes it out again. Without an agent: all that are used here.
"reviews" in .patchbay.json of a folder says which changes agents have to have reviewed there: "always", or {"paths": ["migrations/**"]}.`,
  turns: `Usage: patchbay turns [--json]

Lists what agents changed in the current folder, the newest turn first: agent, prompt, files. "likely" means that a file changed while the agent worked, as by a shell command. Needs the agent's hook (patchbay hook install). Works without an editor.`,
  diff: `Usage: patchbay diff [turn] [path]

Shows what a turn changed, as far as it is neither kept nor undone. The turn is its number in "patchbay turns", which stays the same; by default the newest.`,
  undo: `Usage: patchbay undo [turn] [path] [--hunk <number>] [--reason <text>] [--now] [--yes]
       patchbay undo --session <id> [--reason <text>] [--now] [--yes]

Takes back what a turn changed: all of it, a file, or one hunk of a file as "patchbay diff" shows them, counted from 1. Lines that were changed since are left alone. A file that the turn created goes to the trash, if nothing was changed in it since.
Without a number it takes back the newest turn that is not undone yet; repeated, the one before. "patchbay redo" brings back what the last undo took. An undo is a turn of its own, with its own number.
While the agent works, an undo waits for the end of its turn; --now does not wait. An agent with a hook is told with your next prompt, and why (--reason).
--session takes back all turns of a session, the newest first; "patchbay turns" shows its id, and the first characters are enough.`,
  redo: `Usage: patchbay redo [turn] [path] [--reason <text>] [--now] [--yes]

Brings back what "patchbay undo", or an undo in an editor, took: without a number what the last undo took, repeated, the one before. The number can be that of the undo, or of the turn that was undone: its last undo then. Lines that were changed since are left alone.
While the agent works, it waits for the end of its turn; --now does not wait. An agent with a hook is told with your next prompt, and why (--reason).`,
  doctor: `Usage: patchbay doctor [folder] [--agent <agent>] [--json | --report]
       patchbay doctor --explain <finding>

Run it in the terminal in which the agent does not connect. It does what the agent would do: reads the records where the agent looks, chooses the editor that the agent would choose, opens a session with its token, and reads the agent's settings.
It reports what is wrong and what to type, and changes nothing. --agent (repeatable) checks one agent only: ${ids}. --report prints the findings for an issue: without tokens, texts, names of yours, and paths that are not the same everywhere.
Behind each problem stands its name, such as no-editor. --explain no-editor says what it means, why it happens, what to do and what is not harmed.
Exit code 1: an agent cannot connect or will show no changes.`,
};

/** The help text of a command, or the overview. */
export function helpText(topic: string | undefined): string {
  return (topic === undefined ? undefined : topics[topic]) ?? overview;
}
