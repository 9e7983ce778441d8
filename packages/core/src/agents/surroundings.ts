import type { Platform } from "../platform/platform.ts";

/** What decides where agents look: this terminal's, or those of another process. */
export interface Surroundings {
  readonly homeDirectory: string;
  readonly temporaryDirectory: string;
  environment(name: string): string | undefined;
}

/** A variable's value; undefined where it is empty or not set. */
export function variableOf(surroundings: Pick<Surroundings, "environment">, name: string): string | undefined {
  return surroundings.environment(name) || undefined;
}

/**
 * The port as `CLAUDE_CODE_SSE_PORT` names it: 43255 as `0.43255e5`. Claude Code reads an exponent. opencode and Kilo read the digits before
 * the point, which are no port, and look for the record; a plain port they would dial without its token (docs/protocols/opencode.md).
 */
export function portWithExponent(port: number): string {
  const digits = String(port);
  return `0.${digits}e${digits.length}`;
}

/** More ancestors than any terminal has. */
const mostAncestors = 32;

const largestEnvironmentBytes = 1_048_576;

/** The processes above this one, the nearest first. */
export async function ancestorsOf(platform: Platform): Promise<readonly number[]> {
  const ancestors: number[] = [];
  let pid: number | undefined = platform.process.ppid;
  while (pid !== undefined && pid > 0 && ancestors.length < mostAncestors && !ancestors.includes(pid)) {
    ancestors.push(pid);
    pid = await platform.process.parentOf(pid);
  }
  return ancestors;
}

/** Whether a process is stopped, as by Ctrl-Z. False where it cannot be told. */
export async function isStopped({ process }: Pick<Platform, "process">, pid: number): Promise<boolean> {
  const state = await process.stateOf?.(pid);
  return state === "T" || state === "t";
}

/** What decides where the agents of another process look; undefined where it is hidden from us. */
export async function surroundingsOf(platform: Platform, pid: number): Promise<Surroundings | undefined> {
  const text = await readKernel(platform, pid, "environ");
  if (text === undefined || text === "") return undefined;
  const variables = new Map(
    text.split("\0").map((entry): readonly [string, string] => {
      const at = entry.indexOf("=");
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
  );
  const { homeDirectory } = platform.process;
  return {
    homeDirectory: variables.get("HOME") || homeDirectory,
    temporaryDirectory: withoutEnd(variables.get("TMPDIR") || variables.get("TMP") || variables.get("TEMP") || "/tmp"),
    environment: (name) => variables.get(name),
  };
}

/** Where an editor may have been started otherwise than this terminal: its ancestors' surroundings, and the system's own. */
export async function otherSurroundings(platform: Platform): Promise<readonly Surroundings[]> {
  const { homeDirectory, temporaryDirectory, platform: system } = platform.process;
  const ancestors = await ancestorsOf(platform);
  const found = await Promise.all(ancestors.map(async (pid) => await surroundingsOf(platform, pid)));
  const nothing = (): undefined => undefined;
  const home = (await homeInPasswords(platform)) ?? homeDirectory;
  const usual =
    system === "win32"
      ? []
      : [
          { homeDirectory: home, temporaryDirectory, environment: nothing },
          { homeDirectory: home, temporaryDirectory: "/tmp", environment: nothing },
        ];
  return [...found.flatMap((one) => (one === undefined ? [] : [one])), ...usual];
}

/** The home that the system has written down for this user; undefined where it keeps that elsewhere. */
async function homeInPasswords({ files, process }: Platform): Promise<string | undefined> {
  const text = await files.readText("/etc/passwd", largestEnvironmentBytes).catch(() => undefined);
  for (const line of text?.split("\n") ?? []) {
    const [, , uid, , , home] = line.split(":");
    if (uid === String(process.uid) && home !== undefined && home !== "") return home;
  }
  return undefined;
}

function withoutEnd(directory: string): string {
  return directory.length > 1 ? directory.replace(/\/+$/u, "") : directory;
}

export async function readKernel(
  platform: Pick<Platform, "files" | "process">,
  pid: number,
  name: "comm" | "environ",
): Promise<string | undefined> {
  if (platform.process.platform !== "linux") return undefined;
  return await platform.files.readText(`/proc/${pid}/${name}`, largestEnvironmentBytes).catch(() => undefined);
}
