import { type KnownSessions, presencesOf, shownCommand } from "./presences.ts";

/** What a program asks at the door of the hooks that wants to know what the agents of a companion do: as JSON, in place of an event. */
export const presenceQuestion = { patchbay: "presences" } as const;

/** Whether this is asked, and not an event of an agent. */
export function asksForPresences(event: unknown): boolean {
  return (
    typeof event === "object" && event !== null && "patchbay" in event && event.patchbay === presenceQuestion.patchbay
  );
}

/** What an agent's sessions do, as JSON. Whoever has an agent's token hears of this agent, and of no other. */
export function tellPresences(agent: string, known: KnownSessions): string {
  const presences = presencesOf({
    activities: known.activities.filter((one) => one.agent === agent),
    sessions: known.sessions.filter(({ dialect }) => dialect === agent),
    proposals: known.proposals,
    commands: known.commands,
  });
  return JSON.stringify(
    presences.map(({ id, title, state, since, waitsFor, commands, processes }) => ({
      id,
      title,
      state,
      since,
      waitsFor: [...waitsFor, ...commands.map(({ command }) => shownCommand(command))],
      processes,
    })),
  );
}
