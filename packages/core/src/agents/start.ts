import { joinPath, splitPath } from "../storage/private-directory.ts";
import { chosenDirectory, type SettingsPlace } from "./settings.ts";

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
  /** Arguments that turn its IDE mode on, where nobody has been asked yet and the user has no first prompt of their own. */
  readonly connecting?: { readonly arguments: readonly string[]; readonly promptOptions: readonly string[] };
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
