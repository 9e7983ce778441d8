import type { Companion } from "@patchbay/core";
import { type KnownSessions, presencesOf } from "@patchbay/core/presences";
import { l10n } from "@patchbay/languages/spoken";
import { plainStatus } from "./vim/shape.ts";

export type StatusFacts = Pick<Companion, "state" | "sessions" | "proposals" | "activities"> &
  Pick<KnownSessions, "commands">;

/** What else there is to be looked at. */
export interface StatusCounts {
  /** Files with changes by agents that nobody has reviewed. */
  readonly files: number;
  /** Questions that wait in the panel. */
  readonly questions: number;
}

/** A few words for the status line; empty while there is nothing to say. */
export function statusText(
  facts: StatusFacts,
  sharing: boolean,
  { files, questions }: StatusCounts = { files: 0, questions: 0 },
): string {
  if (facts.state.kind === "failed") return l10n.t("Patchbay failed");
  if (facts.state.kind !== "listening") return "";
  const parts: string[] = [];
  const names = new Map<string, number>();
  for (const { agentName, state, session } of presencesOf(facts)) {
    const isThere = session === undefined ? state !== "ended" : session.state === "connected";
    if (isThere) names.set(agentName, (names.get(agentName) ?? 0) + 1);
  }
  if (names.size > 0)
    parts.push([...names].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(", "));
  const count = facts.proposals.length;
  if (count > 0) parts.push(count === 1 ? l10n.t("1 proposal") : l10n.t("{0} proposals", count));
  const asked = facts.commands?.all.length ?? 0;
  if (asked > 0) parts.push(asked === 1 ? l10n.t("1 command") : l10n.t("{0} commands", asked));
  if (files > 0) parts.push(files === 1 ? l10n.t("1 changed file") : l10n.t("{0} changed files", files));
  if (questions > 0) parts.push(questions === 1 ? l10n.t("1 question") : l10n.t("{0} questions", questions));
  if (!sharing) parts.push(l10n.t("sharing paused"));
  return plainStatus(parts.join(" · "));
}
