import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Platform, ProcessFacts } from "@patchbay/core";
import { linkMs } from "./door.ts";

/** What opens a file in the user's browser. */
export interface BrowserCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** Opens a file with it; false where the program cannot be started. */
export type BrowserStart = (command: BrowserCommand, path: string) => Promise<boolean>;

/** Undefined: there is no browser on this machine's screen, as over SSH or in a container. */
export function browserFor({
  platform,
  environment,
}: Pick<ProcessFacts, "platform" | "environment">): BrowserCommand | undefined {
  const isSet = (name: string): boolean => (environment(name) ?? "") !== "";
  if (platform === "darwin") return isSet("SSH_CONNECTION") ? undefined : { program: "open", args: [] };
  if (platform === "win32") return { program: "rundll32", args: ["url.dll,FileProtocolHandler"] };
  const hasScreen = isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") || isSet("BROWSER");
  return hasScreen ? { program: "xdg-open", args: [] } : undefined;
}

/** Without a shell, and without waiting for its end. */
export const startBrowser: BrowserStart = async ({ program, args }, path) => {
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, path], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
};

export interface LinkOpening {
  /** Absolute: a folder that this user alone can read. */
  readonly directory: string;
  readonly platform: Platform;
  readonly open: BrowserStart;
  /** The server ends. */
  readonly signal: AbortSignal;
  /** False: no browser could be started. Not called where there is none. */
  readonly onDidTry: (isOpened: boolean) => void;
}

/** Opens a link in the user's browser. Resolves when nothing of it is left on disk. */
export async function openLink(
  url: string,
  { directory, platform, open, signal, onDidTry }: LinkOpening,
): Promise<void> {
  const browser = browserFor(platform.process);
  if (browser === undefined) return;
  // Other users see what programs are started with. They do not see into this file.
  const path = join(directory, `open-${platform.random.token(6)}.html`);
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Patchbay</title>\n`;
  try {
    await platform.files.createExclusive(path, page, 0o600);
    const isOpened = await open(browser, path);
    onDidTry(isOpened);
    if (isOpened) await sleep(linkMs, undefined, { signal, ref: false }).catch(() => undefined);
  } finally {
    await platform.files.remove(path);
  }
}
