import process from "node:process";

/** What Unix has and Windows does not, and what Windows does instead. */
const unixOnly = {
  "permission bits": "who may do what stands in access lists, which Node does not show",
  owners: "Node shows no owner",
  "signals to catch": "a signal ends a program at once",
  "stopped processes": "nothing like SIGSTOP is there",
  "facts about processes": "Node tells only whether one is alive",
  "a POSIX shell": "there is cmd, and PowerShell",
  "programs by their first line": "programs are known by their endings",
  "named pipes as files": "a named pipe has a place of its own",
  "sockets as files": "a named pipe has a place of its own",
  "the program diff": "none is there",
  "a trash": "only programs of the system move files there",
  "any byte in a name": "names are Unicode, and some characters are not for them",
  "links without a right": "whoever makes one needs a right of its own",
} as const;

export type UnixOnly = keyof typeof unixOnly;

/** Whether a test that needs this is to be skipped here: `it.skipIf(isMissing("signals to catch"))`. */
export function isMissing(...needed: readonly UnixOnly[]): boolean {
  return process.platform === "win32" && needed.length > 0;
}

/** The permission bits that Node shows of a file or directory that was made with `mode`: on Windows only whether it can be written. */
export function shownMode(mode: number): number {
  if (process.platform !== "win32") return mode;
  return (mode & 0o200) === 0 ? 0o444 : 0o666;
}

/** The variables by which programs find the home of their user. */
export function homeVariables(home: string): Readonly<Record<string, string>> {
  return { HOME: home, USERPROFILE: home };
}
