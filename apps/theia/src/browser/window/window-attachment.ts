import type { OpenReviews } from "@patchbay/core";
import { ConnectionStatus, ConnectionStatusService } from "@theia/core/lib/browser/connection-status-service";
import { FrontendApplicationConfigProvider } from "@theia/core/lib/browser/frontend-application-config-provider";
import type {
  FrontendApplicationContribution,
  OnWillStopAction,
} from "@theia/core/lib/browser/frontend-application-contribution";
import { FrontendApplicationStateService } from "@theia/core/lib/browser/frontend-application-state";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import { ILogger } from "@theia/core/lib/common/logger";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { Deferred } from "@theia/core/lib/common/promise-util";
import { inject, injectable, named } from "@theia/core/shared/inversify";
import type {
  IShellTerminalServerOptions,
  ShellTerminalServerProxy,
} from "@theia/terminal/lib/common/shell-terminal-protocol";
import { WorkspaceService } from "@theia/workspace/lib/browser/workspace-service";
import { WorkspaceTrustService } from "@theia/workspace/lib/browser/workspace-trust-service";
import { isAbout, ownPreferenceOf, preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { PatchbayServer, type WindowFacts, type WindowStatus } from "../../common/protocol.ts";
import { ContextTracker } from "../context/context-tracker.ts";
import { ProblemReader } from "../documents/problem-reader.ts";
import { filePathOf } from "../documents/selection-text.ts";
import { UnsavedReports } from "../documents/text-reports.ts";
import { type DecidedProposal, ProposalEditors } from "../review/proposal-editors.ts";
import { Notices } from "../surfaces/notices.ts";
import { LeaveDialog } from "../surfaces/review-dialogs.ts";
import { identifyWindow, WindowClient } from "./window-client.ts";

/** If the backend took a verdict and the view is still there after so many milliseconds, the user may decide again. */
const verdictSettlesMs = 3000;

/** The preferences that the companion applies. */
const companionPreferences = [
  preferenceNames.sharing,
  preferenceNames.shareSelection,
  preferenceNames.exclude,
  preferenceNames.reviews,
  preferenceNames.openReviews,
  preferenceNames.agentChanges,
] as const;

const initialStatus: WindowStatus = {
  state: { kind: "starting" },
  environment: {},
  sessions: [],
  proposals: [],
  keptTexts: [],
  activities: [],
  commands: { all: [] },
};

/** Keeps the backend told what this window is and what its user does. */
@injectable()
export class WindowAttachment implements FrontendApplicationContribution {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(WindowClient)
  protected readonly client: WindowClient;
  @inject(ProposalEditors)
  protected readonly proposals: ProposalEditors;
  @inject(UnsavedReports)
  protected readonly unsaved: UnsavedReports;
  @inject(ProblemReader)
  protected readonly problems: ProblemReader;
  @inject(ContextTracker)
  protected readonly context: ContextTracker;
  @inject(WorkspaceService)
  protected readonly workspaces: WorkspaceService;
  @inject(WorkspaceTrustService)
  protected readonly trustService: WorkspaceTrustService;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(FrontendApplicationStateService)
  protected readonly application: FrontendApplicationStateService;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(ConnectionStatusService)
  protected readonly connection: ConnectionStatusService;
  @inject(ILogger)
  @named("patchbay")
  protected readonly logger: ILogger;

  protected readonly windowId: string = identifyWindow();
  protected trusted: boolean | undefined;
  protected lastRoots: readonly string[] = [];
  protected current: WindowStatus = initialStatus;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten when the work ends.
  protected attaching: Promise<void> | undefined;
  protected again = false;
  /** Proposals into which the user typed while nobody could be told. */
  protected readonly unkept: Set<string> = new Set();
  protected readonly onDidChangeStatusEmitter: Emitter<WindowStatus> = new Emitter();
  readonly onDidChangeStatus: Event<WindowStatus> = this.onDidChangeStatusEmitter.event;

  protected readonly onDidAttachEmitter: Emitter<void> = new Emitter();
  /** The backend knows this window, and what has changed of it. */
  readonly onDidAttach: Event<void> = this.onDidAttachEmitter.event;
  protected readonly firstAttached: Deferred<void> = new Deferred();
  protected isContextWanted = false;

  /** Resolves when the backend knows this window for the first time. */
  get attached(): Promise<void> {
    return this.firstAttached.promise;
  }

  /** The panel shows what is selected, also where no agent is connected. */
  wantContext(): void {
    this.isContextWanted = true;
    this.setStatus(this.current);
  }

  get status(): WindowStatus {
    return this.current;
  }

  /** Undefined while the user has not answered. */
  get trust(): boolean | undefined {
    return this.trusted;
  }

  /** The folders the backend was told last. */
  get roots(): readonly string[] {
    return this.lastRoots;
  }

  onStart(): void {
    this.client.onDidReceiveStatus((status) => this.setStatus(status));
    this.proposals.onDidDecide((decided) => void this.report(decided));
    this.proposals.onDidDraft(({ id, text }) => {
      if (this.connection.currentStatus === ConnectionStatus.OFFLINE) this.unkept.add(id);
      this.server.notifyDraft(id, text);
    });
    this.unsaved.onDidChange((path) => this.server.notifyUnsaved(path));
    this.unsaved.start();
    this.problems.onDidChange((paths) => this.server.notifyProblems(paths));
    this.context.onDidChange((context) => this.server.notifyContext(context));
    // Fires for the first connection too, and for every one after the backend gave the old one up.
    this.server.onDidOpenConnection(() => void this.attach());
    this.workspaces.onWorkspaceChanged(() => void this.attach());
    this.workspaces.onWorkspaceLocationChanged(() => void this.attach());
    this.trustService.onDidChangeWorkspaceTrust((trusted) => this.setTrust(trusted));
    // Stays pending while the user is being asked; nothing waits for it.
    void this.trustService.getWorkspaceTrust().then((trusted) => this.setTrust(trusted));
    this.preferences.onPreferenceChanged((change) => {
      if (isAbout(change.preferenceName, companionPreferences)) void this.attach();
    });
    void this.attach();
    void this.application.reachedState("ready").then(() => this.context.start());
  }

  /** Proposals and what was typed into them come back; only what the backend has not heard of would be lost. */
  onWillStop(): OnWillStopAction | undefined {
    this.proposals.flush();
    const isLost = this.proposals.ids.some((id) => this.unkept.has(id));
    if (!isLost) return undefined;
    return {
      reason: "edits of a proposal that are not kept",
      action: async () => (await new LeaveDialog().open()) === true,
    };
  }

  onStop(): void {
    this.proposals.stop();
  }

  /** Says what this window is; calls that come while one is under way are gathered into the next. */
  protected attach(): Promise<void> {
    if (this.attaching !== undefined) {
      this.again = true;
      return this.attaching;
    }
    this.attaching = this.attachOnce().finally(() => {
      this.attaching = undefined;
      if (!this.again) return;
      this.again = false;
      void this.attach();
    });
    return this.attaching;
  }

  protected async attachOnce(): Promise<void> {
    try {
      const facts = await this.facts();
      const { status, proposals } = await this.server.attach(facts);
      this.unkept.clear();
      this.setStatus(status);
      const open = new Set(proposals);
      // What came while the backend answered is none of its answer.
      for (const { id } of facts.shown) if (!open.has(id)) await this.proposals.close(id);
      this.context.refresh();
      this.firstAttached.resolve();
      this.onDidAttachEmitter.fire();
    } catch (error) {
      void this.logger.error(`the backend did not take this window: ${String(error)}`);
    }
  }

  protected async facts(): Promise<WindowFacts> {
    await this.preferences.ready;
    const roots = await this.workspaces.roots;
    const folder = roots[0]?.resource.toString();
    this.lastRoots = roots.flatMap((root) => filePathOf(root.resource) ?? []);
    return {
      windowId: this.windowId,
      application: FrontendApplicationConfigProvider.get().applicationName,
      workspace: filePathOf(this.workspaces.workspace?.resource),
      roots: this.lastRoots,
      trusted: this.trusted,
      settings: {
        exclude: preferenceOf<readonly string[]>(this.preferences, preferenceNames.exclude, [], folder),
        shareSelection: preferenceOf(this.preferences, preferenceNames.shareSelection, true, folder),
        sharing: preferenceOf(this.preferences, preferenceNames.sharing, true, folder),
        // The user's own word alone: a folder's settings come with a repository, which could loosen it.
        reviews: ownPreferenceOf(this.preferences, preferenceNames.reviews) ?? {},
        openReviews: this.openReviews(),
        agentChanges: preferenceOf(this.preferences, preferenceNames.agentChanges, true, folder),
      },
      shown: this.proposals.shown,
    };
  }

  /** What stands in a file may be anything. */
  protected openReviews(): OpenReviews {
    const wanted = preferenceOf<unknown>(this.preferences, preferenceNames.openReviews, "always");
    return wanted === "whenIdle" || wanted === "onDemand" ? wanted : "always";
  }

  protected setStatus(status: WindowStatus): void {
    this.current = status;
    const isFollowed = this.isContextWanted || status.activities.length > 0;
    this.context.setWanted(isFollowed || status.sessions.length > 0);
    // What the user types while an agent works is not the agent's.
    this.unsaved.wanted = isFollowed || status.proposals.length > 0;
    this.proposals.setKept(new Set(status.keptTexts.map(({ id }) => id)));
    this.onDidChangeStatusEmitter.fire(status);
  }

  protected setTrust(trusted: boolean): void {
    if (trusted === this.trusted) return;
    this.trusted = trusted;
    void this.attach();
  }

  protected async report({ id, verdict }: DecidedProposal): Promise<void> {
    try {
      // A call that nobody takes would wait for a backend that comes back, and this page has to be loaded anew for that one.
      if (this.connection.currentStatus === ConnectionStatus.OFFLINE) throw new Error("the backend is not connected");
      const taken = await this.server.decide(id, verdict);
      if (!taken) await this.proposals.close(id);
      window.setTimeout(() => this.proposals.reopen(id), verdictSettlesMs);
    } catch (error) {
      void this.logger.error(`a verdict did not reach the backend: ${String(error)}`);
      this.proposals.reopen(id);
      this.notices.error(
        nls.localize(
          "patchbay/verdict/failed",
          "Your decision could not be sent to the agent. The proposal stays open. Try again, or answer in the agent's terminal.",
        ),
      );
    }
  }
}

/** How long a new terminal waits for the companion to listen, in milliseconds. A terminal without our variables is better than none. */
const patienceMs = 3000;

/** Puts the variables of this window's companion into the terminals that this window opens. */
@injectable()
export class TerminalEnvironment {
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;

  /** What a terminal is to be created with. `strictEnv` means: this environment and nothing else, so it stays as it is. */
  async extend(options: IShellTerminalServerOptions): Promise<IShellTerminalServerOptions> {
    const wanted = preferenceOf(this.preferences, preferenceNames.terminalEnvironment, true, options.rootURI);
    if (!wanted || options.strictEnv === true || options.isPseudo === true) return options;
    await this.listening();
    return { ...options, env: { ...this.attachment.status.environment, ...options.env } };
  }

  protected async listening(): Promise<void> {
    if (this.attachment.status.state.kind !== "starting") return;
    await new Promise<void>((resolve) => {
      const listener = this.attachment.onDidChangeStatus((status) => {
        if (status.state.kind !== "starting") done();
      });
      const timer = window.setTimeout(() => done(), patienceMs);
      const done = (): void => {
        listener.dispose();
        window.clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Wraps the window's door to the terminal server: everything passes, and `create` gets our variables. */
export function extendTerminalServer(
  server: ShellTerminalServerProxy,
  extend: (options: IShellTerminalServerOptions) => Promise<IShellTerminalServerOptions>,
): ShellTerminalServerProxy {
  const create = async (options: IShellTerminalServerOptions): Promise<number> =>
    await server.create(await extend(options));
  return new Proxy(server, {
    // The server is itself a proxy that makes up its members: "then" and the like must stay what it says they are.
    get: (target, name) => (name === "create" ? create : Reflect.get(target, name)),
  });
}
