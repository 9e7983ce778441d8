import { parse } from "node:path";
import process from "node:process";
import { Writable } from "node:stream";
import { inheritedDescriptor } from "./platform.ts";

/** How long the program may take to go down the pipe, ms. */
const handOverMs = 1_000;

/** The program comes down this one: standard input would be closed with the shell that is between. */
const pipeNumber = 3;

/**
 * A host that ends may end what it finds below itself (Theia does, by the ids of parents, whatever process group they are
 * in). So a shell is between, which is over at once: whose parent has ended belongs to the system's first process.
 */
const orphaning = { command: "/bin/sh", args: ["-c", `"$0" - <&${pipeNumber} ${pipeNumber}<&- &`, process.execPath] };

/** Without that shell: Windows has none, and few other systems lack it. */
const asChild = { command: process.execPath, args: ["-"] };

/** Starts a program with the Node (or Electron as Node) that runs us. See `Processes`. */
export async function startDetached(program: string, descriptor: number | undefined): Promise<boolean> {
  const started = process.platform === "win32" ? "no-command" : await start(orphaning, pipeNumber, program, descriptor);
  return (started === "no-command" ? await start(asChild, 0, program, descriptor) : started) === "started";
}

/** `failed`: it did not take the program, or perhaps a part of it. */
async function start(
  { command, args }: typeof asChild,
  input: number,
  program: string,
  descriptor: number | undefined,
): Promise<"started" | "failed" | "no-command"> {
  // Not an import: see node-process.ts.
  const childProcess =
    typeof process.getBuiltinModule === "function" ? process.getBuiltinModule("node:child_process") : undefined;
  if (childProcess === undefined) return "failed";
  const { NODE_OPTIONS: _ours, ...environment } = process.env;
  return await new Promise((resolve) => {
    const child = childProcess.spawn(command, args, {
      detached: true,
      windowsHide: true,
      // No folder of the user is kept busy.
      cwd: parse(process.execPath).root,
      stdio: Array.from({ length: inheritedDescriptor + 1 }, (_, number) => {
        if (number === input) return "pipe";
        return number === inheritedDescriptor ? (descriptor ?? "ignore") : "ignore";
      }),
      env: { ...environment, ELECTRON_RUN_AS_NODE: "1" },
    });
    const pipe = child.stdio[input];
    const end = (how: "started" | "failed"): void => {
      clearTimeout(timer);
      child.unref();
      resolve(child.pid === undefined ? "no-command" : how);
    };
    const timer = setTimeout(() => end("failed"), handOverMs);
    child.on("error", () => end("failed"));
    if (!(pipe instanceof Writable)) return;
    pipe.on("error", () => end("failed"));
    // The shell's end comes last: only then has the program lost its parent.
    const isOver = new Promise<void>((over) => (input === 0 ? over() : child.once("exit", () => over())));
    pipe.end(program, () => void isOver.then(() => end("started")));
  });
}
