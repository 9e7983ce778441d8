import { PatchbayError } from "@patchbay/core";
import type { AgentStatus } from "./agent-driver.ts";

/** A driver's status and those who wait for it to change. */
export class StatusBoard {
  #status: AgentStatus = { state: "idle", tools: [], contexts: 0, mentions: [], unasked: 0 };
  readonly #waiting: Set<() => void> = new Set();

  get status(): AgentStatus {
    return this.#status;
  }

  change(change: Partial<AgentStatus>): void {
    this.#status = { ...this.#status, ...change };
    for (const wake of Array.from(this.#waiting)) wake();
  }

  /** Everything that was known through the connection is forgotten. */
  disconnected(problem: string): void {
    const { contexts, mentions, unasked } = this.#status;
    this.#status = { state: "disconnected", problem, tools: [], contexts, mentions, unasked };
    for (const wake of Array.from(this.#waiting)) wake();
  }

  async until(what: string, matches: (status: AgentStatus) => boolean, timeoutMs = 10_000): Promise<AgentStatus> {
    if (matches(this.#status)) return this.#status;
    return await new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(check);
      };
      const check = (): void => {
        if (!matches(this.#status)) return;
        end();
        resolve(this.#status);
      };
      const timer = setTimeout(() => {
        end();
        const seen = JSON.stringify(this.#status);
        reject(new PatchbayError("not-found", `Not seen within ${timeoutMs} ms: ${what}. Last status: ${seen}`));
      }, timeoutMs);
      this.#waiting.add(check);
    });
  }
}
