import type { Platform } from "../platform/platform.ts";
import { joinPath, splitPath } from "../storage/private-directory.ts";

/** A larger file is none that a person wrote. */
const largestFileBytes = 1_048_576;

interface Layer {
  readonly path: string;
  readonly value: unknown;
  /** There is a text, and the agent can make nothing of it. */
  readonly isInvalid: boolean;
}

/** The settings of an agent as it reads them: several files, of which a later one wins. */
export class SettingsLayers {
  readonly #layers: readonly Layer[];

  private constructor(layers: readonly Layer[]) {
    this.#layers = layers;
  }

  /**
   * Reads what is there. Never rejects: what cannot be read is as good as not there, to the agent, too. `isStrict`: the agent takes
   * comments and nothing else that is not JSON, and no empty file. `putAside`: those of which it goes on without what is not JSON.
   */
  static async read(
    { platform }: Pick<SettingsPlace, "platform">,
    paths: readonly string[],
    { isStrict = false, putAside = [] }: { readonly isStrict?: boolean; readonly putAside?: readonly string[] } = {},
  ): Promise<SettingsLayers> {
    const layers = paths.map(async (path): Promise<Layer> => {
      const text = await readSettingsText(platform, path);
      if (text === undefined) return { path, value: undefined, isInvalid: false };
      if (putAside.includes(path) && !isCommentedJson(text)) return { path, value: undefined, isInvalid: false };
      const value = parseLooseJson(text);
      const isEmpty = !isStrict && text.trim() === "";
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      return { path, value, isInvalid: !isEmpty && (!isObject || (isStrict && !isCommentedJson(text))) };
    });
    return new SettingsLayers(await Promise.all(layers));
  }

  flag(...keys: readonly string[]): boolean | undefined {
    return this.#all(keys).findLast((value) => typeof value === "boolean");
  }

  text(...keys: readonly string[]): string | undefined {
    return this.#all(keys).findLast((value) => typeof value === "string");
  }

  /** Files that the agent cannot use. */
  get invalid(): readonly string[] {
    return this.#layers.flatMap(({ path, isInvalid }) => (isInvalid ? [path] : []));
  }

  /** The texts among the members of an object, a later one in the place of an earlier one, with the file of each. */
  members(...keys: readonly string[]): FoundVariables {
    const found = new Map<string, FoundVariable>();
    for (const { path: file, value: settings } of this.#layers) {
      const members = keys.reduce(member, settings);
      if (typeof members !== "object" || members === null) continue;
      for (const [name, value] of Object.entries(members))
        if (typeof value === "string") found.set(name, { value, file });
    }
    return found;
  }

  /** These without the files that are not named. */
  only(paths: readonly string[]): SettingsLayers {
    return new SettingsLayers(this.#layers.filter(({ path }) => paths.includes(path)));
  }

  /** The flag with the file that sets it, where it has this value. */
  flagged(
    wanted: boolean,
    ...keys: readonly string[]
  ): { readonly setting: string; readonly file: string } | undefined {
    const file = this.flag(...keys) === wanted ? this.fileOf("boolean", ...keys) : undefined;
    return file === undefined ? undefined : { setting: keys.join("."), file };
  }

  /** The members of lists, which add up. */
  texts(...keys: readonly string[]): readonly string[] {
    return this.#all(keys)
      .flatMap((value): readonly unknown[] => (Array.isArray(value) ? value : []))
      .filter((value) => typeof value === "string");
  }

  /** The file whose value of this type counts; undefined where none has one. */
  fileOf(type: "boolean" | "string", ...keys: readonly string[]): string | undefined {
    return this.#layers.findLast(({ value }) => typeof keys.reduce(member, value) === type)?.path;
  }

  /** The file in whose list stands a text with this in it. */
  fileNaming(part: string, ...keys: readonly string[]): string | undefined {
    return this.#layers.findLast(({ value }) => {
      const list = keys.reduce(member, value);
      return Array.isArray(list) && list.some((one) => typeof one === "string" && one.includes(part));
    })?.path;
  }

  #all(keys: readonly string[]): readonly unknown[] {
    return this.#layers.map(({ value }) => keys.reduce(member, value));
  }
}

/** A file of settings, which is read where it lies if it is kept elsewhere and linked; undefined where it cannot be read. */
export async function readSettingsText({ files }: Platform, path: string): Promise<string | undefined> {
  try {
    const real = await files.realPath(path);
    return real === undefined ? undefined : await files.readText(real, largestFileBytes);
  } catch {
    return undefined;
  }
}

