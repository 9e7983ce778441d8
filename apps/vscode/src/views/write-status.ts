import { MarkdownString, type StatusBarItem, ThemeColor } from "vscode";
import type { Companion } from "@patchbay/core";
import { inboxOf, positionIn } from "@patchbay/core/inbox";
import { type Presence, presencesOf } from "@patchbay/core/presences";
import { activeProposalId } from "../diff/proposal-tabs.ts";
import { l10n } from "@patchbay/languages/spoken";
import { sessionName } from "../surfaces/session-names.ts";
import { markdownText, shownText } from "../surfaces/texts.ts";
import { presenceWords } from "./presence-words.ts";

/** Writes into the item what waits for a review, which agents are connected, that sharing is paused, or why nothing works. */
export function writeStatus(item: StatusBarItem, companion: Companion, paused: boolean): void {
  const { state, proposals } = companion;
  const failed = state.kind === "failed";
  const connected = presencesOf(companion).filter(isThere);
  const waiting = proposals.length > 0 && !failed ? `$(diff) ${proposals.length} ` : "";
  const asked = companion.commands?.all.length ?? 0;
  const questions = asked > 0 && !failed ? `$(bell) ${asked} ` : "";
  // Counts first: a narrow window cuts off what stands behind.
  item.text = `${waiting}${questions}$(${iconOf(companion, connected, paused)}) ${shownText(failed ? l10n.t("Patchbay failed") : textOf(connected, paused))}`;
  item.backgroundColor = failed ? new ThemeColor("statusBarItem.errorBackground") : undefined;
  item.command = failed ? "patchbay.diagnose" : "patchbay.showConnections";
  const lines = detailsOf(companion, connected, paused);
  item.tooltip = tooltipOf(lines, actionsOf(companion, paused));
  item.accessibilityInformation = { label: `Patchbay: ${lines.map(shownText).join(" ")}` };
}

interface Action {
  readonly title: string;
  readonly command: string;
}

function actionsOf({ state, proposals }: Companion, paused: boolean): readonly Action[] {
  const diagnose = { title: l10n.t("Diagnose Connection"), command: "patchbay.diagnose" };
  if (state.kind === "failed") return [diagnose, { title: l10n.t("Show Log"), command: "patchbay.showLog" }];
  return [
    ...(proposals.length > 0 ? [{ title: l10n.t("Next Proposal"), command: "patchbay.nextProposal" }] : []),
    { title: l10n.t("Show Connections"), command: "patchbay.showConnections" },
    paused
      ? { title: l10n.t("Resume Sharing"), command: "patchbay.resumeSharing" }
      : { title: l10n.t("Pause Sharing"), command: "patchbay.pauseSharing" },
    diagnose,
  ];
}

/** Lines with actions below. What agents call themselves is made plain text, and only these actions can be run from it. */
function tooltipOf(lines: readonly string[], actions: readonly Action[]): MarkdownString {
  const links = actions.map(({ title, command }) => `[${markdownText(title)}](command:${command})`);
  const tooltip = new MarkdownString([...lines.map(markdownText), links.join(" | ")].join("\n\n"));
  tooltip.isTrusted = { enabledCommands: actions.map(({ command }) => command) };
  return tooltip;
}

function iconOf({ state }: Companion, connected: readonly Presence[], paused: boolean): string {
  if (state.kind === "failed") return "error";
  if (state.kind === "starting") return "loading~spin";
  if (paused) return "debug-pause";
  return connected.length > 0 ? "plug" : "debug-disconnect";
}

function textOf(connected: readonly Presence[], paused: boolean): string {
  const names = namesOf(connected);
  if (paused) return names === "" ? l10n.t("Patchbay: paused") : l10n.t("{0}: paused", names);
  return names === "" ? "Patchbay" : names;
}

function detailsOf(companion: Companion, connected: readonly Presence[], paused: boolean): string[] {
  const { state, proposals } = companion;
  if (state.kind === "failed") return [state.message, l10n.t("Click for a diagnosis.")];
  if (state.kind === "starting") return [l10n.t("Starting…")];
  const lines =
    connected.length === 0
      ? [l10n.t("No agent is connected.")]
      : connected.map((presence) => sentenceOf(companion, presence));
  if (paused) lines.push(l10n.t("Sharing is paused. Agents do not see your open files or selection."));
  if (proposals.length > 0) lines.push(l10n.t("Proposals waiting for your review: {0}", proposals.length));
  if (state.kind === "listening") lines.push(...state.warnings);
  return lines;
}

/** The agent's name; of several only how many they are, since the tooltip names them. */
function namesOf(sessions: readonly Presence[]): string {
  const [first, ...others] = sessions;
  if (first === undefined) return "";
  return others.length === 0 ? first.agentName : l10n.t("{0} agents", sessions.length);
}

function sentenceOf(companion: Companion, presence: Presence): string {
  const name = fullName(companion, presence);
  return presence.state === "connected" ? l10n.t("{0} is connected.", name) : `${name}: ${presenceWords(presence)}`;
}

function isThere({ state }: Presence): boolean {
  return state !== "ended" && state !== "away" && state !== "connecting";
}

function fullName(companion: Companion, presence: Presence): string {
  const { title, session } = presence;
  const own = sessionName(companion, presence);
  const name = session?.version === undefined ? own : `${own} ${session.version}`;
  return title === undefined ? name : `${name} (${title})`;
}

/** "2 of 5" while the user is in a review; hidden elsewhere. */
export function writePosition(item: StatusBarItem, companion: Companion): void {
  // Asked with each tab that comes or goes, of which most are no reviews.
  const id = activeProposalId();
  if (id === undefined) {
    item.hide();
    return;
  }
  const { proposals, sessions, activities } = companion;
  const position = positionIn(inboxOf(proposals, sessions, activities), id);
  if (position === undefined) {
    item.hide();
    return;
  }
  const { number, count } = position;
  item.text = l10n.t("Review {0} of {1}", number, count);
  item.tooltip = l10n.t("Review {0} of {1}. Click for the next one.", number, count);
  item.accessibilityInformation = { label: item.tooltip };
  item.show();
}
