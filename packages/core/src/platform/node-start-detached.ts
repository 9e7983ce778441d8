import { parse } from "node:path";
import process from "node:process";

/** How long the program may take to go down the pipe, ms. */
const handOverMs = 1_000;

/** Starts a program with the Node (or Electron as Node) that runs us. See `Processes`. */
export async function startDetached(program: string): Promise<boolean> {
  // Not an import: see node-process.ts.
  const childProcess =
    typeof process.getBuiltinModule === "function" ? process.getBuiltinModule("node:child_process") : undefined;
  if (childProcess === undefined) return false;
  const { NODE_OPTIONS: _ours, ...environment } = process.env;
  return await new Promise((resolve) => {
    const child = childProcess.spawn(process.execPath, ["-"], {
      detached: true,
      windowsHide: true,
      // No folder of the user is kept busy.
      cwd: parse(process.execPath).root,
      stdio: ["pipe", "ignore", "ignore"],
      env: { ...environment, ELECTRON_RUN_AS_NODE: "1" },
    });
    const end = (started: boolean): void => {
      clearTimeout(timer);
      child.unref();
      resolve(started);
    };
    const timer = setTimeout(() => end(false), handOverMs);
    child.on("error", () => end(false));
    child.stdin.on("error", () => end(false));
    child.stdin.end(program, () => end(true));
  });
}
