import { basename, resolve } from "node:path";
import {
  agentOf,
  agents,
  type Dialect,
  type DiscoveryFacts,
  isInContainer,
  PatchbayError,
  type Platform,
  type RunningEditor,
} from "@patchbay/core";
import { findEditorsWith, readAgentSettings } from "@patchbay/core/diagnosis";
import { program } from "../own-command.ts";
import { escapeLine, escapeText } from "../terminal/escape-text.ts";

export interface EnvironmentRequest {
  readonly folder: string;
  readonly shell: string | undefined;
  /** The editor on this port, where several serve the folder; undefined: the nearest. */
  readonly port: number | undefined;
  readonly platform: Platform;
  /** For the shell to evaluate. */
  readonly print: (line: string) => void;
  /** For the user to read. */
  readonly tell: (line: string) => void;
}

/** `patchbay env`: resolves with the exit code. */
export async function printEnvironment(request: EnvironmentRequest): Promise<number> {
  const { platform, print, tell } = request;
  const facts = platform.process;
  const shell = chooseShell(request.shell, facts.environment("SHELL"), facts.platform);
  const folder = resolve(request.folder);
  const serving = await findEditorsWith(platform, folder);
  const editor = serving.find(({ port }) => request.port === undefined || port === request.port);
  const others = serving.filter((other) => other !== editor);
  if (editor === undefined) {
    tell(`No running editor has ${escapeLine(folder)} open. Open it in your editor, or type: ${program} serve`);
    return 1;
  }
  for (const line of exportLines(await editorEnvironment(platform, editor), shell)) print(line);
  tell(`Agents started here connect to ${escapeLine(editor.name)} on port ${editor.port}.`);
  for (const other of others)
    tell(`${escapeLine(other.name)} has it open too. To use that one: ${program} env --port ${other.port}`);
  for (const { agent, agentName, isUsed, looksForEditor } of await readAgentSettings(platform, folder)) {
    if (!isUsed || looksForEditor === "yes") continue;
    const { connecting, offersExtension } = agentOf(agent);
    const first = offersExtension
      ? "If it asks whether to connect or to install something, answer No, then type"
      : "Type";
    if (connecting === undefined) continue;
    tell(`${agentName} does not look for an editor yet. ${first} ${connecting.input} there.`);
  }
  return 0;
}

/**
 * The variables that the editor itself puts into its own terminals, made by the same code from what its records tell
 * (docs/protocols). Never a token: agents take it from the record.
 */
export async function editorEnvironment(
  platform: Platform,
  editor: RunningEditor,
  wanted: readonly Dialect[] = agents,
): Promise<Readonly<Record<string, string>>> {
  const inContainer = await isInContainer(platform);
  const environment: Record<string, string> = {};
  for (const dialect of wanted) {
    const record = editor.records.find(({ agent }) => agent === dialect.id);
    if (record === undefined) continue;
    const facts: DiscoveryFacts = {
      address: { kind: "tcp", port: editor.port },
      socket: undefined,
      token: "",
      folders: record.folders,
      realFolders: record.folders,
      identity: {
        name: editor.editorId ?? "",
        displayName: editor.name,
        version: "",
        pids: record.pid === undefined ? [] : [record.pid],
      },
      platform,
      temporaryDirectory: platform.process.temporaryDirectory,
      homeDirectory: platform.process.homeDirectory,
      environment: (name) => platform.process.environment(name),
      inContainer,
    };
    Object.assign(environment, dialect.environment(facts));
  }
  return environment;
}

export type Shell = "sh" | "fish" | "tcsh" | "powershell";

const shells: Readonly<Record<string, Shell>> = {
  ...Object.fromEntries(["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "yash"].map((name) => [name, "sh"])),
  fish: "fish",
  tcsh: "tcsh",
  csh: "tcsh",
  powershell: "powershell",
  pwsh: "powershell",
};

/** Which shell's words to print: the given one, else that of $SHELL (PowerShell on Windows). Throws where it is not known. */
export function chooseShell(given: string | undefined, shellPath: string | undefined, platform: string): Shell {
  if (given === undefined && shellPath === undefined) return platform === "win32" ? "powershell" : "sh";
  const name = given ?? basename(shellPath ?? "").replace(/\.exe$/iu, "");
  const shell = Object.hasOwn(shells, name) ? shells[name] : undefined;
  if (shell !== undefined) return shell;
  const whose = given === undefined ? `Your shell, ${name},` : `The shell "${name}"`;
  throw new PatchbayError(
    "invalid-argument",
    `${whose} is not supported. Name the shell you use with --shell: sh (bash, zsh), fish, tcsh or powershell.`,
  );
}

/**
 * Lines that set variables when the shell evaluates them; values are quoted whatever they hold. What would speak to a
 * terminal on which they are only looked at is spelled out.
 */
export function exportLines(variables: Readonly<Record<string, string>>, shell: Shell): readonly string[] {
  return Object.entries(variables).map(([name, value]) => {
    switch (shell) {
      case "sh":
        return `export ${name}=${quote(value, (text) => `'${text.replaceAll("'", "'\\''")}'`, printedOctal, "")}`;
      case "fish":
        return `set -gx ${name} ${quote(value, quoteForFish, (text) => codePoints(text).map(fishEscape).join(""), "")}`;
      case "tcsh":
        if (/[\r\n]/u.test(value) || escapeText(value) !== value) {
          throw new PatchbayError("invalid-argument", `tcsh cannot express a name in ${name}. Use another shell.`);
        }
        // History is expanded even between single quotes; the backquotes of eval make one line of all.
        return `setenv ${name} '${value.replaceAll("'", "'\\''").replaceAll("!", "\\!")}';`;
      case "powershell":
        return `$env:${name} = ${quote(value, (text) => `'${text.replaceAll("'", "''")}'`, fromUtf32, " + ")}`;
    }
  });
}

/** Puts a value together from plain pieces and from pieces that a terminal would obey. */
function quote(
  value: string,
  plain: (text: string) => string,
  spelledOut: (text: string) => string,
  joint: string,
): string {
  const pieces: { readonly isPlain: boolean; text: string }[] = [];
  for (const character of value) {
    const isPlain = escapeText(character) === character;
    const last = pieces.at(-1);
    if (last?.isPlain === isPlain) last.text += character;
    else pieces.push({ isPlain, text: character });
  }
  if (pieces.length === 0) return plain("");
  return pieces.map(({ isPlain, text }) => (isPlain ? plain(text) : spelledOut(text))).join(joint);
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function codePoints(text: string): readonly number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

function fishEscape(code: number): string {
  return `\\U${code.toString(16).padStart(8, "0")}`;
}

function fromUtf32(text: string): string {
  return codePoints(text)
    .map((code) => `[char]::ConvertFromUtf32(${code})`)
    .join(" + ");
}

/** Never ends in a line end, which the shell would cut off: that is plain. */
function printedOctal(text: string): string {
  const bytes = Array.from(Buffer.from(text), (byte) => `\\${byte.toString(8).padStart(3, "0")}`);
  return `"$(printf '${bytes.join("")}')"`;
}
