import { env } from "vscode";
import type { HostIdentity } from "@patchbay/core";

/** Who we are to the agents. Forks are called what they call themselves, so that no agent offers them another editor's extension. */
export function createIdentity(version: string): HostIdentity {
  const isVsCode = /^Visual Studio Code\b/u.test(env.appName);
  return {
    name: isVsCode ? "vscode" : machineName(env.appName),
    displayName: isVsCode ? env.appName.replace("Visual Studio Code", "VS Code") : env.appName,
    version,
    // The agents' walk from a terminal ends at the process that started the extension host.
    pids: [process.ppid],
  };
}

function machineName(appName: string): string {
  const name = appName
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-+|-+$/gu, "");
  return name === "" || name === "vscode" ? "vscode-fork" : name;
}