/** The directory that one of an agent's variables names. */
export function chosenDirectory({ platform }: SettingsPlace, variable: string): string | undefined {
  const chosen = platform.process.environment(variable);
  return chosen === "" ? undefined : chosen;
}

/** The directory in which a machine's administrator keeps what wins over every setting of a user. */
export function managedDirectory(
  { platform }: SettingsPlace,
  names: { readonly linux: string; readonly darwin: string; readonly win32: string },
): string {
  if (platform.process.platform === "darwin") return `/Library/Application Support/${names.darwin}`;
  if (platform.process.platform === "win32") return `C:\\Program Files\\${names.win32}`;
  return `/etc/${names.linux}`;
}

/** The JSON files of a directory in the order of their names, hidden ones left out; none where it cannot be read. */
export async function jsonFilesIn({ platform }: SettingsPlace, directory: string): Promise<readonly string[]> {
  const names = await platform.files.list(directory).catch((): readonly string[] => []);
  return names
    .filter((name) => name.endsWith(".json") && !name.startsWith("."))
    .toSorted()
    .map((name) => joinPath(platform, directory, name));
}

/** The file of the machine's administrator, which wins over all others: the variable's, or the one that the system has for it. */
export function systemFile(
  { platform }: Pick<SettingsPlace, "platform">,
  variable: string,
  names: { readonly linux: string; readonly darwin: string; readonly win32: string },
): string {
  const { process } = platform;
  const named = process.environment(variable);
  if (named !== undefined && named !== "") return named;
  if (process.platform === "darwin") return `/Library/Application Support/${names.darwin}/settings.json`;
  if (process.platform === "win32") return `C:\\ProgramData\\${names.win32}\\settings.json`;
  return `/etc/${names.linux}/settings.json`;
}

/** Paths of files below the folder; none where there is no folder. */
export function inFolder(
  { platform, folder }: SettingsPlace,
  directory: string,
  ...names: readonly string[]
): string[] {
  if (folder === undefined) return [];
  return names.map((name) => joinPath(platform, joinPath(platform, folder, directory), name));
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

/** A variable that an agent takes from a file. */
export interface FoundVariable {
  readonly value: string;
  readonly file: string;
}

/** Variables that an agent takes from files, by their names. */
export type FoundVariables = ReadonlyMap<string, FoundVariable>;

/** As settings tell them. */
export function toldVariables(found: FoundVariables): Required<Pick<OwnSettings, "variables" | "variableFiles">> {
  return {
    variables: Object.fromEntries(Array.from(found, ([name, { value }]) => [name, value])),
    variableFiles: Object.fromEntries(Array.from(found, ([name, { file }]) => [name, file])),
  };
}

/** The platform with variables that an agent takes from files. */
export function withVariables(platform: Platform, variables: Readonly<Record<string, string>> = {}): Platform {
  const { process } = platform;
  const { pid, ppid, uid, homeDirectory, temporaryDirectory } = process;
  return {
    ...platform,
    process: {
      pid,
      ppid,
      uid,
      homeDirectory,
      temporaryDirectory,
      platform: process.platform,
      environment: (name) => (Object.hasOwn(variables, name) ? variables[name] : process.environment(name)),
      isAlive: (of) => process.isAlive(of),
      parentOf: async (of) => await process.parentOf(of),
      startMark: async (of) => await process.startMark(of),
      stateOf: async (of) => await process.stateOf?.(of),
    },
  };
}

/** Where an agent would be started: its settings are the user's, and those of the folder, which win. */
export interface SettingsPlace {
  readonly platform: Platform;
  /** Absolute; undefined where only the user's settings are asked for. */
  readonly folder: string | undefined;
}

/** What an agent's own settings say about working with an editor. Nothing that a companion sends could change it. */
export interface OwnSettings {
  /** Whether it looks for an editor; `not-yet`: only when its user says so, who has not been asked. */
  readonly looksForEditor: "yes" | "no" | "not-yet";
  /** A variable that decides it, of this terminal or (`decidedBy`) of a file; absent: the setting `ide.enabled`. */
  readonly lookingVariable?: string | undefined;
  /** It connects without being told to where its terminal names no port, too. */
  readonly connectsByItself?: boolean;
  /** The variable by which its terminal is an editor's own: it takes only the editor in which it runs. Absent: there is none. */
  readonly editorTerminal?: string | undefined;
  /** Variables that it takes from files, and that count for it as if its terminal had them. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The files in which these stand, as far as that is known, by the names of the variables. */
  readonly variableFiles?: Readonly<Record<string, string>>;
  /** Files of settings that are there and of which it can make nothing. */
  readonly invalidFiles?: readonly string[];
  /** It takes this machine for a container whose editor is on the host, and looks there (docs/protocols/gemini.md). */
  readonly looksOnContainerHost: boolean;
  /** Whether it shows changes in an editor at all. */
  readonly showsChanges: boolean;
  /** Whether it asks before it writes. Where it does not, no change is ever shown. */
  readonly asks: boolean;
  /** The mode that decides it; undefined where none is set. */
  readonly mode: string | undefined;
  /** What counts where none is set. */
  readonly defaultMode: string;
  /** Name of that setting, e.g. `tools.approvalMode`, what has it ask there, and the user's file in which it stands. */
  readonly modeSetting: string;
  readonly askingMode: string;
  readonly settingsFile: string;
  /** The files, of the user or of the folder, that decide the above; undefined: none does, and its default counts. */
  readonly decidedBy: {
    readonly looksForEditor: string | undefined;
    readonly showsChanges: string | undefined;
    readonly mode: string | undefined;
  };
  /** A file in which its user has switched off that it tells its model what is open in an editor. */
  readonly contextOff?: string | undefined;
  /** Files that it leaves where it has been started once, beside the user's settings. */
  readonly traces: readonly string[];
  /** What turns all of its hooks off; undefined: they run. */
  readonly hooksOff: { readonly setting: string; readonly file: string } | undefined;
  /** What is typed in a running one to have it ask; undefined where it knows no such thing. */
  readonly askingInput: string | undefined;
  /** What starts it so that it asks; absent: its command with the option of `AskingMode`. */
  readonly askingCommand?: string;
  /** What keeps it from starting the service by which editors answer what it asks; absent: nothing. */
  readonly serviceOff?: { readonly setting: string; readonly file: string } | undefined;
}

/** Parses JSON with comments and trailing commas, as the agents' settings may have them; undefined where it is neither. */
export function parseLooseJson(text: string): unknown {
  try {
    return JSON.parse(plain(text));
  } catch {
    return undefined;
  }
}

function isCommentedJson(text: string): boolean {
  try {
    JSON.parse(withoutComments(text));
    return true;
  } catch {
    return false;
  }
}

/** Strings are kept as they are. */
function withoutComments(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu, (match) =>
    match.startsWith('"') ? match : " ",
  );
}

