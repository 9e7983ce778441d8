import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { panelReadersToo } from "../../agents/index.ts";
import { panelProgram } from "../../agents/panel-agent.ts";
import { codeServerEntry, codeServerNode } from "../../prerequisites/components.ts";
import type { Lab } from "../../support/lab.ts";
import { poll } from "../../support/poll.ts";
import { type Daemon, mustRun, startDaemon } from "../../support/processes.ts";

/** Settings of the window: what makes it quiet, readable by a test, and like a desktop's. */
const settings = {
  "files.autoSave": "off",
  "files.simpleDialog.enable": true,
  "terminal.integrated.gpuAcceleration": "off",
  "terminal.integrated.shellIntegration.enabled": false,
  "terminal.integrated.defaultProfile.linux": "plain",
  "terminal.integrated.profiles.linux": { plain: { path: "/bin/bash", args: ["--norc", "--noprofile"] } },
  "terminal.integrated.fontSize": 11,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.colorTheme": "Default Dark Modern",
  "chat.disableAIFeatures": true,
  "chat.commandCenter.enabled": false,
  "diffEditor.useInlineViewWhenSpaceIsLimited": false,
  "editor.minimap.enabled": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "remote.autoForwardPorts": false,
} as const;

/** A code-server of our own for one lab. */
export interface CodeServer {
  readonly url: string;
  stop(): Promise<void>;
  logs(): Promise<string>;
}

/** Writes what is set for this machine alone; the window reads it anew. */
export async function writeMachineSettings(lab: Lab, own: Readonly<Record<string, unknown>>): Promise<void> {
  const folder = join(lab.root, "vscode", "Machine");
  await mkdir(folder, { recursive: true });
  const agents = Object.fromEntries(panelReadersToo.map((id) => [id, { program: panelProgram(lab, id) }]));
  await writeFile(join(folder, "settings.json"), JSON.stringify({ "patchbay.panel.agents": agents, ...own }));
}

/** Puts the packaged extension into the lab's extensions directory and starts a server on a port the system chooses. */
export async function startCodeServer(lab: Lab, vsix: string): Promise<CodeServer> {
  const data = join(lab.root, "vscode");
  const user = join(data, "User");
  const output = join(lab.root, "code-server.log");
  await mkdir(user, { recursive: true });
  await writeFile(join(user, "settings.json"), JSON.stringify(settings, undefined, 2));
  await writeMachineSettings(lab, {});
  const directories = ["--user-data-dir", data, "--extensions-dir", join(lab.root, "extensions")];
  const env = { ...lab.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}' };
  const entry = codeServerEntry();
  if (vsix !== "")
    await mustRun(codeServerNode(), [entry, ...directories, "--install-extension", vsix], { env, timeout: 60_000 });
  const flags = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"];
  const daemon = await startDaemon(codeServerNode(), [entry, ...directories, ...flags, lab.workspace], {
    cwd: lab.workspace,
    env,
    log: output,
  });
  try {
    const url = await waitForAddress(daemon, output);
    return { url, stop: () => daemon.stop(), logs: () => collectLogs(data) };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

async function waitForAddress(daemon: Daemon, output: string): Promise<string> {
  return await poll(
    "code-server's address",
    async () => {
      if (!daemon.isRunning()) throw new Error(`code-server ended:\n${await readFile(output, "utf8")}`);
      return /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(await readFile(output, "utf8"))?.[1];
    },
    { timeout: 30_000 },
  );
}

/** Patchbay's output channel, and the extension host's complaints. */
async function collectLogs(data: string): Promise<string> {
  const names = await readdir(join(data, "logs"), { recursive: true }).catch(() => []);
  const wanted = names.filter((name) => /patchbay/i.test(name) || name.endsWith("remoteexthost.log"));
  const parts = await Promise.all(
    wanted
      .filter((name) => name.endsWith(".log"))
      .map(async (name) => `== ${name}\n${await readFile(join(data, "logs", name), "utf8")}`),
  );
  return parts.join("\n");
}
