import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Component } from "../prerequisites/cache.ts";
import { claudeBinary, exponentReadingClaudeCode, oldClaudeCode } from "../prerequisites/components.ts";
import { all, inHome, type Place, portWithExponent, type Situation, type Step, variable } from "./place.ts";

const portVariable = "CLAUDE_CODE_SSE_PORT";
const looking = "CLAUDE_CODE_AUTO_CONNECT_IDE";
const port: Step = variable(portVariable, ({ port: own }) => own);

function recordOf({ home, port: own }: Place): string {
  return join(home, ".claude", "ide", `${own}.lock`);
}

/** The editor's record says something else, as another editor's would. */
function record(changes: object): Step {
  return (place) => {
    const known: object = JSON.parse(readFileSync(recordOf(place), "utf8"));
    writeFileSync(recordOf(place), JSON.stringify({ ...known, ...changes }));
  };
}

/** A second editor with the folder, of which the record is all there is. */
const second: Step = (place) =>
  place.put(join(place.home, ".claude", "ide", "9.lock"), readFileSync(recordOf(place), "utf8"));

/** The terminal is one of the editor's: this process is above both, the doctor and the agent. */
const own: Step = record({ pid: process.pid });
const elsewhere: Step = record({ workspaceFolders: ["/elsewhere"] });
/** Another version, as its own installer puts it into place: named by its version, with a link to it on the PATH. */
function version(component: Component): Step {
  return ({ home, bin, put }) => {
    const program = join(home, ".local", "share", "claude", "versions", component.version);
    put(program, `#!/bin/sh\nexec '${claudeBinary(component)}' "$@"\n`);
    rmSync(join(bin, "claude"));
    symlinkSync(program, join(bin, "claude"));
  };
}

const older: Step = version(oldClaudeCode);
const ours: Step = variable(portVariable, portWithExponent);
const vscode: Step = variable("TERM_PROGRAM", "vscode");

type Outcome = Pick<Situation, "does" | "says">;
const connects: Outcome = { does: "connects", says: "connects" };
const waits: Outcome = { does: "stays away", says: "waits-to-be-told" };
const isOff: Outcome = { does: "stays away", says: "editor-mode-off" };
const isForeign: Outcome = { does: "stays away", says: "terminal-of-another-editor" };
const tooOld: Outcome = { does: "stays away", says: "agent-too-old" };
const leads: Outcome = { does: "connects", says: "takes-other-folder" };

const rows: readonly (readonly [title: string, make: Step | undefined, outcome: Outcome])[] = [
  ["the port variable", port, connects],
  ["no variable", undefined, waits],
  ["told to connect to nothing, with the port", all(port, variable(looking, "false")), isOff],
  ["told so with 0", all(port, variable(looking, "0")), isOff],
  ["told to connect, without a port", variable(looking, "true"), connects],
  [
    "told by its settings to connect to nothing",
    all(port, inHome(".claude/settings.json", `{ "env": { "${looking}": "false" } }`)),
    isOff,
  ],
  ["a port that is no number", variable(portVariable, "abc"), waits],
  ["an empty port", variable(portVariable, ""), waits],
  ["a port that nobody has", variable(portVariable, "9"), connects],
  ["a port that nobody has, with letters behind it", variable(portVariable, "9abc"), connects],
  ["a port in hexadecimal that nobody has", variable(portVariable, "0x9"), connects],
  ["a port with a fraction", variable(portVariable, "9.5"), connects],
  ["a port of an editor with another folder", all(elsewhere, port), leads],
  [
    "a port of an editor with another folder, with letters behind it",
    all(
      elsewhere,
      variable(portVariable, (place) => `${place.port}abc`),
    ),
    leads,
  ],
  [
    "a port of an editor with another folder, in hexadecimal",
    all(
      elsewhere,
      variable(portVariable, (place) => `0x${Number(place.port).toString(16)}`),
    ),
    { does: "stays away", says: "folder-by-link" },
  ],
  [
    "a port of an editor with another folder, with an exponent",
    all(elsewhere, variable(portVariable, portWithExponent)),
    leads,
  ],
  [
    "a port of an editor with another folder, its digits in groups",
    all(
      elsewhere,
      variable(portVariable, (place) => `0,0${place.port.replace(/(?=\d{3}$)/u, ",")}`),
    ),
    leads,
  ],
  [
    "two editors, and the port of one with an exponent",
    all(second, variable(portVariable, portWithExponent)),
    connects,
  ],
  [
    "in such a terminal, with the port and an exponent",
    all(vscode, variable(portVariable, portWithExponent)),
    connects,
  ],
  ["two editors, and a port of nobody", all(second, variable(portVariable, "8")), { ...waits, says: "undecided" }],
  ["in a terminal that says it is VS Code's, without a port", vscode, isForeign],
  ["in such a terminal, told to connect", all(vscode, variable(looking, "true")), isForeign],
  ["in such a terminal, with a port of nobody", all(vscode, variable(portVariable, "9")), isForeign],
  ["in such a terminal, with the port", all(vscode, port), connects],
  ["in such a terminal, which is the editor's", all(vscode, own), connects],
  ["in such a terminal, which is one of two editors'", all(vscode, second, own), connects],
  ["FORCE_CODE_TERMINAL, without a port", variable("FORCE_CODE_TERMINAL", "1"), isForeign],
  ["FORCE_CODE_TERMINAL in the editor's", all(own, variable("FORCE_CODE_TERMINAL", "0")), connects],
  ["in the editor's terminal, which says nothing", own, waits],
  ["in the editor's terminal, which says it is Cursor's", all(own, variable("CURSOR_TRACE_ID", "1")), connects],
  [
    "in the editor's terminal, which says it is JetBrains'",
    all(own, variable("TERMINAL_EMULATOR", "JetBrains-JediTerm")),
    connects,
  ],
  ["an older one, and one editor", all(older, ours), connects],
  ["too old for two editors", all(older, second, ours), tooOld],
  ["too old for a port of an editor with another folder", all(older, elsewhere, ours), tooOld],
  ["too old for a terminal that says it is VS Code's", all(older, vscode, ours), tooOld],
  [
    "two editors, and the first version that reads the port",
    all(version(exponentReadingClaudeCode), second, ours),
    connects,
  ],
  ["in the editor's terminal, which says it is Zed's", all(own, variable("TERM_PROGRAM", "zed")), waits],
];

/** Whether Claude Code connects by itself: its port variable, and what it takes its terminal for. */
export const claudeSituations: readonly Situation[] = rows.map(([title, make, outcome]) => ({
  title: `claude: ${title}`,
  agent: "claude",
  ...(make === undefined ? {} : { make }),
  ...outcome,
}));
