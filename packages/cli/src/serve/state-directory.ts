import { createHash } from "node:crypto";
import { join } from "node:path";
import type { ProcessFacts } from "@patchbay/core";

/** Where the headless host of a folder keeps port, token and drafts: below XDG_STATE_HOME, ~/.local/state or %LOCALAPPDATA%. */
export function stateDirectory(facts: ProcessFacts, folder: string): string {
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  const configured = facts.environment(facts.platform === "win32" ? "LOCALAPPDATA" : "XDG_STATE_HOME");
  const base =
    configured === undefined || configured === "" ? join(facts.homeDirectory, ".local", "state") : configured;
  return join(base, "patchbay", "serve", name);
}
