import type { WindowStatus } from "../../common/protocol.ts";
import { nls } from "@theia/core/lib/common/nls";

import type { KeptText, ProposalInfo } from "@patchbay/core";
import { type Presence, presencesOf, shownCommand } from "@patchbay/core/presences";
import { fileUriOf } from "../documents/selection-text.ts";

/** What the status bar says: whose proposals wait, or who is connected. */
export function statusOf(status: WindowStatus): { readonly icon: string; readonly words: string } {
  const { state, proposals, keptTexts } = status;
  if (state.kind === "failed") return { icon: "warning", words: "Patchbay" };
  const open = proposals.filter((proposal) => proposal.state !== "kept");
  const asked = status.commands.all;
  if (open.length === 0 && asked.length > 0) {
    const waiting = nls.localize("patchbay/status/asked", "{0} to answer", asked.length);
    return { icon: "bell", words: `${named(asked.map(({ agentName }) => agentName))}: ${waiting}` };
  }
  if (open.length === 0 && keptTexts.length > 0) {
    const kept = nls.localize("patchbay/status/kept", "{0} kept", keptTexts.length);
    return { icon: "archive", words: `${named(keptTexts.map(({ agentName }) => agentName))}: ${kept}` };
  }
  if (open.length === 0) {
    const isThere = ({ state: does }: Presence): boolean =>
      does !== "away" && does !== "connecting" && does !== "ended";
    const connected = presencesOf(status)
      .filter(isThere)
      .map(({ agentName }) => agentName);
    return { icon: "plug", words: connected.length === 0 ? "Patchbay" : named(connected) };
  }
  const waiting = nls.localize("patchbay/status/waiting", "{0} to review", open.length);
  return { icon: "git-pull-request", words: `${named(open.map(({ agentName }) => agentName))}: ${waiting}` };
}

/** How things stand, in one sentence. */
export function summaryOf({ state, sessions, activities }: WindowStatus): string {
  switch (state.kind) {
    case "no-folder":
      return nls.localize("patchbay/state/noFolder", "Open a folder. Agents find a window by its folders.");
    case "starting":
    case "stopped":
      return nls.localize("patchbay/state/starting", "Patchbay is starting.");
    case "failed":
      return state.message;
    case "listening":
      return sessions.length + activities.length > 0
        ? nls.localize("patchbay/state/connected", "Connected agents and open proposals (port {0})", state.port)
        : nls.localize(
            "patchbay/state/waiting",
            "No agent is connected (port {0}). Start one in a new terminal of this window.",
            state.port,
          );
  }
}

/** Whose proposal it is, and what it waits for. */
export function proposalWords({ agentName, kind, state, standing, edited }: ProposalInfo): string {
  const facts = [agentName];
  if (kind === "create") facts.push(nls.localize("patchbay/proposal/create", "new file"));
  if (kind === "delete") facts.push(nls.localize("patchbay/proposal/delete", "empties the file"));
  if (state === "asking") facts.push(nls.localize("patchbay/proposal/asking", "outside the workspace, not shown yet"));
  if (state === "hidden")
    facts.push(nls.localize("patchbay/proposal/hidden", "not shown: answer in the agent's terminal"));
  if (state === "away") facts.push(nls.localize("patchbay/proposal/away", "the agent is not connected"));
  if (state === "terminal") facts.push(nls.localize("patchbay/proposal/terminal", "answer in the agent's terminal"));
  if (standing === "conflict")
    facts.push(nls.localize("patchbay/proposal/conflict", "conflicts with the file: resolve first"));
  if (standing === "merged") facts.push(nls.localize("patchbay/proposal/merged", "merged with changes to the file"));
  if (edited) facts.push(nls.localize("patchbay/proposal/edited", "edited"));
  return facts.join(" · ");
}

/** Whose proposal a kept text was made of, and what it is now. */
export function keptWords({ agentName, reason }: Pick<KeptText, "agentName" | "reason">): string {
  const state =
    reason === "not-written"
      ? nls.localize("patchbay/inbox/unwritten", "accepted, not written")
      : nls.localize("patchbay/title/kept", "your text is kept");
  return [agentName, state].join(" · ");
}

/** What an agent is doing. */
export function presenceWords({ state, since, waitsFor, commands }: Presence): string {
  const time = new Date(since).toLocaleTimeString(nls.locale);
  switch (state) {
    case "waiting": {
      const files = waitsFor.map((path) => fileUriOf(path).path.base);
      const all = [...files, ...commands.map(({ command }) => shownCommand(command))].join(", ");
      return nls.localize("patchbay/session/waiting", "waits for you: {0}", all);
    }
    case "working":
      return nls.localize("patchbay/session/working", "working");
    case "idle":
      return nls.localize("patchbay/session/idle", "idle since {0}", time);
    case "ended":
      return nls.localize("patchbay/session/ended", "ended at {0}", time);
    case "connecting":
      return nls.localize("patchbay/session/connecting", "connecting");
    case "connected":
      return nls.localize("patchbay/session/connected", "connected");
    case "away":
      return nls.localize("patchbay/session/away", "away, may reconnect");
  }
}

function named(agents: readonly string[]): string {
  return Array.from(new Set(agents)).join(", ");
}

/** How many questions of conversations wait. */
export function questionsText(questions: number): string {
  return nls.localize("patchbay/panel/questions", "Questions that wait for your answer: {0}", questions);
}
