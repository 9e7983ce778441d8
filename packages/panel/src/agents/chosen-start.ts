import { type Disposable, type Logger, messageOf } from "@patchbay/core";
import type { AgentSession, SessionOption } from "@patchbay/conversations";
import type { AgentSettings } from "./agent-settings.ts";

/** What the settings choose for new sessions. */
export type ChosenStart = Pick<AgentSettings, "mode" | "model">;

/**
 * A session that begins with the mode and the model of the settings, as far as the agent offers them. A mode that never asks
 * is chosen by the user alone, each time, and by no setting.
 */
export function startingWith(session: AgentSession, chosen: ChosenStart, logger: Logger): AgentSession {
  if (chosen.mode === undefined && chosen.model === undefined) return session;
  const offers = new Offers(session);
  return {
    onUpdate: session.onUpdate,
    get capabilities() {
      return session.capabilities;
    },
    start: async () => {
      try {
        await session.start();
        for (const category of ["model", "mode"] as const) await choose(category);
      } finally {
        offers.dispose();
      }
    },
    prompt: (prompt) => session.prompt(prompt),
    interrupt: () => session.interrupt(),
    answer: (id, answer) => session.answer(id, answer),
    setOption: (id, value) => session.setOption(id, value),
    close: () => session.close(),
    ...(session.rewind === undefined ? {} : { rewind: (id, dryRun) => rewind(session, id, dryRun) }),
    ...(session.rename === undefined ? {} : { rename: async (title) => await session.rename?.(title) }),
  };

  async function choose(category: "mode" | "model"): Promise<void> {
    const value = chosen[category];
    if (value === undefined) return;
    const option = offers.of(category);
    const offered = option?.values?.find(({ id }) => id === value);
    if (option === undefined || offered === undefined || offered.asks === "never") {
      logger.warn("An agent does not offer what the settings choose, or it never asks", { category, value });
      return;
    }
    if (option.value === value) return;
    try {
      await session.setOption(option.id, value);
    } catch (error) {
      logger.warn("An agent refused what the settings choose", { category, value, reason: messageOf(error) });
    }
  }
}

async function rewind(
  session: AgentSession,
  id: string,
  dryRun: boolean,
): ReturnType<NonNullable<AgentSession["rewind"]>> {
  const result = await session.rewind?.(id, dryRun);
  return result ?? { canRewind: false, files: [] };
}

/** What a session offers, as it tells it while it starts. */
class Offers implements Disposable {
  readonly #following: Disposable;
  #options: readonly SessionOption[] = [];

  constructor(session: AgentSession) {
    this.#following = session.onUpdate((update) => {
      if (update.type === "options") this.#options = update.options;
    });
  }

  of(category: SessionOption["category"]): SessionOption | undefined {
    return this.#options.find((option) => option.category === category);
  }

  dispose(): void {
    this.#following.dispose();
  }
}
