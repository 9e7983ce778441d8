import { l10n, type TreeItem, Uri } from "vscode";
import type { Companion, ProposalInfo } from "@patchbay/core";
import type { ProposalEntry } from "../commands/chosen-proposal.ts";
import { fileNameOf, shortPathOf } from "../host/file-name.ts";
import { createRow } from "../surfaces/tree-item.ts";
import type { Tree } from "./lazy-tree.ts";

interface Entry extends ProposalEntry {
  readonly proposal: ProposalInfo;
}

/** The proposals that wait for a review, with accept and reject beside each. */
export class ProposalsTree implements Tree<Entry> {
  readonly #companion: Companion;

  constructor(companion: Companion) {
    this.#companion = companion;
  }

  getTreeItem({ proposal }: Entry): TreeItem {
    const { id, path, agentName } = proposal;
    const facts = [agentName, ...states(proposal)];
    const description = facts.join(" · ");
    return createRow({
      id,
      label: fileNameOf(path),
      description,
      tooltip: [shortPathOf(path), description],
      spoken: [shortPathOf(path), ...facts].join(", "),
      icon: Uri.file(path),
      contextValue: contextOf(proposal),
      command: { command: "patchbay.revealProposal", title: l10n.t("Show Proposal"), arguments: [{ proposalId: id }] },
    });
  }

  getChildren(entry?: Entry): Entry[] {
    if (entry !== undefined) return [];
    return this.#companion.proposals.map((proposal) => ({ proposalId: proposal.id, proposal }));
  }
}

/** Which actions stand beside an entry. */
function contextOf({ state }: ProposalInfo): string {
  return state === "asking" || state === "kept" ? state : "proposal";
}

function states({ kind, edited, state, standing }: ProposalInfo): string[] {
  const texts: string[] = [];
  if (kind === "create") texts.push(l10n.t("new file"));
  if (kind === "delete") texts.push(l10n.t("empties the file"));
  // Said first: the view is narrow, and this is what the entry is about.
  if (state === "kept") return [l10n.t("your text, kept"), ...texts];
  if (edited) texts.push(l10n.t("edited by you"));
  if (state === "asking") texts.push(l10n.t("outside: show it?"));
  if (state === "hidden") texts.push(l10n.t("waits in the terminal"));
  if (state === "away") texts.push(l10n.t("the agent is not connected"));
  if (state === "terminal") texts.push(l10n.t("answer in the agent's terminal"));
  if (standing === "conflict") texts.push(l10n.t("conflicts with the file: resolve it first"));
  else if (standing === "merged") texts.push(l10n.t("brought onto the file as it is now"));
  return texts;
}
