import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { agents, type Companion, type Disposable, DisposableStore, messageOf, type Platform } from "@patchbay/core";
import { asksByArguments, readAgentSettings } from "@patchbay/core/diagnosis";
import { askingWords } from "../doctor/finding-words.ts";

/** How long after an agent has connected its process is known, ms. */
const knownAfter = 1_000;

export interface AdviceOptions {
  readonly platform: Platform;
  readonly folder: string;
  readonly companion: Pick<Companion, "processOf">;
  readonly print: (text: string) => void;
  /** See `argumentsOf`. */
  readonly argumentsOf: (pid: number) => Promise<readonly string[]>;
}

/**
 * Tells once per agent that its settings keep it from asking, so that nobody waits for changes that never come. An agent that was
 * started in a mode that asks (`patchbay run`, or by hand) asks all the same.
 */
export class Advice implements Disposable {
  readonly #options: AdviceOptions;
  readonly #given = new Set<string>();
  readonly #timers = new DisposableStore();

  constructor(options: AdviceOptions) {
    this.#options = options;
  }

  /** An agent has connected. */
  connected(session: { readonly id: string; readonly dialect: string }): void {
    const { platform, print } = this.#options;
    const look = (): void => void this.#give(session).catch((error: unknown) => print(messageOf(error)));
    this.#timers.add(platform.clock.setTimeout(look, knownAfter));
  }

  dispose(): void {
    this.#timers.dispose();
  }

  async #give({ id, dialect }: { readonly id: string; readonly dialect: string }): Promise<void> {
    const { argumentsOf, companion, folder, platform, print } = this.#options;
    const agent = agents.find((one) => one.id === dialect)?.id;
    if (agent === undefined || this.#given.has(agent)) return;
    const pid = await companion.processOf(id);
    if (pid !== undefined && (await asksByArguments(agent, await argumentsOf(pid)))) return;
    const settings = await readAgentSettings(platform, folder);
    if (this.#given.has(agent)) return;
    this.#given.add(agent);
    for (const { text, fix } of askingWords(settings, agent)) {
      print(`If you see no changes: ${text}${fix === undefined ? "" : ` Type: ${fix}`}`);
    }
  }
}

/** With which arguments a process of this user was started; none where the system does not tell. */
export async function argumentsOf(pid: number): Promise<readonly string[]> {
  const told = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  if (told !== undefined) return told.split("\0");
  if (process.platform === "win32") return [];
  return await new Promise((resolve) => {
    // One text, in which blanks stand between the arguments and in them: enough to find options.
    execFile("ps", ["-o", "args=", "-p", String(pid)], { timeout: 2_000 }, (error, output) => {
      resolve(error === null ? output.trim().split(/\s+/u) : []);
    });
  });
}
