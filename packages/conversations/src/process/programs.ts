import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { delimiter, dirname, extname, isAbsolute, join } from "node:path";
import process from "node:process";
import { type Clock, LoadOnce, type Logger, PatchbayError } from "@patchbay/core";
import type { Environment, StartRequest } from "./children.ts";
import type { Start } from "./windows-shims.ts";

/** A program of an agent, as the catalogue or a setting names it. */
export interface ProgramNeed {
  /** The agent's name for people. */
  readonly agentName: string;
  /** What it is started with, e.g. `claude`. */
  readonly command: string;
  /** The package of npm that brings it. */
  readonly package?: string;
}

/** What the user has chosen, in settings of the machine. */
export interface ProgramSettings {
  /** Another program than the agent's usual one: an absolute path, or a command. */
  readonly program?: string;
  /** A program that is started in its place, with it and its arguments as arguments. */
  readonly wrapper?: string;
  /** Variables that count more than the inherited ones. */
  readonly environment?: Environment;
}

/** What is started: everything of a `StartRequest` but the folder. */
export type Launch = Omit<StartRequest, "cwd">;

export interface ProgramFinderOptions {
  /** The environment of the editor. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Default: this machine's. */
  readonly platform?: string;
}

/** How long a login shell may take to say its path, ms: it runs what its user has written into its start files. */
const shellMs = 3_000;

/** Stand around what the login shell says: start files may print something, too. */
const mark = "__patchbay_path__";

/**
 * Finds programs as the user's terminal would: an editor that was not started from a terminal has another path. In this
 * order: the setting, the editor's own path, the path of a login shell, the folders into which installers put programs.
 */
export class ProgramFinder {
  readonly #options: ProgramFinderOptions;
  readonly #shellPath: LoadOnce<readonly string[]>;

  constructor(options: ProgramFinderOptions) {
    this.#options = options;
    this.#shellPath = new LoadOnce(() => this.#askShell());
  }

