import type { ListedSession, SessionLister } from "../driver.ts";
import type { AcpConnection } from "./connection.ts";

export interface AcpSessionsOptions {
  /** The id of the agent. */
  readonly agent: string;
  /** A connection with the agent, where one is open: to list sessions is no reason to start a program. */
  readonly connection: () => AcpConnection | undefined;
}

/** The sessions that an agent keeps itself. What was said in them only the agent can replay, when one is continued. */
export class AcpSessions implements SessionLister {
  readonly agent: string;
  readonly #connection: () => AcpConnection | undefined;

  constructor({ agent, connection }: AcpSessionsOptions) {
    this.agent = agent;
    this.#connection = connection;
  }

  async list(folder: string): Promise<readonly ListedSession[]> {
    const stored = (await this.#connection()?.listSessions(folder)) ?? [];
    return stored
      .map(({ sessionId, title, updatedAt }) => ({ sessionId, folder, title: title ?? "", usedAt: updatedAt ?? 0 }))
      .toSorted((one, other) => other.usedAt - one.usedAt);
  }
}
