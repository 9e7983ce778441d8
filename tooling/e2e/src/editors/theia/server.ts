import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { panelReadersToo } from "../../agents/index.ts";
import { panelProgram } from "../../agents/panel-agent.ts";
import { nodeBinary } from "../../prerequisites/components.ts";
import type { Lab } from "../../support/lab.ts";
import { poll } from "../../support/poll.ts";
import { type Daemon, startDaemon } from "../../support/processes.ts";

/** A Theia backend of our own for one lab. */
export interface TheiaServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  logs(): Promise<string>;
}

/** Theia's defaults stay, autosave above all; only what asks or moves is put to rest. */
function settingsFor(lab: Lab): object {
  return {
    "security.workspace.trust.trustedFolders": [pathToFileURL(lab.root).href],
    "terminal.integrated.fontSize": 11,
    "terminal.integrated.enablePersistentSessions": true,
    "terminal.integrated.profiles.linux": { plain: { path: "/bin/bash", args: ["--norc", "--noprofile"] } },
    "terminal.integrated.defaultProfile.linux": "plain",
    "editor.minimap.enabled": false,
    "diffEditor.useInlineViewWhenSpaceIsLimited": false,
    "workbench.colorTheme": "dark",
    "patchbay.panel.agents": Object.fromEntries(panelReadersToo.map((id) => [id, { program: panelProgram(lab, id) }])),
  };
}

/** Changes the user's settings, which Theia follows. */
export async function changeTheiaSettings(lab: Lab, more: Readonly<Record<string, unknown>>): Promise<void> {
  await writeFile(
    join(theiaDirectory(lab), "settings.json"),
    JSON.stringify({ ...settingsFor(lab), ...more }, undefined, 2),
  );
}

/** Where a lab's Theia keeps what is the user's: settings, plugins, and what Patchbay stores. */
export function theiaDirectory(lab: Lab): string {
  return join(lab.root, "theia");
}

/** Starts the backend of a built application; on a port the system chooses unless one is given. */
export async function startTheia(lab: Lab, application: string, port = 0): Promise<TheiaServer> {
  const configuration = theiaDirectory(lab);
  // A log of its own, and a new one for each start: the address is read from it.
  const output = join(lab.root, `theia-${port}.log`);
  await rm(output, { force: true });
  await mkdir(configuration, { recursive: true });
  await writeFile(join(configuration, "settings.json"), JSON.stringify(settingsFor(lab), undefined, 2));
  const main = join(application, "lib", "backend", "main.js");
  const daemon = await startDaemon(nodeBinary(), [main, "--hostname", "127.0.0.1", "--port", String(port)], {
    cwd: application,
    env: { ...lab.env, THEIA_CONFIG_DIR: configuration },
    log: output,
  });
  const logs = (): Promise<string> => readFile(output, "utf8");
  try {
    const url = await waitForAddress(daemon, logs);
    return { url, pid: daemon.pid, stop: () => daemon.stop(), logs };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}

async function waitForAddress(daemon: Daemon, logs: () => Promise<string>): Promise<string> {
  return await poll(
    "the backend's address",
    async () => {
      if (!daemon.isRunning()) throw new Error(`Theia's backend ended:\n${await logs()}`);
      return /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(await logs())?.[1];
    },
    { timeout: 30_000 },
  );
}
