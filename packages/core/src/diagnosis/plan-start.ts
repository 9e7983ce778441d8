import { type AgentId, agentOf } from "../agents/catalogue.ts";
import { type AgentDefaults, type AgentStart, parseLooseJson, withVariables } from "../agents/settings.ts";
import type { Platform } from "../platform/platform.ts";
import {
  type AgentSettings,
  examineConnecting,
  examineFiles,
  examineHook,
  isHooked,
  readAgentSettings,
  showsByHookAlone,
  type SettingsFinding,
} from "./examine-editor.ts";

/** How an agent is started so that it connects and has its changes reviewed, with nothing written into its settings. */
export interface StartPlan {
  /** All of its arguments: what is added stands before the user's own. */
  readonly args: readonly string[];
  /** Of these, what turns its IDE mode on. */
  readonly connecting: readonly string[];
  /** A file of settings to be written, and named to the agent by this variable; undefined: none is needed. */
  readonly defaults: { readonly variable: string; readonly text: string } | undefined;
  /** Variables with which it looks for an editor although its terminal's say that it should not, and for that one. */
  readonly environment: Readonly<Record<string, string>>;
  /** What keeps it from connecting or from showing changes, and is the user's to change. */
  readonly findings: readonly SettingsFinding[];
  /** It has not been told to look for an editor, and the user's own prompt takes the place in which it would be. */
  readonly isUntold: boolean;
  /** The user's own argument that has it write without asking anybody, with no hook that would ask; undefined: it asks. */
  readonly unreviewedBy: string | undefined;
  /** The user's own argument with which it does without its hook, and has nothing else that would ask; undefined: there is none. */
  readonly hooklessBy: string | undefined;
}

/** What is asked for. */
export interface StartRequest {
  readonly agent: AgentId;
  /** Absolute: where it is started. */
  readonly folder: string;
  /** The user's own. */
  readonly args: readonly string[];
  /** Of the editor to which it is to connect; undefined: that is left to what its terminal says. */
  readonly port?: number | undefined;
}

/** A larger file of settings is none that a person wrote. */
const largestFileBytes = 1_048_576;

/**
 * Plans the start of an agent. Where its hook is installed its modes are the user's affair: all are reviewed. Else it is started in the
 * mode that asks, unless the user has named another. Never rejects.
 */
export async function planStart(platform: Platform, { agent, folder, args, port }: StartRequest): Promise<StartPlan> {
  const dialect = agentOf(agent);
  const { start } = await dialect.loadChecks();
  const settings = (await readAgentSettings(platform, folder)).find((one) => one.agent === agent);
  const hookless = ownOptions(args).find((arg) => start.hooklessOptions?.includes(arg) === true);
  const isReviewed = settings !== undefined && isHooked(settings) && hookless === undefined;
  const { asking } = dialect;
  const chosen = chosenMode(start, args);
  const once = answersOnce(start, args);
  const isToAsk = !isReviewed && chosen === undefined && once === undefined;
  const mode = isToAsk && asking !== undefined ? [asking.flag, asking.value] : [];
  const isUntold = settings?.looksForEditor === "not-yet";
  const connecting =
    isUntold && once === undefined && !hasPrompt(start, args) ? (start.connecting?.arguments ?? []) : [];
  return {
    args: [...mode, ...connecting, ...args],
    connecting,
    defaults:
      start.defaults === undefined
        ? undefined
        : await defaultsFor(withVariables(platform, settings?.variables), start.defaults),
    environment: {
      ...(settings?.looksForEditor === "no" ? start.variables : {}),
      ...(start.plainPort === undefined || port === undefined ? {} : { [start.plainPort]: String(port) }),
    },
    isUntold: isUntold && connecting.length === 0,
    findings: settings === undefined ? [] : findingsOf(settings),
    unreviewedBy: isReviewed ? undefined : (unaskingMode(start, chosen) ?? once),
    hooklessBy: showsByHookAlone(agent) ? hookless : undefined,
  };
}

/**
 * A command line for a terminal, with what turns on the IDE mode of an agent that nobody has told to look for an editor: it would offer
 * to install something. Never rejects.
 */