  /**
   * How an agent is started. `added` are variables of the session, which count most. Rejects with a `PatchbayError` of code
   * `not-installed` that says how to get the program.
   */
  async launch(
    need: ProgramNeed,
    settings: ProgramSettings,
    args: readonly string[],
    added: Environment = {},
  ): Promise<Launch> {
    const chosen = settings.program?.trim() ?? "";
    const found = await this.#find(chosen === "" ? need.command : chosen);
    const start = found === undefined ? undefined : await this.#startOf(found);
    if (found === undefined || start === undefined) throw missing(need, chosen);
    const wrapper = settings.wrapper?.trim() ?? "";
    const wrapping = wrapper === "" ? undefined : await this.#find(wrapper);
    const outer = wrapping === undefined ? undefined : await this.#startOf(wrapping);
    if (wrapper !== "" && outer === undefined) {
      throw new PatchbayError("not-found", `The wrapper for ${need.agentName}, ${wrapper}, was not found.`);
    }
    const environment = agentEnvironment(this.#options.environment, { ...settings.environment, ...added });
    return {
      program: (outer ?? start).program,
      args: [...(outer === undefined ? start.args : [...outer.args, start.program, ...start.args]), ...args],
      environment: { ...withoutPath(environment), PATH: await this.#pathFor(found, environment) },
    };
  }

  /** The absolute path of a command; undefined where there is none that can be started. */
  async find(command: string): Promise<string | undefined> {
    const found = await this.#find(command);
    return found === undefined || (await this.#startOf(found)) === undefined ? undefined : found;
  }

  async #find(command: string): Promise<string | undefined> {
    const endings = this.#isWindows ? windowsEndings : [""];
    if (/^~[/\\]/u.test(command))
      return await executableAt(join(this.#options.homeDirectory, command.slice(2)), endings);
    if (isAbsolute(command)) return await executableAt(command, endings);
    return (
      (await firstIn(this.#ownPath(), command, endings)) ??
      (await firstIn(await this.#shellPath.get(), command, endings)) ??
      (await firstIn(await this.#installFolders(), command, endings))
    );
  }

  /** Undefined for a script that only the command processor of Windows could run. */
  async #startOf(path: string): Promise<Start | undefined> {
    if (!this.#isWindows || extname(path).toLowerCase() !== ".cmd") return { program: path, args: [] };
    const { readShim } = await import("./windows-shims.ts");
    return await readShim(path, async (program) => await this.#find(program));
  }

  get #isWindows(): boolean {
    return (this.#options.platform ?? process.platform) === "win32";
  }

  /** A script names its interpreter by a command: what is found there must be found by it, too. */
  async #pathFor(program: string, environment: Environment): Promise<string> {
    const own = foldersOf(pathIn(environment));
    const folder = dirname(program);
    const isOwn = this.#ownPath().includes(folder);
    const more = isOwn ? [] : [folder, ...(await this.#shellPath.get())];
    return [...new Set([...own, ...more])].join(delimiter);
  }

  #ownPath(): readonly string[] {
    return foldersOf(pathIn(this.#options.environment));
  }

  async #installFolders(): Promise<readonly string[]> {
    const home = this.#options.homeDirectory;
    const { environment } = this.#options;
    const inHome = [
      ".local/bin",
      ".claude/local",
      ".npm-global/bin",
      ".bun/bin",
      ".volta/bin",
      ".yarn/bin",
      ".local/share/pnpm",
      "Library/pnpm",
      "AppData/Roaming/npm",
      "AppData/Local/pnpm",
    ];
    const versions = join(environment["NVM_DIR"] ?? join(home, ".nvm"), "versions", "node");
    const installed = (await readdir(versions).catch(() => [])).sort(byVersion).reverse();
    return [
      ...inHome.map((folder) => join(home, folder)),
      "/usr/local/bin",
      "/opt/homebrew/bin",
      "/snap/bin",
      ...installed.map((version) => join(versions, version, "bin")),
    ];
  }

  /** Never rejects. */
  async #askShell(): Promise<readonly string[]> {
    const shell = this.#options.environment["SHELL"];
    if (process.platform === "win32" || shell === undefined || !isAbsolute(shell)) return [];
    const text = await new Promise<string>((resolve) => {
      let said = "";
      // Interactive, too: many keep their path in what only interactive shells read. Detached, so that it has no terminal to take.
      const child = spawn(shell, ["-i", "-l", "-c", `echo ${mark}; printenv PATH; echo ${mark}`], {
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
        cwd: this.#options.homeDirectory,
        env: agentEnvironment(this.#options.environment),
      });
      const limit = this.#options.clock.setTimeout(() => {
        this.#options.logger.warn("The login shell did not say its path in time");
        finish();
      }, shellMs);
      const finish = (): void => {
        limit.dispose();
        endGroup(child.pid);
        child.stdout.destroy();
        resolve(said);
      };
      child.stdout.on("data", (chunk: Uint8Array) => {
        said += new TextDecoder().decode(chunk);
        // It may leave something running that keeps the pipe open.
        if (said.split(mark).length > 2) finish();
      });
      child.on("error", finish);
      child.on("close", finish);
    });
    return foldersOf(text.split(mark)[1]?.trim());
  }
}

function missing(need: ProgramNeed, chosen: string): PatchbayError {
  if (chosen !== "") {
    return new PatchbayError(
      "not-found",
      `${chosen}, which the settings name for ${need.agentName}, was not found or cannot be run.`,
    );
  }
  const how = need.package === undefined ? "" : ` Install it with: npm install --global ${need.package}`;
  return new PatchbayError("not-installed", `${need.agentName} (${need.command}) is not installed.${how}`);
}

/** What programs say of an argument that they do not know. */
const unknownArgument = /\bun(?:known|recognized|expected) (?:argument|option)s?\b/iu;

/**
 * Why an agent that ended as soon as it was started did so: one that does not know how it was started is older than what it is
 * started for. What it said last is the `cause`.
 */
export function startFailure({ agentName, package: fromNpm }: ProgramNeed, lastErrors: string): PatchbayError {
  const detail = lastErrors === "" ? {} : { cause: lastErrors };
  if (unknownArgument.test(lastErrors)) {
    const how = fromNpm === undefined ? "Update it." : `Update it with: npm install --global ${fromNpm}@latest`;
    return new PatchbayError("not-installed", `${agentName} is too old for Patchbay. ${how}`, detail);
  }
  const last = lastErrors.split("\n").at(-1)?.trim() ?? "";
  return new PatchbayError(
    "host-failed",
    `${agentName} exited as soon as it was started${last && `: ${last}`}`,
    detail,
  );
}

/** Windows spells it `Path`, and looks for it in any case. */
function pathIn(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  return environment["PATH"] ?? environment["Path"];
}

/** Of two spellings, Windows would take either. */
function withoutPath(environment: Environment): Environment {
  const { Path: _named, ...rest } = environment;
  return environment["PATH"] === undefined ? rest : environment;
}

function foldersOf(path: string | undefined): readonly string[] {
  return (path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
}

async function firstIn(
  folders: readonly string[],
  command: string,
  endings: readonly string[],
): Promise<string | undefined> {
  for (const folder of folders) {
    const found = await executableAt(join(folder, command), endings);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Windows finds programs by their endings. The last is that of scripts, which is what npm puts there (`readShim`). */
const windowsEndings = [".exe", ".com", ".cmd"];

async function executableAt(path: string, endings: readonly string[]): Promise<string | undefined> {
  for (const ending of endings) {
    const candidate = ending !== "" && extname(path).toLowerCase() === ending ? path : `${path}${ending}`;
    try {
      await access(candidate, constants.X_OK);
      if ((await stat(candidate)).isFile()) return candidate;
    } catch {
      // Not here.
    }
  }
  return undefined;
}

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/**
 * What tells an agent that it runs in a terminal of an editor: one in the panel must not look for a companion, or each of its
 * edits would be asked for twice (docs/protocols/acp.md). And what is meant for the editor's own process alone.
 */
const removed: readonly RegExp[] = [
  /^TERM_PROGRAM(?:_VERSION)?$/u,
  /^TERM_PRODUCT$/u,
  /^GEMINI_CLI_IDE_/u,
  /^QWEN_CODE_IDE_/u,
  /^CLAUDE_CODE_SSE_PORT$/u,
  /^ENABLE_IDE_INTEGRATION$/u,
  /^VSCODE_/u,
  /^ELECTRON_RUN_AS_NODE$/u,
  // The editor may itself have been started by an agent: this one is not below that.
  /^CLAUDECODE$/u,
  /^CLAUDE_CODE_ENTRYPOINT$/u,
];

/** The user's environment as an agent of the panel gets it; `added` counts more, whatever it names. */
export function agentEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  added: Environment = {},
): Environment {
  const kept = Object.entries(inherited).flatMap(([name, value]): readonly (readonly [string, string])[] =>
    value === undefined || removed.some((pattern) => pattern.test(name)) ? [] : [[name, value]],
  );
  return { ...Object.fromEntries(kept), ...added };
}
