import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { type AgentId, askingCommand, createNodePlatform, type Dialect } from "@patchbay/core";
import { connectingLine } from "@patchbay/core/diagnosis";
import { commands, type Disposable, env, type Terminal, ThemeIcon, window, workspace } from "vscode";
import { asConfigured, settingNamesOf } from "../contributions.mts";
import { l10n } from "@patchbay/languages/spoken";
import { inform, note } from "../surfaces/messages.ts";

/** What is needed of an agent to start it. */
export type StartedAgent = Pick<Dialect<AgentId>, "id" | "agentName" | "program" | "asking">;

/** Terminals in which Patchbay started an agent. */
export class AgentTerminals implements Disposable {
  readonly #terminals: Set<Terminal> = new Set();
  readonly #subscription: Disposable;

  constructor() {
    this.#subscription = window.onDidCloseTerminal((terminal) => this.#terminals.delete(terminal));
  }

  /** Starts an agent in a new terminal and goes there: the user asked for it. */
  async run(agent: StartedAgent): Promise<void> {
    const terminal = window.createTerminal({ name: agent.agentName, iconPath: new ThemeIcon("sparkle") });
    this.#terminals.add(terminal);
    terminal.show();
    terminal.sendText(await startLineOf(agent));
  }

  /** The terminal in which text for an agent is wanted: the one in front, else the newest. */
  get current(): Terminal | undefined {
    const { activeTerminal } = window;
    if (activeTerminal !== undefined && this.#terminals.has(activeTerminal)) return activeTerminal;
    return Array.from(this.#terminals).at(-1);
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

async function startLineOf(agent: StartedAgent): Promise<string> {
  const line = commandLineOf(agent);
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  return folder === undefined ? line : await connectingLine(createNodePlatform(), { agent: agent.id, folder, line });
}

/** The command line that starts an agent, as the user's settings have it. */
function commandLineOf(agent: StartedAgent): string {
  const settings = workspace.getConfiguration("patchbay");
  const names = settingNamesOf(agent);
  const configured: unknown = settings.get(names.command);
  const command =
    typeof configured === "string" && configured.trim() !== "" ? configured.trim() : agent.program.command;
  const asks = names.asking !== undefined && settings.get(names.asking) !== asConfigured;
  return asks ? askingCommand(agent, command) : command;
}

/** Says so, and how to get it, where an agent that was just started is not found. The terminal itself says only that. */
export async function tellIfMissing(agent: StartedAgent): Promise<void> {
  const program = programOf(commandLineOf(agent));
  if (program === undefined || (await isInstalled(program))) return;
  const installation = `npm install -g ${agent.program.package}`;
  const copy = l10n.t("Copy Install Command");
  const change = l10n.t("Change Its Command");
  const answer = await inform(
    l10n.t(
      "{0} was not found on the PATH of this window. If the terminal does not find it either, install it with {1}",
      program,
      installation,
    ),
    copy,
    change,
  );
  if (answer === copy) {
    await env.clipboard.writeText(installation);
    note(l10n.t("Copied."), 3_000);
  }
  if (answer === change) {
    await commands.executeCommand("workbench.action.openSettings", `patchbay.${settingNamesOf(agent).command}`);
  }
}

/** The program that a command line starts; undefined where only a shell can tell. */
export function programOf(commandLine: string): string | undefined {
  const [, quoted, plain] =
    /^(?:[A-Za-z_]\w*=[^\s"'`$]*\s+)*(?:"([^"$`]+)"|([^\s"'`$~&;|<>()%]+))(?=\s|$)/u.exec(commandLine) ?? [];
  return quoted ?? plain;
}

async function isInstalled(program: string): Promise<boolean> {
  const endings = process.platform === "win32" ? ["", ...(process.env["PATHEXT"] ?? ".EXE;.CMD").split(";")] : [""];
  const places = /[\\/]/u.test(program)
    ? [""]
    : (process.env["PATH"] ?? "").split(delimiter).filter((place) => place !== "");
  // A path from the terminal's own folder: the terminal knows better.
  if (places[0] === "" && !isAbsolute(program)) return true;
  const files = places.flatMap((place) => endings.map((ending) => join(place, `${program}${ending}`)));
  const found = await Promise.all(files.map(isProgram));
  return found.includes(true);
}

async function isProgram(file: string): Promise<boolean> {
  return await access(file, process.platform === "win32" ? constants.F_OK : constants.X_OK).then(
    () => true,
    () => false,
  );
}