/** Strings are kept as they are; comments and trailing commas outside of them go. */
function plain(text: string): string {
  return withoutComments(text).replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/gu, (match) =>
    match.startsWith('"') ? match : "",
  );
}

/** How an agent is started, as far as its command line decides about reviews. */
export interface AgentStart {
  /** Options that name a mode, with their value behind them or behind `=`; the user's own choice is left alone. */
  readonly modeOptions: readonly string[];
  /** Values of these in which it asks before it writes, or writes nothing. */
  readonly askingModes: readonly string[];
  /** Options without a value in which it asks nobody. */
  readonly unaskingOptions: readonly string[];
  /** Options with which it answers once and ends: nobody is asked, whatever the mode. */
  readonly onceOptions: readonly string[];
  /** Whether an argument that is no option, in the first place, has it answer once, too (or is a command of its own). */
  readonly argumentIsOnce: boolean;
  /** Options with which it does without its hook; absent: there are none. */
  readonly hooklessOptions?: readonly string[];
  /** Arguments that turn its IDE mode on, where nobody has been asked yet and the user has no first prompt of their own. */
  readonly connecting?: { readonly arguments: readonly string[]; readonly promptOptions: readonly string[] };
  /** Variables with which it looks for an editor, whatever those of its terminal say. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The variable in which it alone is told the port as a plain number: its older versions read no other. Absent: as in any terminal. */
  readonly plainPort?: string;
  /** Where it finds what counts as long as nobody has chosen; absent: it knows no such thing. */
  readonly defaults?: AgentDefaults;
}

/** A file of settings that an agent reads below all others; a variable names another one. */
export interface AgentDefaults {
  readonly variable: string;
  /** The one that it would read. */
  file(place: Pick<SettingsPlace, "platform">): string;
  /** What has it look for an editor, so that nobody has to be asked. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Beside the administrator's settings, unless the variable names another. */
export function defaultsFile(
  { platform }: Pick<SettingsPlace, "platform">,
  variable: string,
  administrators: string,
): string {
  const named = chosenDirectory({ platform, folder: undefined }, variable);
  return named ?? joinPath(platform, splitPath(platform, administrators).parent, "system-defaults.json");
}
