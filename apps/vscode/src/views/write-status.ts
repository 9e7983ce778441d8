import { l10n, type StatusBarItem, ThemeColor } from "vscode";
import type { Companion } from "@patchbay/core";
import { inboxOf, positionIn } from "@patchbay/core/inbox";
import { type Presence, presencesOf } from "@patchbay/core/presences";
import { activeProposalId } from "../diff/proposal-tabs.ts";
import { shownText } from "../surfaces/texts.ts";
import { presenceWords } from "./presence-words.ts";

/** Writes into the item which agents are connected, that sharing is paused, what waits for a review, or why nothing works. */
export function writeStatus(item: StatusBarItem, companion: Companion, paused: boolean): void {
  const { state, proposals } = companion;
  const failed = state.kind === "failed";
  const connected = presencesOf(companion).filter(isThere);
  const waiting = proposals.length > 0 && !failed ? ` $(diff) ${proposals.length}` : "";
  const asked = companion.commands?.all.length ?? 0;
  const questions = asked > 0 && !failed ? ` $(bell) ${asked}` : "";
  item.text = `$(${iconOf(companion, connected, paused)}) ${shownText(failed ? l10n.t("Patchbay failed") : textOf(connected, paused))}${waiting}${questions}`;
  item.backgroundColor = failed ? new ThemeColor("statusBarItem.errorBackground") : undefined;
  item.command = failed ? "patchbay.diagnose" : "patchbay.showConnections";
  const lines = detailsOf(companion, connected, paused).map(shownText);
  // As text and not as Markdown: agents choose their own version's name, and Markdown loads pictures and runs commands.
  item.tooltip = lines.join("\n");
  item.accessibilityInformation = { label: `Patchbay: ${lines.join(" ")}` };
}

function iconOf({ state }: Companion, connected: readonly Presence[], paused: boolean): string {
  if (state.kind === "failed") return "error";
  if (state.kind === "starting") return "loading~spin";
  if (paused) return "debug-pause";
  return connected.length > 0 ? "plug" : "debug-disconnect";
}

function textOf(connected: readonly Presence[], paused: boolean): string {
  const names = agentNamesOf(connected);
  if (paused) return names === "" ? l10n.t("Patchbay: paused") : l10n.t("{0}: paused", names);
  return names === "" ? "Patchbay" : names;
}

function detailsOf({ state, proposals }: Companion, connected: readonly Presence[], paused: boolean): string[] {
  if (state.kind === "failed") return [state.message, l10n.t("Click for a diagnosis.")];
  if (state.kind === "starting") return [l10n.t("Starting…")];
  const lines = connected.length === 0 ? [l10n.t("No agent is connected.")] : connected.map(sentenceOf);
  if (paused) lines.push(l10n.t("Sharing is paused. Agents do not see your open files or selection."));
  if (proposals.length > 0) lines.push(l10n.t("Proposals waiting for your review: {0}", proposals.length));
  if (state.kind === "listening") lines.push(...state.warnings);
  return lines;
}

/** Names of agents, each once with its number of sessions. */
function agentNamesOf(sessions: readonly Presence[]): string {
  const counts = new Map<string, number>();
  for (const { agentName } of sessions) counts.set(agentName, (counts.get(agentName) ?? 0) + 1);
  return Array.from(counts, ([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(", ");
}

function sentenceOf(presence: Presence): string {
  const name = fullName(presence);
  return presence.state === "connected" ? l10n.t("{0} is connected.", name) : `${name}: ${presenceWords(presence)}`;
}

function isThere({ state }: Presence): boolean {
  return state !== "ended" && state !== "away" && state !== "connecting";
}

function fullName({ agentName, title, session }: Presence): string {
  const name = session?.version === undefined ? agentName : `${agentName} ${session.version}`;
  return title === undefined ? name : `${name} (${title})`;
}

/** "2 of 5" while the user is in a review; hidden elsewhere. */
export function writePosition(item: StatusBarItem, { proposals, sessions, activities }: Companion): void {
  const position = positionIn(inboxOf(proposals, sessions, activities), activeProposalId() ?? "");
  if (position === undefined) {
    item.hide();
    return;
  }
  const { number, count } = position;
  item.text = `$(diff) ${l10n.t("{0} of {1}", number, count)}`;
  item.tooltip = l10n.t("Review {0} of {1}. Click for the next one.", number, count);
  item.accessibilityInformation = { label: item.tooltip };
  item.show();
}
