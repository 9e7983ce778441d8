import { createNodePlatform } from "@patchbay/core";
import type { Command } from "./command-line.ts";
import { helpText } from "./help.ts";
import { createPaint, wantsColour } from "./terminal/paint.ts";
import { version } from "./version.ts";

/** Runs a command with this process's terminal; resolves with the exit code. */
export async function runCommand(command: Command): Promise<number> {
  const print = (line: string): void => console.log(line);
  switch (command.kind) {
    case "help":
      print(helpText(command.topic));
      return 0;
    case "version":
      print(version);
      return 0;
    case "serve": {
      const { serve } = await import("./serve/serve.ts");
      return await serve(command);
    }
    case "status": {
      const { printStatus } = await import("./status/print-status.ts");
      return await printStatus({ platform: createNodePlatform(), json: command.json, print });
    }
    case "env": {
      const { printEnvironment } = await import("./env/print-environment.ts");
      const { folder, shell, port } = command;
      const tell = (line: string): void => console.error(line);
      return await printEnvironment({ folder, shell, port, platform: createNodePlatform(), print, tell });
    }
    case "doctor": {
      const { printFindings } = await import("./doctor/print-findings.ts");
      const paint = createPaint(wantsColour(process.env, process.stdout.isTTY));
      const { folder, json, agents } = command;
      return await printFindings({ folder, json, agents, platform: createNodePlatform(), paint, print });
    }
  }
}
