import { resolve } from "node:path";
import {
  agentOf,
  agents,
  type Dialect,
  type DiscoveryFacts,
  isInContainer,
  type Platform,
  type RunningEditor,
} from "@patchbay/core";
import { findRunningEditors, findServingEditors, readAgentSettings } from "@patchbay/core/diagnosis";
import { program } from "../own-command.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { chooseShell, exportLines } from "./export-lines.ts";

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
  const serving = await findServingEditors(platform, await findRunningEditors(platform), folder);
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
