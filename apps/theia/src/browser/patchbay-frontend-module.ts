import { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import { KeybindingContribution } from "@theia/core/lib/browser/keybinding";
import { LabelProviderContribution } from "@theia/core/lib/browser/label-provider";
import { ServiceConnectionProvider } from "@theia/core/lib/browser/messaging/service-connection-provider";
import { bindViewContribution } from "@theia/core/lib/browser/shell/view-contribution";
import { WidgetFactory } from "@theia/core/lib/browser/widget-manager";
import type { Widget } from "@theia/core/lib/browser/widgets/widget";
import { SaveableService } from "@theia/core/lib/browser/saveable-service";
import { TabBarToolbarContribution } from "@theia/core/lib/browser/shell/tab-bar-toolbar/tab-bar-toolbar-registry";
import { StylingParticipant } from "@theia/core/lib/browser/styling-service";
import { CommandContribution } from "@theia/core/lib/common/command";
import { MenuContribution } from "@theia/core/lib/common/menu";
import { ResourceResolver } from "@theia/core/lib/common/resource";
import { ContainerModule } from "@theia/core/shared/inversify";
import { ShellTerminalServerProxy } from "@theia/terminal/lib/common/shell-terminal-protocol";
import { bindPreferences } from "../common/preferences.ts";
import { PatchbayServer, patchbayServerPath } from "../common/protocol.ts";
import { AgentChanges } from "./contributions/agent-changes.ts";
import { AgentContribution } from "./contributions/agent-contribution.ts";
import { AgentPrompts } from "./contributions/agent-prompts.ts";
import { AgentNotices, AgentTerminals } from "./contributions/agent-terminals.ts";
import { DiagnosisView, diagnosisWidgetId } from "./contributions/diagnosis-view.ts";
import { LogView, WindowClient } from "./window/window-client.ts";
import { ContextTracker } from "./context/context-tracker.ts";
import { DocumentActions } from "./documents/document-actions.ts";
import { HostMessages, Notices } from "./surfaces/notices.ts";
import { HunkContribution } from "./contributions/hunk-contribution.ts";
import { InboxContribution, InboxStyle } from "./contributions/inbox-contribution.ts";
import { inboxWidgetId } from "./inbox/inbox-row.ts";
import { KeptTexts } from "./contributions/kept-texts.ts";
import { LaterServices } from "./contributions/later-services.ts";
import { PanelContribution } from "./contributions/panel-contribution.ts";
import { PanelChanges, type PanelTab, panelTabId, panelWidgetId } from "./panel/panel-places.ts";
import { ProblemReader } from "./documents/problem-reader.ts";
import { ProposalEditors } from "./review/proposal-editors.ts";
import { ProposalLabels, ProposalResources } from "./review/proposal-resources.ts";
import { QuietOpening, savingWithoutProposals } from "./documents/quiet-opening.ts";
import { ReviewContribution, VerdictButtons } from "./contributions/review-contribution.ts";
import { ReviewNavigation } from "./contributions/review-navigation.ts";
import { Lists } from "./surfaces/lists.ts";
import { StatusBarContribution } from "./contributions/status-bar.ts";
import { UnsavedReports } from "./documents/text-reports.ts";
import { extendTerminalServer, TerminalEnvironment, WindowAttachment } from "./window/window-attachment.ts";

const services = [
  AgentPrompts,
  ContextTracker,
  DiagnosisView,
  DocumentActions,
  HostMessages,
  Lists,
  LogView,
  Notices,
  PanelChanges,
  ProblemReader,
  ProposalEditors,
  QuietOpening,
  TerminalEnvironment,
  UnsavedReports,
  WindowClient,
] as const;

const frontendModule: ContainerModule = new ContainerModule(
  (bind, _unbind, _isBound, _rebind, _unbindAsync, onActivation) => {
    bindPreferences(bind);
    for (const service of services) bind<unknown>(service).toSelf().inSingletonScope();
    bind(LaterServices)
      .toDynamicValue(({ container }) => new LaterServices(container))
      .inSingletonScope();
    bind(PatchbayServer)
      .toDynamicValue(({ container }) =>
        ServiceConnectionProvider.createProxy<PatchbayServer>(
          container,
          patchbayServerPath,
          container.get(WindowClient),
        ),
      )
      .inSingletonScope();

    bind(ProposalResources).toSelf().inSingletonScope();
    bind(ResourceResolver).toService(ProposalResources);
    bind(WidgetFactory)
      .toDynamicValue(({ container }) => ({
        id: diagnosisWidgetId,
        createWidget: async () =>
          container.resolve((await import("./contributions/diagnosis-widget.ts")).DiagnosisWidget),
      }))
      .inSingletonScope();
    bind(ProposalLabels).toSelf().inSingletonScope();
    bind(LabelProviderContribution).toService(ProposalLabels);

    bind(WindowAttachment).toSelf().inSingletonScope();
    bind(StatusBarContribution).toSelf().inSingletonScope();
    bind(AgentNotices).toSelf().inSingletonScope();
    bind(FrontendApplicationContribution).toService(WindowAttachment);
    bind(FrontendApplicationContribution).toService(StatusBarContribution);
    bind(FrontendApplicationContribution).toService(AgentNotices);

    bind(ReviewContribution).toSelf().inSingletonScope();
    bind(CommandContribution).toService(ReviewContribution);
    bind(KeybindingContribution).toService(ReviewContribution);
    bind(MenuContribution).toService(ReviewContribution);
    bind(TabBarToolbarContribution).toService(ReviewContribution);

    bind(KeptTexts).toSelf().inSingletonScope();
    bind(CommandContribution).toService(KeptTexts);
    bind(TabBarToolbarContribution).toService(KeptTexts);

    bind(VerdictButtons).toSelf().inSingletonScope();
    bind(StylingParticipant).toService(VerdictButtons);

    bindViewContribution(bind, InboxContribution);
    bind(FrontendApplicationContribution).toService(InboxContribution);
    bind(TabBarToolbarContribution).toService(InboxContribution);
    bind(WidgetFactory)
      .toDynamicValue(({ container }) => ({
        id: inboxWidgetId,
        createWidget: async () => {
          const { InboxWidget } = await import("./inbox/inbox-widget.ts");
          return container.get(InboxContribution).adopt(InboxWidget.create(container));
        },
      }))
      .inSingletonScope();
    bind(InboxStyle).toSelf().inSingletonScope();
    bind(StylingParticipant).toService(InboxStyle);

    bindViewContribution(bind, PanelContribution);
    bind(FrontendApplicationContribution).toService(PanelContribution);
    bind(StylingParticipant).toService(PanelContribution);
    for (const id of [panelWidgetId, panelTabId]) {
      bind(WidgetFactory)
        .toDynamicValue(({ container }) => ({
          id,
          createWidget: async (tab?: PanelTab) =>
            (await import("./panel/panel-widget.ts")).createPanelPage(container, tab),
        }))
        .inSingletonScope();
    }
    bind(ResourceResolver).toService(PanelChanges);

    bind(HunkContribution).toSelf().inSingletonScope();
    bind(CommandContribution).toService(HunkContribution);
    bind(KeybindingContribution).toService(HunkContribution);
    bind(MenuContribution).toService(HunkContribution);
    bind(TabBarToolbarContribution).toService(HunkContribution);

    bind(ReviewNavigation).toSelf().inSingletonScope();
    bind(CommandContribution).toService(ReviewNavigation);
    bind(KeybindingContribution).toService(ReviewNavigation);
    bind(TabBarToolbarContribution).toService(ReviewNavigation);

    bind(AgentChanges).toSelf().inSingletonScope();
    bind(CommandContribution).toService(AgentChanges);
    bind(FrontendApplicationContribution).toService(AgentChanges);
    bind(KeybindingContribution).toService(AgentChanges);
    bind(MenuContribution).toService(AgentChanges);
    bind(TabBarToolbarContribution).toService(AgentChanges);
    bind(StylingParticipant).toService(AgentChanges);

    bind(AgentTerminals).toSelf().inSingletonScope();
    bind(CommandContribution).toService(AgentTerminals);
    bind(KeybindingContribution).toService(AgentTerminals);

    bind(AgentContribution).toSelf().inSingletonScope();
    bind(CommandContribution).toService(AgentContribution);
    bind(MenuContribution).toService(AgentContribution);

    onActivation<SaveableService>(SaveableService, ({ container }, service) =>
      savingWithoutProposals(
        service,
        (widget: Widget | undefined) => container.get(ProposalEditors).proposalOf(widget) !== undefined,
      ),
    );
    // The window's attachment is looked up when the first terminal is made: it depends on much that is not there yet.
    onActivation<ShellTerminalServerProxy>(ShellTerminalServerProxy, ({ container }, server) =>
      extendTerminalServer(server, (options) => container.get(TerminalEnvironment).extend(options)),
    );
  },
);

export default frontendModule;
