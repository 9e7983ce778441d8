import * as z from "zod";
import { type AgentId, agentOf } from "../agents/catalogue.ts";
import { askHook } from "../endpoint/ask-hook.ts";
import { presenceQuestion } from "../hooks/presence-question.ts";
import type { Presence } from "../hooks/presences.ts";
import type { Platform } from "../platform/platform.ts";
import type { RunningEditor } from "./running-editors.ts";

/** Longer than a busy editor takes, ms. */
const answerMs = 3_000;

const told = z.array(
  z.object({
    id: z.string(),
    title: z.string().optional(),
    state: z.enum(["working", "waiting", "idle", "ended", "connecting", "connected", "away"]),
    since: z.number(),
    waitsFor: z.array(z.string()),
    processes: z.array(z.number()),
  }),
);

/** What one session of an agent does, as its companion tells: see `Presence`. */
export interface ToldPresence extends Pick<Presence, "id" | "state" | "since" | "waitsFor" | "processes"> {
  readonly title?: string | undefined;
  readonly agent: AgentId;
  readonly agentName: string;
  /** The port of its companion. */
  readonly port: number;
}

/** Asks the companions of this user what their agents do. One that does not know the question tells nothing. Never rejects. */
export async function readPresences(
  platform: Platform,
  editors: readonly RunningEditor[],
): Promise<readonly ToldPresence[]> {
  const asked = editors
    .filter(({ answers }) => answers)
    .flatMap(({ port, records }) => {
      const tokens = new Map<AgentId, string>();
      for (const { agent, token, companion } of records) {
        // Others than Patchbay are not asked.
        if (token !== undefined && companion !== undefined && !tokens.has(agent)) tokens.set(agent, token);
      }
      return Array.from(tokens, ([agent, token]) => ({ agent, token, port }));
    });
  const answers = await Promise.all(
    asked.map(async ({ agent, token, port }): Promise<readonly ToldPresence[]> => {
      const event = JSON.stringify(presenceQuestion);
      const reply = await askHook({ port, token, event, pid: platform.process.pid, limitMs: answerMs });
      const read = told.safeParse(parse(reply.kind === "answered" ? reply.output : undefined));
      const { agentName } = agentOf(agent);
      return read.success ? read.data.map((one) => ({ ...one, agent, agentName, port })) : [];
    }),
  );
  return answers.flat();
}

function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