export async function connectingLine(
  platform: Platform,
  { agent, folder, line }: Pick<StartRequest, "agent" | "folder"> & { readonly line: string },
): Promise<string> {
  const [, ...args] = line.split(/\s+/u);
  const { connecting } = await planStart(platform, { agent, folder, args });
  // Whatever the shell is, a text between such quotes is one word to it.
  return [line, ...connecting.map((argument) => (argument.includes(" ") ? `"${argument}"` : argument))].join(" ");
}

/** Whether the arguments of a running agent have it ask before it writes, whatever its settings say. */
export async function asksByArguments(agent: AgentId, args: readonly string[]): Promise<boolean> {
  const { start } = await agentOf(agent).loadChecks();
  const chosen = chosenMode(start, args);
  return chosen !== undefined && unaskingMode(start, chosen) === undefined;
}

/** What the variables and the defaults of a start see to is none. */
function findingsOf(settings: AgentSettings): readonly SettingsFinding[] {
  const off = examineHook(settings).filter(
    ({ code }) => code === "hook-off" || (showsByHookAlone(settings.agent) && code !== "hook-installed"),
  );
  const connecting = examineConnecting(settings).filter(
    ({ code }) =>
      code === "editor-mode-off" &&
      // A variable of the terminal's is another one for the agent that is started.
      !(settings.lookingVariable !== undefined && settings.decidedBy.looksForEditor === undefined),
  );
  return [...examineFiles(settings), ...connecting, ...off];
}

/** An option that names a mode, with what it names; undefined where the user leaves it to us. */
function chosenMode({ modeOptions, unaskingOptions }: AgentStart, args: readonly string[]): ChosenMode | undefined {
  for (const [index, arg] of ownOptions(args).entries()) {
    const [name = "", value = args[index + 1]] = arg.split("=", 2);
    if (modeOptions.includes(name))
      return { argument: arg === name ? `${name} ${value ?? ""}`.trim() : arg, mode: value };
    if (unaskingOptions.includes(name)) return { argument: name, mode: undefined };
  }
  return undefined;
}

interface ChosenMode {
  readonly argument: string;
  readonly mode: string | undefined;
}

function unaskingMode({ askingModes }: AgentStart, chosen: ChosenMode | undefined): string | undefined {
  if (chosen === undefined) return undefined;
  return chosen.mode !== undefined && askingModes.includes(chosen.mode) ? undefined : chosen.argument;
}

/** The argument with which the agent answers once, or does something else than to talk; undefined where it talks. */
function answersOnce({ onceOptions, argumentIsOnce }: AgentStart, args: readonly string[]): string | undefined {
  const [first] = args;
  if (argumentIsOnce && first !== undefined && !first.startsWith("-")) return first;
  return ownOptions(args).find((arg) => onceOptions.includes(arg.split("=", 1)[0] ?? arg));
}

/** Whether the user begins with a prompt, or with a command of the agent's. */
function hasPrompt({ connecting, modeOptions }: AgentStart, args: readonly string[]): boolean {
  const options = connecting?.promptOptions ?? [];
  const isMode = (index: number): boolean => modeOptions.includes(args[index - 1] ?? "");
  // What is no option may be the value of another one: then less is added than could have been.
  return args.some(
    (arg, index) =>
      (!arg.startsWith("-") && !isMode(index)) || arg === "--" || options.includes(arg.split("=", 1)[0] ?? arg),
  );
}

/** Behind `--` stands text. */
function ownOptions(args: readonly string[]): readonly string[] {
  const end = args.indexOf("--");
  return end === -1 ? args : args.slice(0, end);
}

/** The administrator's own defaults with ours below them. Undefined where theirs cannot be read: they are not taken away. */
async function defaultsFor(platform: Platform, defaults: AgentDefaults): Promise<StartPlan["defaults"]> {
  const theirs = await readDefaults(platform, defaults.file({ platform }));
  if (theirs === undefined) return undefined;
  const merged = { ...theirs };
  for (const [name, settings] of Object.entries(defaults.settings)) {
    const known = merged[name];
    if (known !== undefined && !isObject(known)) return undefined;
    merged[name] = { ...settings, ...known };
  }
  return { variable: defaults.variable, text: `${JSON.stringify(merged, undefined, 2)}\n` };
}

async function readDefaults({ files }: Platform, path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const real = await files.realPath(path);
    if (real === undefined) return {};
    const read = parseLooseJson((await files.readText(real, largestFileBytes)) ?? "");
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
