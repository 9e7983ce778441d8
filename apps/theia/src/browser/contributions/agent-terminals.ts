import { type Presence, type PresenceNews, presencesOf, PresenceWatch } from "@patchbay/core/presences";
import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import type { KeybindingContribution, KeybindingRegistry } from "@theia/core/lib/browser/keybinding";
import { ApplicationShell } from "@theia/core/lib/browser/shell/application-shell";
import { type CommandContribution, CommandRegistry } from "@theia/core/lib/common/command";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import { TerminalService } from "@theia/terminal/lib/browser/base/terminal-service";
import { TerminalWidget } from "@theia/terminal/lib/browser/base/terminal-widget";
import { preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { PatchbayServer } from "../../common/protocol.ts";
import { inboxFocusKey } from "../inbox/inbox-row.ts";
import { ProposalEditors } from "../review/proposal-editors.ts";
import { proposalScheme } from "../review/proposal-resources.ts";
import { Notices } from "../surfaces/notices.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { AgentPrompts } from "./agent-prompts.ts";
import { patchbayCommands } from "./patchbay-commands.ts";

/** The way between an agent's terminal and what it asks: one key there and back. */
@injectable()
export class AgentTerminals implements CommandContribution, KeybindingContribution {
  @inject(ApplicationShell)
  protected readonly shell: ApplicationShell;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(AgentPrompts)
  protected readonly prompts: AgentPrompts;
  @inject(TerminalService)
  protected readonly terminals: TerminalService;
  @inject(ProposalEditors)
  protected readonly proposals: ProposalEditors;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(CommandRegistry)
  protected readonly commands: CommandRegistry;

  registerCommands(commands: CommandRegistry): void {
    commands.registerCommand(patchbayCommands.goToReview, { execute: () => this.goToReview() });
    commands.registerCommand(patchbayCommands.goToTerminal, { execute: () => this.goToTerminal() });
  }

  registerKeybindings(keybindings: KeybindingRegistry): void {
    const keybinding = "ctrlcmd+alt+j";
    const inReview = `resourceScheme == ${proposalScheme} && editorFocus`;
    keybindings.registerKeybindings(
      { command: patchbayCommands.goToReview.id, keybinding, when: "terminalFocus" },
      { command: patchbayCommands.goToTerminal.id, keybinding, when: inReview },
      { command: patchbayCommands.goToTerminal.id, keybinding, when: inboxFocusKey },
    );
  }

  /** To what a session waits for, else to its terminal. */
  async goTo(presence: Presence): Promise<void> {
    if (!(await this.goToQuestion(presence))) await this.show(presence);
  }

  /** Brings an agent's terminal to the front, with the keys. */
  async show({ agentName, processes }: Pick<Presence, "agentName" | "processes">): Promise<void> {
    const terminal = await this.prompts.terminalOf({ processes });
    if (terminal !== undefined) {
      await this.terminals.open(terminal, { mode: "activate" });
      return;
    }
    this.notices.info(
      nls.localize("patchbay/session/elsewhere", "{0} does not run in a terminal of this window.", agentName),
    );
  }

  protected async goToQuestion({ proposals, commands }: Presence): Promise<boolean> {
    const [proposal] = proposals;
    if (proposal !== undefined && (await this.server.reveal(proposal.id))) return true;
    const [command] = commands;
    return command !== undefined && (await this.server.showCommand(command.id));
  }

  /** Of the agent in the terminal that has the keys; else what waits first; else the view of all. */
  protected async goToReview(): Promise<void> {
    const waiting = presencesOf(this.attachment.status).filter(({ state }) => state === "waiting");
    const { activeWidget } = this.shell;
    const here = activeWidget instanceof TerminalWidget ? activeWidget : undefined;
    const own: Presence[] = [];
    for (const one of here === undefined ? [] : waiting) {
      if ((await this.prompts.terminalOf(one)) === here) own.push(one);
    }
    for (const one of [...own, ...waiting]) if (await this.goToQuestion(one)) return;
    await this.commands.executeCommand(patchbayCommands.showConnections.id);
  }

  /** Of the agent whose review is in front; else of the one that was active last; else any terminal. */
  protected async goToTerminal(): Promise<void> {
    const presences = presencesOf(this.attachment.status);
    const id = this.proposals.foreground?.request.id;
    const asker = presences.find(({ proposals }) => proposals.some((one) => one.id === id));
    for (const one of asker === undefined ? presences : [asker]) {
      const terminal = await this.prompts.terminalOf(one);
      if (terminal === undefined) continue;
      await this.terminals.open(terminal, { mode: "activate" });
      return;
    }
    const last = this.terminals.lastUsedTerminal;
    if (last !== undefined) await this.terminals.open(last, { mode: "activate" });
    else if (asker !== undefined) await this.show(asker);
  }
}

/** Tells the user of an agent that begins to wait, or has finished, where they do not see its terminal. A preference; off by default. */
@injectable()
export class AgentNotices implements FrontendApplicationContribution {
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(AgentPrompts)
  protected readonly prompts: AgentPrompts;
  @inject(AgentTerminals)
  protected readonly agentTerminals: AgentTerminals;
  @inject(Notices)
  protected readonly notices: Notices;
  protected readonly watch: PresenceWatch = new PresenceWatch();

  onStart(): void {
    this.attachment.onDidChangeStatus((status) => {
      const news = this.watch.look(status);
      if (preferenceOf<string>(this.preferences, preferenceNames.notify, "never") !== "hiddenTerminal") return;
      for (const one of news) void this.tell(one);
    });
  }

  protected async tell({ presence, what }: PresenceNews): Promise<void> {
    const terminal = await this.prompts.terminalOf(presence);
    if (terminal?.isVisible === true && globalThis.document.hasFocus()) return;
    const show = nls.localize("patchbay/notify/show", "Show");
    if ((await this.notices.info(sentenceFor({ presence, what }), { actions: [show] }).answer) === show) {
      await this.agentTerminals.goTo(presence);
    }
  }
}

function sentenceFor({ presence: { agentName, title }, what }: PresenceNews): string {
  const about = title ?? nls.localize("patchbay/notify/untitled", "a session without a prompt");
  if (what === "waits") {
    return nls.localize("patchbay/notify/waits", "{0} is waiting for your answer: {1}", agentName, about);
  }
  return what === "finished"
    ? nls.localize("patchbay/notify/finished", "{0} has finished: {1}", agentName, about)
    : nls.localize("patchbay/notify/ended", "{0} has ended: {1}", agentName, about);
}
