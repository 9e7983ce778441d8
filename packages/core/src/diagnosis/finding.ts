import type { AgentId } from "../agents/catalogue.ts";
import type { ChoiceReason } from "../agents/choice.ts";

/** `problem`: an agent does not connect or shows no changes because of it. `hint`: worth knowing, and agents go on. */
export type FindingLevel = "ok" | "hint" | "problem";

/** An editor as its records name it. */
export interface NamedEditor {
  readonly name: string;
  readonly port: number;
  /** `patchbay serve` is restarted in its terminal, and has no window. */
  readonly isServe?: true;
}

/** What each finding says beside its agents. Paths, names and settings are as found: whoever prints them escapes them. */
export interface FindingValues {
  /** A session was opened as the agent would, with its token, and answered. As a hint: its program was not found. */
  readonly connects: {
    readonly editor: NamedEditor;
    readonly because: ChoiceReason;
    readonly others: readonly NamedEditor[];
  };
  /** It connects only where it is told to: `/ide`, `--ide`, or the port variable. */
  readonly "waits-to-be-told": { readonly editor: NamedEditor };
  /** By this variable the terminal is that of another editor, and the agent would take that one only. */
  readonly "terminal-of-another-editor": { readonly editor: NamedEditor; readonly variable: string };
  /** Several editors have the folder open, and the agent takes none by itself. */
  readonly undecided: { readonly editors: readonly NamedEditor[] };
  /** The port variable sends it to an editor with another folder; `better` has this one open. */
  readonly "takes-other-folder": {
    readonly editor: NamedEditor;
    readonly variable: string;
    readonly open: string;
    readonly better: NamedEditor | undefined;
  };
  readonly "no-editor": { readonly folder: string };
  readonly "other-folder": { readonly editor: NamedEditor; readonly open: string };
  readonly "folder-below": { readonly editor: NamedEditor; readonly open: string };
  /** It has the folder open by way of a link, which this agent does not follow. */
  readonly "folder-by-link": { readonly editor: NamedEditor; readonly folder: string; readonly open: string };
  readonly "token-refused": { readonly editor: NamedEditor; readonly paths: readonly string[] };
  readonly "editor-stopped": { readonly editor: NamedEditor; readonly pid: number };
  /** It gave no answer for `seconds`, which is less than agents wait. */
  readonly "editor-silent": {
    readonly editor: NamedEditor;
    readonly pid: number | undefined;
    readonly seconds: number;
  };
  /** It answers, and took `seconds` for it. */
  readonly "editor-slow": { readonly editor: NamedEditor; readonly seconds: number };
  readonly "editor-full": { readonly editor: NamedEditor };
  /** `isSurelyEnded`: the process of the editor is gone. */
  readonly "port-of-another-program": {
    readonly editor: NamedEditor;
    readonly paths: readonly string[];
    readonly isSurelyEnded: boolean;
  };
  /** The agent's own ranking leads to an editor that has ended. `better` would answer. */
  readonly "takes-ended-editor": {
    readonly editor: NamedEditor;
    readonly path: string;
    readonly isSurelyEnded: boolean;
    readonly better: NamedEditor | undefined;
  };
  /** A port variable of an editor that is gone, which the agent ignores. */
  readonly "port-left-over": { readonly variables: readonly string[]; readonly port: string };
  /** It is set in a `file` that the agent reads; absent: in this terminal. */
  readonly "program-in-place-of-editor": { readonly variable: string; readonly file?: string | undefined };
  /** It dials this port of the terminal's variable without a token, and no companion lets it in. */
  readonly "port-without-token": { readonly variable: string };
  /** In a container it dials the container's host. */
  readonly "looks-on-container-host": Readonly<Record<string, never>>;
  readonly "temporary-directory-differs": {
    readonly editor: NamedEditor;
    readonly theirs: string;
    readonly ours: string;
  };
  readonly "home-differs": { readonly editor: NamedEditor; readonly theirs: string; readonly ours: string };
  /** One of the agent's variables in the editor and in this terminal, or in a `file` that the agent reads; undefined: not set. */
  readonly "variable-differs": {
    readonly file?: string | undefined;
    readonly editor: NamedEditor;
    readonly variable: string;
    readonly theirs: string | undefined;
    readonly ours: string | undefined;
  };
  readonly "root-by-sudo": { readonly user: string };
  /** In this terminal it finds an editor only from version `needed` on. */
  readonly "agent-too-old": { readonly version: string; readonly needed: string; readonly package: string };
  readonly "not-installed": { readonly command: string; readonly package: string };
  /** `isTemporary`: below this terminal's temporary directory, so that another one of those helps. */
  readonly "directory-of-another-user": {
    readonly directory: string;
    readonly uid: number;
    readonly isTemporary: boolean;
  };
  readonly "directory-is-a-link": { readonly directory: string };
  readonly "directory-is-none": { readonly directory: string };
  readonly "directory-closed": { readonly directory: string };
  readonly "directory-open-to-others": { readonly directory: string };
  readonly "record-of-another-user": { readonly path: string; readonly uid: number };
  readonly "record-readable-by-others": { readonly path: string };
  readonly "record-not-understood": { readonly path: string };
  /** `isSurelyEnded`: its process is gone, and nobody answers. */
  readonly "record-left-over": {
    readonly paths: readonly string[];
    readonly editor: NamedEditor;
    readonly isSurelyEnded: boolean;
  };
  /** It names a process that has ended, so that the agent deletes it although the editor answers. */
  readonly "record-of-ended-process": { readonly path: string; readonly editor: NamedEditor; readonly pid: number };
  readonly "record-without-editor-names": { readonly path: string };
  /** Patchbay runs there for other agents and has left nothing for this one. */
  readonly "record-missing": { readonly editor: NamedEditor; readonly directory: string };
  /**
   * `file` is the settings file that decides it; undefined: the agent's own default, or a variable of this terminal. The user's own is
   * `userFile`.
   */
  readonly "editor-mode-off": {
    readonly file: string | undefined;
    readonly userFile: string;
    readonly variable: string | undefined;
  };
  readonly "editor-mode-not-chosen": Readonly<Record<string, never>>;
  readonly "never-asks": {
    readonly mode: string;
    readonly setting: string;
    /** What has it ask there. */
    readonly asking: string;
    readonly file: string | undefined;
    readonly userFile: string;
    readonly command: string;
    readonly input: string | undefined;
  };
  /** It connects, and leaves out what is open: its user has switched that off, which stands in `file`. */
  readonly "context-off": { readonly file: string };
  readonly "shows-changes-in-terminal": { readonly file: string | undefined };
  /** Whatever its mode is, changes are reviewed. */
  readonly "hook-installed": { readonly file: string };
  /** What it runs is `missing`, or (undefined) only some of it is entered: it reviews nothing, or not all. */
  readonly "hook-broken": { readonly file: string; readonly missing: string | undefined };
  /** The agent knows no editor, and never asks: without its hook nothing is reviewed. */
  readonly "hook-not-installed": Readonly<Record<string, never>>;
  /** A setting turns all hooks of the agent off. */
  readonly "hook-off": { readonly setting: string; readonly file: string };
  /** Its settings are those of the folder, which agents follow only in folders that the user trusts. */
  readonly "hook-needs-trust": { readonly file: string };
  /** The agent asks its user about each hook that is new to it, and has not been told to trust ours: it runs none of it. */
  readonly "hook-untrusted": { readonly file: string };
  /** A setting keeps the agent from starting the service by which editors answer what it asks. */
  readonly "service-off": { readonly setting: string; readonly file: string };
  /** What listens where the agent's service does is not the one that is known, or gives no answer. */
  readonly "service-unknown": { readonly path: string };
  /** Hooks of others that run before a write, too, and may change or refuse what was reviewed. */
  readonly "hook-beside-others": { readonly file: string; readonly commands: readonly string[] };
  /** The agent does not start by it, or asks whether to go on without it. */
  readonly "settings-not-json": { readonly file: string };
  /** The folder wants changes reviewed that no hook has reviewed. */
  readonly "policy-without-hook": { readonly file: string };
  readonly "policy-unclear": { readonly file: string };
}

