import type { CommandContribution, CommandRegistry } from "@theia/core/lib/common/command";
import type { MenuContribution, MenuModelRegistry } from "@theia/core/lib/common/menu";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EDITOR_CONTEXT_MENU } from "@theia/editor/lib/browser/editor-menu";
import { TerminalMenus } from "@theia/terminal/lib/browser/terminal-frontend-contribution";
import { preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { type HookAction, PatchbayServer } from "../../common/protocol.ts";
import type { AgentActions } from "./agent-actions.ts";
import { DiagnosisView } from "./diagnosis-view.ts";
import { LogView } from "../window/window-client.ts";
import { ContextTracker } from "../context/context-tracker.ts";
import { LaterServices } from "./later-services.ts";
import { agentLaunches, patchbayCommands } from "./patchbay-commands.ts";
import { WindowAttachment } from "../window/window-attachment.ts";

/** Commands about agents and what they are told. */
@injectable()
export class AgentContribution implements CommandContribution, MenuContribution {
  @inject(ContextTracker)
  protected readonly context: ContextTracker;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(DiagnosisView)
  protected readonly diagnosis: DiagnosisView;
  @inject(LogView)
  protected readonly log: LogView;
  @inject(LaterServices)
  protected readonly later: LaterServices;
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;

  registerCommands(commands: CommandRegistry): void {
    const inFile = (): boolean => this.context.activeEditor !== undefined;
    const act = (run: (actions: AgentActions) => Promise<void>) => async (): Promise<void> => {
      await run(await this.later.get(async () => (await import("./agent-actions.ts")).AgentActions));
    };
    const sharing = (): boolean => preferenceOf(this.preferences, preferenceNames.sharing, true);
    const inFileDo = (run: (actions: AgentActions) => Promise<void>) => ({ isEnabled: inFile, execute: act(run) });
    commands.registerCommand(
      patchbayCommands.sendSelection,
      inFileDo((actions) => actions.mention(true)),
    );
    commands.registerCommand(
      patchbayCommands.sendFile,
      inFileDo((actions) => actions.mention(false)),
    );
    commands.registerCommand(
      patchbayCommands.sendProblem,
      inFileDo((actions) => actions.sendProblem()),
    );
    commands.registerCommand(patchbayCommands.pauseSharing, {
      isEnabled: sharing,
      execute: act((actions) => actions.share(false)),
    });
    commands.registerCommand(patchbayCommands.resumeSharing, {
      isEnabled: () => !sharing(),
      execute: act((actions) => actions.share(true)),
    });
    commands.registerCommand(patchbayCommands.copyEnvironment, {
      execute: act((actions) => actions.copyEnvironment()),
    });
    commands.registerCommand(patchbayCommands.showShared, { execute: act((actions) => actions.showShared()) });
    commands.registerCommand(patchbayCommands.diagnose, { execute: () => this.diagnosis.show() });
    commands.registerCommand(patchbayCommands.tryReview, {
      execute: async () => {
        const next = await this.server.tryReview();
        const launch = agentLaunches.find(({ id }) => id === next);
        if (next !== undefined) await commands.executeCommand((launch?.command ?? patchbayCommands.diagnose).id);
      },
    });
    commands.registerCommand(patchbayCommands.showLog, { execute: () => this.log.show() });
    const change = (action: HookAction) => async (): Promise<void> => {
      await (await this.later.get(async () => (await import("./hooks.ts")).Hooks)).change(action);
    };
    commands.registerCommand(patchbayCommands.installHook, { execute: change("install") });
    commands.registerCommand(patchbayCommands.removeHook, { execute: change("remove") });
    for (const launch of agentLaunches) {
      // In a folder the user does not trust, or was not asked about yet, no agent is started for them.
      const isEnabled = (): boolean => this.attachment.trust === true;
      commands.registerCommand(launch.command, { isEnabled, execute: act((actions) => actions.run(launch)) });
    }
  }

  registerMenus(menus: MenuModelRegistry): void {
    const group = [...EDITOR_CONTEXT_MENU, "9_patchbay"];
    menus.registerMenuAction(group, { commandId: patchbayCommands.sendSelection.id, order: "1" });
    menus.registerMenuAction(group, { commandId: patchbayCommands.sendFile.id, order: "2" });
    menus.registerMenuAction(group, { commandId: patchbayCommands.sendProblem.id, order: "3" });
    for (const { command } of agentLaunches) {
      menus.registerMenuAction(TerminalMenus.TERMINAL_NEW, { commandId: command.id, order: "patchbay" });
    }
  }
}
