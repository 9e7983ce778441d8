import type { Companion, Diagnostic, Logger } from "@patchbay/core";
import { namedPlace, type NamedPlace, presencesOf } from "@patchbay/core/presences";
import { l10n } from "@patchbay/languages/spoken";
import type { EditorFacts } from "../host/editor-facts.ts";
import type { VimHost } from "../host/vim-host.ts";
import type { PanelSlot } from "../panel/vim-panel.ts";
import { asText } from "../vim/shape.ts";
import type { Vim } from "../vim/vim.ts";
import { pasteIntoLatest, pasteOnceFree, type PromptServices, runTmux } from "./terminals.ts";

export interface SendServices {
  readonly vim: Vim;
  readonly companion: Companion;
  readonly parts: Pick<VimHost, "editors" | "host" | "workspace">;
  readonly facts: EditorFacts;
  readonly logger: Logger;
  /** The conversation panel, once it has been opened. */
  readonly panel: PanelSlot;
}

export type Say = (text: string, highlight?: string) => void;

/** A mention where an agent takes one, else the same in words in the prompt of an agent's terminal; nothing is sent. */
export async function mention(services: SendServices, say: Say, given: Lines | undefined): Promise<void> {
  const active = services.parts.editors.active();
  if (active === undefined) {
    say(l10n.t("No file is open to mention."), "WarningMsg");
    return;
  }
  const lines = given ?? (active.selection && { start: active.selection.start.line, end: active.selection.end.line });
  if (services.panel.current?.mention(active.path, lines) === true) {
    say(l10n.t("In the composer of the panel. It is not sent."));
    return;
  }
  if (services.companion.mention(active.path, lines) > 0) return;
  await putIntoPrompt(services, say, { path: active.path, lines });
}

/** How long language servers may take to catch up with the text, ms. */
const diagnosticsMs = 2_000;

/** The worst problem in the line of the cursor. */
export async function sendProblem(services: SendServices, say: Say): Promise<void> {
  const { editors, host } = services.parts;
  const active = editors.active();
  const found =
    active === undefined ? [] : ((await host.diagnostics?.read(active.path, AbortSignal.timeout(diagnosticsMs))) ?? []);
  const line = active?.cursor.line ?? 0;
  const here = found
    .flatMap((file) => file.diagnostics)
    .filter(({ range }) => range.start.line <= line && line <= range.end.line)
    .toSorted((one, other) => severities.indexOf(one.severity) - severities.indexOf(other.severity));
  const problem = here[0];
  if (active === undefined || problem === undefined) {
    say(l10n.t("There is no problem at the cursor."), "WarningMsg");
    return;
  }
  const { start, end } = problem.range;
  const lines = { start: start.line, end: end.line };
  await putIntoPrompt(services, say, { path: active.path, lines, problem });
}

const severities: readonly Diagnostic["severity"][] = ["Error", "Warning", "Information", "Hint"];

async function putIntoPrompt(services: SendServices, say: Say, named: NamedPlace): Promise<void> {
  const folder = services.parts.workspace.folders().find((one) => named.path.startsWith(`${one}/`));
  const path = folder === undefined ? named.path : named.path.slice(folder.length + 1);
  const text = namedPlace({ ...named, path });
  if (text === undefined) {
    say(l10n.t("The name of this file contains characters that a terminal would treat as keystrokes."), "WarningMsg");
    return;
  }
  const pasted = await pasteIntoLatest(promptServices(services), text);
  if (pasted !== undefined) {
    say(
      pasted.place === "tmux"
        ? l10n.t("In the prompt of {0}, in its tmux pane. It is not sent.", pasted.agentName)
        : l10n.t("In the prompt of {0}, in its terminal. It is not sent.", pasted.agentName),
    );
    return;
  }
  say(
    services.companion.sessions.length === 0
      ? l10n.t("No agent is connected.")
      : l10n.t("No connected agent supports @-mentions or runs in a terminal that can be reached from here."),
    "WarningMsg",
  );
}

interface Lines {
  readonly start: number;
  readonly end: number;
}

/** `:CocCommand patchbay.mention 3 7`, or `:3,7CocCommand patchbay.mention`, counts from 1, as Vim does. */
export function linesToMention(first?: unknown, last?: unknown): Lines | undefined {
  const start = Number(first);
  if (!Number.isSafeInteger(start) || start < 1) return undefined;
  const end = Number(last);
  return { start: start - 1, end: Number.isSafeInteger(end) && end >= start ? end - 1 : start - 1 };
}

/** `:PatchbayReject why`: through the hook where there is one, else into the agent's prompt, else the text is yanked. */
export async function rejectBecause(services: SendServices, say: Say, reason: string): Promise<void> {
  const { vim, companion } = services;
  const id = asText(await vim.call("patchbay#go#here", ["reject"]));
  const proposal = companion.proposals.find((one) => one.id === id);
  if (proposal === undefined) return;
  const { agentName } = proposal;
  const isTold = proposal.readsReasons === true;
  const presence = presencesOf(companion).find(({ proposals }) => proposals.includes(proposal));
  const isRejected = await companion.reject(id, reason);
  if (isRejected && isTold) {
    say(l10n.t("Rejected. {0} reads your text and goes on.", agentName));
    return;
  }
  if (isRejected && presence !== undefined && reason.trim() !== "") {
    const place = await pasteOnceFree(promptServices(services), presence, reason);
    if (place !== undefined) {
      say(
        place === "tmux"
          ? l10n.t(
              "Rejected. Your text is in the prompt of {0}, in its tmux pane: press Enter there to send it.",
              agentName,
            )
          : l10n.t(
              "Rejected. Your text is in the prompt of {0}, in its terminal: press Enter there to send it.",
              agentName,
            ),
      );
      return;
    }
  }
  await vim.call("patchbay#go#keep", [reason]);
  if (isRejected)
    say(l10n.t("Rejected. {0} cannot be told why from here: your text is yanked, paste it there.", agentName));
  else say(l10n.t("This proposal has already been decided. Your text is yanked."), "WarningMsg");
}

function promptServices({ companion, vim, logger, facts }: SendServices): PromptServices {
  return { companion, vim, logger, tmux: facts.tmuxServer === undefined ? undefined : runTmux };
}
