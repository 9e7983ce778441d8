import { type KnownSessions, type Presence, presencesOf } from "@patchbay/core/presences";

/** Numbers of sessions by their ids, for each companion. */
const known = new WeakMap<object, Map<string, number>>();

/** What an agent's session is called where several of one agent must be told apart: "Claude Code", "Claude Code 2". */
export function sessionName(companion: KnownSessions, presence: Pick<Presence, "id" | "agentName">): string {
  return nameAmong(companion, presencesOf(companion), presence);
}

/** The same for the session that a proposal comes from. */
export function proposerName(companion: KnownSessions, proposal: Pick<Presence, "id" | "agentName">): string {
  // Asked once: it is put together anew each time.
  const presences = presencesOf(companion);
  const presence = presences.find(({ proposals }) => proposals.some(({ id }) => id === proposal.id));
  return presence === undefined ? proposal.agentName : nameAmong(companion, presences, presence);
}

function nameAmong(
  companion: KnownSessions,
  presences: readonly Presence[],
  { id, agentName }: Pick<Presence, "id" | "agentName">,
): string {
  const number = numbersOf(companion, presences).get(id) ?? 1;
  const isAlone = presences.filter((one) => one.agentName === agentName && one.state !== "ended").length < 2;
  return isAlone && number === 1 ? agentName : `${agentName} ${number}`;
}

/** A session keeps its number as long as it is known; a new one gets the lowest that is free. */
function numbersOf(companion: KnownSessions, presences: readonly Presence[]): ReadonlyMap<string, number> {
  const before = known.get(companion) ?? new Map<string, number>();
  const numbers = new Map<string, number>();
  const taken = new Set<string>();
  const take = ({ id, agentName, session }: Presence, number: number): void => {
    numbers.set(id, number);
    if (session !== undefined) numbers.set(session.id, number);
    taken.add(`${number} ${agentName}`);
  };
  const fresh: Presence[] = [];
  for (const presence of presences) {
    // What its hook and its own connection tell of are two sessions until the process behind the connection is known.
    const given = [presence.id, presence.session?.id ?? ""].flatMap((id) => before.get(id) ?? []);
    if (given.length === 0) fresh.push(presence);
    else take(presence, Math.min(...given));
  }
  for (const presence of fresh.toSorted((one, other) => one.since - other.since)) {
    let number = 1;
    while (taken.has(`${number} ${presence.agentName}`)) number += 1;
    take(presence, number);
  }
  known.set(companion, numbers);
  return numbers;
}
