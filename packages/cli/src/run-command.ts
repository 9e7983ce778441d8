import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { createNodePlatform } from "@patchbay/core";
import type { Command } from "./command-line.ts";
import { helpText } from "./help.ts";
import { createPaint, wantsColour } from "./terminal/paint.ts";
import { terminalSafe, terminalSafeJson } from "./terminal/escape-text.ts";
import { wrapText } from "./terminal/layout.ts";
import { version } from "./own-command.ts";

/** Runs a command with this process's terminal; resolves with the exit code. */
export async function runCommand(command: Command): Promise<number> {
  const print = printerFor(command);
  switch (command.kind) {
    case "help":
      print(wrapText(helpText(command.topic), process.stdout.columns ?? 120));
      return 0;
    case "version":
      print(version);
      return 0;
    case "serve": {
      const { serve } = await import("./serve/serve.ts");
      const { repairHooks } = await import("@patchbay/core/hook-settings");
      // Standard output is the screen's or the program's.
      const warn = (line: string): void => console.error(terminalSafe(line));
      await repairHooks({ platform: createNodePlatform(), ...ownHook, warn });
      return await serve(command);
    }
    case "status": {
      if (command.watch) {
        const { watchStatus } = await import("./status/watch-status.ts");
        const end = new AbortController();
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => end.abort());
        const { json } = command;
        return await watchStatus({ platform: createNodePlatform(), json, output: process.stdout, signal: end.signal });
      }
      const { printStatus } = await import("./status/print-status.ts");
      return await printStatus({ platform: createNodePlatform(), json: command.json, print });
    }
    case "env": {
      const { printEnvironment } = await import("./env/print-environment.ts");
      const { folder, shell, port } = command;
      const tell = (line: string): void => console.error(terminalSafe(line));
      return await printEnvironment({ folder, shell, port, platform: createNodePlatform(), print, tell });
    }
    case "panel": {
      const { runPanel } = await import("./panel/run-panel.ts");
      const end = new AbortController();
      // A second signal ends at once: the listeners are gone by then.
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => end.abort());
      return await runPanel({
        command,
        platform: createNodePlatform(),
        pageDirectory: fileURLToPath(new URL("page", import.meta.url)),
        locale: Intl.DateTimeFormat().resolvedOptions().locale,
        print,
        tell: (line) => console.error(terminalSafe(line)),
        signal: end.signal,
        onDidStart: (panel) => process.once("exit", () => panel.endNow()),
      });
    }
    case "run": {
      const { runAgent } = await import("./run/run-agent.ts");
      const { runInForeground } = await import("./run/foreground.ts");
      const tell = (line: string): void => console.error(terminalSafe(line));
      const platform = createNodePlatform();
      return await runAgent({ command, platform, environment: process.env, tell, run: runInForeground });
    }
    case "hook": {
      const { manageHooks } = await import("./hook/manage-hooks.ts");
      const paint = createPaint(wantsColour(process.env, process.stdout.isTTY));
      return await manageHooks({
        command,
        platform: createNodePlatform(),
        ...ownHook,
        paint,
        print,
        ask: askYes,
      });
    }
    case "turns":
    case "diff":
    case "undo":
    case "redo": {
      const { runTurns } = await import("./turns/turn-commands.ts");
      const paint = createPaint(wantsColour(process.env, process.stdout.isTTY));
      return await runTurns({ command, platform: createNodePlatform(), paint, print, ask: askYes });
    }
    case "doctor": {
      const paint = createPaint(wantsColour(process.env, process.stdout.isTTY));
      if (command.explain !== undefined) {
        const { printExplanation } = await import("./doctor/print-explanation.ts");
        const { columns } = process.stdout;
        return await printExplanation({ code: command.explain, json: command.json, paint, columns, print });
      }
      const { printFindings } = await import("./doctor/print-findings.ts");
      const { folder, json, report, agents } = command;
      return await printFindings({ folder, json, report, agents, platform: createNodePlatform(), paint, print });
    }
  }
}

/** What a program reads keeps its values: JSON by its own escapes, and a shell's lines as they are where no terminal shows them. */
function printerFor(command: Command): (line: string) => void {
  if ("json" in command && command.json) return (line) => console.log(terminalSafeJson(line));
  if (command.kind === "env" && !process.stdout.isTTY) return (line) => console.log(line);
  return (line) => console.log(terminalSafe(line));
}

/** What agents run as their hook, which the build puts beside this file, and by what. */
const ownHook = {
  readProgram: async (): Promise<string> => await readFile(new URL("patchbay-hook.cjs", import.meta.url), "utf8"),
  runtime: { program: process.execPath, isElectron: false },
};

/** Whether the user says yes; undefined where nobody can be asked. */
async function askYes(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(?:es)?$/iu.test((await lines.question(`${terminalSafe(question)} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
