import { type SpawnOptions, spawn } from "node:child_process";
import { PatchbayError } from "@patchbay/core";

export interface Program {
  /** As the user wrote it: a command line for the shell. */
  readonly command: string;
  /** Appended as arguments, quoted by nobody but us. */
  readonly args: readonly string[];
  /** Added to the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it reads; undefined: the terminal. */
  readonly input?: string;
}

/** Runs a program that takes the whole terminal. Rejects with PatchbayError `host-failed` where it cannot run or fails. */
export async function runProgram(program: Program): Promise<void> {
  const { command, args, cwd, input } = program;
  const options: SpawnOptions = {
    cwd,
    stdio: [input === undefined ? "inherit" : "pipe", "inherit", "inherit"],
    env: { ...process.env, ...program.environment },
  };
  // As git does: the words of the command are the shell's business, the paths are arguments and need no quoting.
  const child =
    process.platform === "win32"
      ? spawn([command, ...args.map((arg) => `"${arg}"`)].join(" "), { ...options, shell: true })
      : spawn("/bin/sh", ["-c", args.length === 0 ? command : `${command} "$@"`, command, ...args], options);
  // A pager that was left before its end reads no more.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  }).catch((error: unknown) => {
    throw new PatchbayError("host-failed", `${command} could not be started.`, { cause: error });
  });
  if (code !== 0) throw new PatchbayError("host-failed", `${command} ended with code ${String(code)}.`);
}

/** Shows text (safe to print) in $PAGER, or less (more on Windows), a screen at a time. Rejects where that cannot run or fails. */
export async function showInPager(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<void> {
  const { PAGER: pager = "", LESS: less } = environment;
  const command = pager !== "" ? pager : process.platform === "win32" ? "more" : "less";
  // As git does: colours are shown, a text of one screen needs no key, and it stays there.
  await runProgram({ command, args: [], environment: less === undefined ? { LESS: "FRX" } : {}, cwd, input: text });
}
