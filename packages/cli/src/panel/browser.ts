import { spawn } from "node:child_process";
import type { ProcessFacts } from "@patchbay/core";

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
