import {
  type FinishedChange,
  type HookChange,
  type NamedFile,
  type PathPlace,
  relativePath,
  type ToolArguments,
} from "../hook.ts";
import { pathRefused } from "../../support/errors.ts";
import { type PatchSection, readSections, updated } from "./apply-patch.ts";

/** What Codex's tools are called in its hook's events. */
export const patchTool = "apply_patch";
export const commandTool = "Bash";

/** A patch that a tool is about to apply. */
export interface PatchCall {
  readonly changes: readonly HookChange[];
  /** The same patch of what the user wants; undefined where none can be written. */
  argumentsForAll(finished: readonly FinishedChange[]): Promise<ToolArguments | undefined>;
}

/** The patch of a tool's call; undefined where it applies none. */
export function patchCallOf(tool: string | undefined, command: string): PatchCall | undefined {
  if (tool === patchTool) return callOf(command, undefined, (patch) => patch);
  if (tool !== commandTool || !/\bapply_?patch\b/u.test(command) || !command.includes("*** Begin Patch")) {
    return undefined;
  }
  const shell = readShell(command);
  if (shell === undefined) return untoldCall("It comes in a command that does more than apply a patch.");
  const { before, directory, patch } = shell;
  return callOf(patch, directory, (next) => {
    let word = "PATCH";
    while (next.split("\n").includes(word)) word += "_";
    return `${before}apply_patch <<'${word}'\n${next}\n${word}\n`;
  });
}

interface ShellPatch {
  /** What stands before the program. */
  readonly before: string;
  /** Where it is run; undefined: where the command is. */
  readonly directory: string | undefined;
  readonly patch: string;
}

const shellForm =
  /^\s*(?<before>cd[ \t]+(?<directory>[\w./@+-]+|'[^']+'|"[^"$`\\]+")[ \t]*&&[ \t]*)?apply_?patch[ \t]*<<(?<quote>['"]?)(?<word>\w+)\k<quote>[ \t]*\n(?<patch>[\s\S]*)\n\k<word>\s*$/u;

/** The one form of command that Codex takes for its own tool. */
function readShell(command: string): ShellPatch | undefined {
  const { before = "", directory, word, patch } = shellForm.exec(command)?.groups ?? {};
  if (patch === undefined || word === undefined || patch.split("\n").includes(word)) return undefined;
  return { before, directory: directory?.replace(/^(['"])(.*)\1$/u, "$2"), patch };
}

function callOf(patch: string, directory: string | undefined, toCommand: (patch: string) => string): PatchCall {
  const sections = readSections(patch);
  if (sections === undefined) return untoldCall("It is named in a patch that is not in the plain form.");
  const parts = sections.map((section) => partOf(section, directory));
  return {
    changes: parts.flatMap(({ changes }) => changes.map(({ change }) => change)),
    argumentsForAll: async (finished) => {
      const { rewrittenPatch } = await import("./patch-writing.ts");
      const next = rewrittenPatch(parts, finished);
      return next === undefined ? undefined : { command: toCommand(next) };
    },
  };
}

/** What cannot be read may name any file. */
function untoldCall(why: string): PatchCall {
  const opened = async (): Promise<string> => {
    throw pathRefused(why);
  };
  const change = { path: "the patch", opened, textAfter: () => undefined, argumentsFor: () => undefined };
  return { changes: [{ ...change, isDelicate: false }], argumentsForAll: async () => undefined };
}

/** One change in the one section that makes it. */
interface PartChange {
  readonly change: HookChange;
  readonly isRemoval: boolean;
  readonly path: string;
  readonly isWhole: boolean;
}

/** A section of a patch with the changes that it makes. */
export interface Part {
  readonly section: PatchSection;
  readonly changes: readonly PartChange[];
}

function partOf(section: PatchSection, directory: string | undefined): Part {
  const { kind, path, movedTo } = section;
  const named = (name: string): NamedFile => ({ path: name, opened: (place) => openedByCodex(name, directory, place) });
  const changeOf = (name: string, textAfter: HookChange["textAfter"], source?: NamedFile): HookChange => ({
    ...named(directory === undefined || name.startsWith("/") ? name : `${directory}/${name}`),
    opened: named(name).opened,
    ...(source === undefined ? {} : { source }),
    isDelicate: false,
    textAfter,
    argumentsFor: () => undefined,
  });
  const removal = (name: string): PartChange => ({
    change: changeOf(name, (before) => (before === undefined ? undefined : "")),
    isRemoval: true,
    path: name,
    isWhole: true,
  });
  if (kind === "delete") return { section, changes: [removal(path)] };
  if (kind === "add") {
    const change = changeOf(path, () => section.added);
    return { section, changes: [{ change, isRemoval: false, path, isWhole: true }] };
  }
  const after = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : updated(text, section.hunks);
  if (movedTo === undefined) {
    return { section, changes: [{ change: changeOf(path, after), isRemoval: false, path, isWhole: false }] };
  }
  const arrival = changeOf(movedTo, (_before, source) => after(source), named(path));
  return { section, changes: [{ change: arrival, isRemoval: false, path: movedTo, isWhole: true }, removal(path)] };
}

/** A path is taken by its letters, also an absolute one: `..` leads to what stands before it (seen, 0.171.0). `~` is a name. */
export async function openedByCodex(
  path: string,
  directory: string | undefined,
  { cwd, words }: PathPlace,
): Promise<string> {
  if (words.isAbsolute(path)) return words.resolve(path);
  const folder = directory === undefined ? cwd : words.isAbsolute(directory) ? directory : undefined;
  if (folder !== undefined) return words.resolve(folder, path);
  if (cwd === undefined || directory === undefined) throw relativePath();
  return words.resolve(cwd, directory, path);
}