export type FindingCode = keyof FindingValues;

/** One thing that was seen, without words: editions say it in theirs. */
export interface FindingOf<Code extends FindingCode> {
  readonly code: Code;
  readonly level: FindingLevel;
  /** Whom it is about; empty: no one agent. */
  readonly agents: readonly AgentId[];
  readonly values: FindingValues[Code];
}

export type Finding = { readonly [Code in FindingCode]: FindingOf<Code> }[FindingCode];

/** Puts a finding together. */
export function findingOf<Code extends FindingCode>(
  code: Code,
  level: FindingLevel,
  agent: AgentId | undefined,
  values: FindingValues[Code],
): FindingOf<Code> {
  return { code, level, agents: agent === undefined ? [] : [agent], values };
}

const order: Readonly<Record<FindingLevel, number>> = { problem: 0, hint: 1, ok: 2 };

/** Each cause once, with all the agents it concerns; the worst first. */
export function gatherFindings(findings: readonly Finding[]): readonly Finding[] {
  const byCause = new Map<string, Finding>();
  for (const finding of findings) {
    const cause = JSON.stringify([finding.code, finding.level, causeIn(finding)]);
    const known = byCause.get(cause);
    const agents = Array.from(new Set([...(known?.agents ?? []), ...finding.agents]));
    byCause.set(cause, { ...withPathsOf(known, finding), agents });
  }
  return Array.from(byCause.values()).sort((a, b) => order[a.level] - order[b.level]);
}

/** An editor leaves a record for each agent: what is wrong with the editor itself is one cause, whatever its records are. */
function causeIn(finding: Finding): unknown {
  switch (finding.code) {
    case "token-refused":
    case "port-of-another-program":
    case "editor-silent":
    case "editor-stopped":
      return finding.values.editor;
    default:
      return finding.values;
  }
}

function withPathsOf(known: Finding | undefined, finding: Finding): Finding {
  if (finding.code === "token-refused" && known?.code === finding.code) {
    const paths = Array.from(new Set([...known.values.paths, ...finding.values.paths]));
    return { ...finding, values: { ...finding.values, paths } };
  }
  if (finding.code === "port-of-another-program" && known?.code === finding.code) {
    const paths = Array.from(new Set([...known.values.paths, ...finding.values.paths]));
    return { ...finding, values: { ...finding.values, paths } };
  }
  return known ?? finding;
}
