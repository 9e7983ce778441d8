import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import {
  type Companion,
  createNodePlatform,
  type Event,
  PatchbayError,
  type Platform,
  toDisposable,
} from "@patchbay/core";
import { findEditorsWith } from "@patchbay/core/diagnosis";
import type { ServeCommand } from "../command-line.ts";
import { terminalSafe } from "../terminal/escape-text.ts";
import { createPaint, wantsColour } from "../terminal/paint.ts";
import type { ScreenStreams } from "../terminal/screen.ts";
import { serveInTerminal } from "./serve-in-terminal.ts";

/** `patchbay serve`: a review in the terminal, a program's host, or the demonstration. */
export async function serve(command: ServeCommand, streams: ScreenStreams = ownStreams()): Promise<number> {
  const isTerminal = streams.input.isTTY === true && streams.output.isTTY === true;
  let trial = false;
  if (command.demo) {
    const code = await demonstrate();
    const next = isTerminal ? await askWhatNext(streams) : "quit";
    if (next === "quit") return code;
    trial = next === "try";
  }
  const folder = servedFolder(command.folder);
  if (!isTerminal && !command.json) throw new PatchbayError("invalid-argument", withoutTerminal);
  const platform = createNodePlatform();
  const moreFolders = command.moreFolders.map(servedFolder);
  const others = await otherEditors(platform, folder);
  const abort = new AbortController();
  const onCompanion = (companion: Companion): void => void process.once("exit", () => companion.removeRecordsSync());
  // A second signal ends at once: the listeners are gone by then.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) process.once(signal, () => abort.abort());
  const common = { command, folder, platform, signal: abort.signal, onCompanion };
  if (command.json) {
    const { serveAsJson } = await import("./serve-as-json.ts");
    await serveAsJson({ ...common, ...streams, moreFolders });
  } else {
    const paint = createPaint(wantsColour(process.env, true));
    const around = { environment: process.env, suspend, onDidContinue };
    await serveInTerminal({ ...common, ...around, streams, paint, others, trial });
  }
  // Standard input may still be read by someone; nothing else is open.
  process.stdin.unref?.();
  return 0;
}

/** After the demonstration: whoever has seen it may want to do it. */
async function askWhatNext({ input, output }: ScreenStreams): Promise<"try" | "connect" | "quit"> {
  const lines = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("q")));
  output.write("\nWhat next?\n  t  try a review yourself\n  c  connect an agent to this folder\n  q  quit\n");
  try {
    const answer = (await Promise.race([lines.question("> "), ended])).trim().toLowerCase();
    if (answer.startsWith("t")) return "try";
    return answer.startsWith("c") ? "connect" : "quit";
  } finally {
    lines.close();
  }
}

/** The whole job, as the terminal itself does it: a script or a package manager above stops with it. */
function suspend(): void {
  process.kill(0, "SIGTSTP");
}

const onDidContinue: Event<void> = (listener) => {
  const told = (): void => listener();
  process.on("SIGCONT", told);
  return toDisposable(() => void process.off("SIGCONT", told));
};

function ownStreams(): ScreenStreams {
  return { input: process.stdin, output: process.stdout };
}

const withoutTerminal =
  "There is no terminal to review changes in. Use --json for programs, or --demo to see the whole loop without a terminal.";

function servedFolder(folder: string): string {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new PatchbayError("invalid-argument", `Folder not found: ${path}.`);
  }
  return realpathSync(path);
}

/** Names of the other editors of a folder. Two headless hosts would share drafts and take each other's agents: that is refused. */
async function otherEditors(platform: Platform, folder: string): Promise<readonly string[]> {
  const serving = await findEditorsWith(platform, folder);
  const other = serving.find((editor) => editor.editorId === "patchbay" && editor.folders.includes(folder));
  if (other === undefined) return serving.map((editor) => `${editor.name} (port ${editor.port})`);
  const where = other.pid === undefined ? "" : ` (process ${other.pid})`;
  throw new PatchbayError("port-unavailable", `Patchbay is already serving ${folder}${where}. Stop that one first.`);
}

async function demonstrate(): Promise<number> {
  const { runDemo } = await import("../demo/run-demo.ts");
  const { formatDemo, isAsExpected } = await import("../demo/demo-stage.ts");
  const rows = await runDemo();
  const paint = createPaint(wantsColour(process.env, process.stdout.isTTY));
  console.log(terminalSafe(formatDemo(rows, paint, process.stdout.columns).join("\n")));
  return rows.every(isAsExpected) ? 0 : 1;
}
