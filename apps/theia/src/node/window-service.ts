import type { AgentSettings, EditorContext, KeptTextSaving } from "@patchbay/core";
import type {
  Attachment,
  LineRange,
  PatchbayServer,
  PatchbayWindow,
  Verdict,
  WindowContext,
  WindowFacts,
} from "../common/protocol.ts";
import type { LogFanOut } from "./log-fan-out.ts";
import type { WorkspaceCompanion } from "./workspace-companion.ts";
import type { Workspaces } from "./workspaces.ts";

type ReadAgentSettings = PatchbayServer["agentSettings"];

/** The backend's end of one window's connection. */
export class WindowService implements PatchbayServer {
  readonly #client: PatchbayWindow;
  readonly #workspaces: Workspaces;
  readonly #readAgentSettings: ReadAgentSettings;
  readonly #stopReading: () => void;

  constructor(client: PatchbayWindow, workspaces: Workspaces, log: LogFanOut, readSettings: ReadAgentSettings) {
    this.#client = client;
    this.#workspaces = workspaces;
    this.#readAgentSettings = readSettings;
    this.#stopReading = log.read((lines) => client.notifyLog(lines));
  }

  attach(facts: WindowFacts): Promise<Attachment> {
    return this.#workspaces.attach(this.#client, facts);
  }

  notifyContext(context: WindowContext): void {
    void this.#workspaces.companionOf(this.#client).then((companion) => {
      const window = this.#workspaces.windowOf(this.#client);
      if (window !== undefined && companion?.host.windows.has(window) === true) {
        companion.host.windows.updateContext(window, context);
      }
    });
  }

  notifyDraft(proposalId: string, text: string): void {
    void this.#companion().then((companion) => companion?.host.diffs.find(proposalId)?.drafted(text));
  }

  notifyUnsaved(path: string): void {
    void this.#companion().then((companion) => companion?.host.unsavedChanged(path));
  }

  async decide(proposalId: string, verdict: Verdict): Promise<boolean> {
    const view = (await this.#companion())?.host.diffs.find(proposalId);
    view?.decide(verdict);
    return view !== undefined;
  }

  async decideAll(verdict: "accept" | "reject", proposalIds: readonly string[]): Promise<number> {
    const companion = (await this.#companion())?.companion;
    if (companion === undefined) return 0;
    if (verdict === "accept") return proposalIds.length - (await companion.acceptAll(proposalIds)).length;
    let decided = 0;
    for (const id of proposalIds) if (await companion.reject(id)) decided++;
    return decided;
  }

  async saveKeptText(id: string): Promise<KeptTextSaving | undefined> {
    return await (await this.#companion())?.companion.saveKeptText(id);
  }

  async readKeptText(id: string): Promise<string | undefined> {
    return await (await this.#companion())?.companion.readKeptText(id);
  }

  async discardKeptText(id: string): Promise<boolean> {
    return (await (await this.#companion())?.companion.discardKeptText(id)) ?? false;
  }

  async reveal(proposalId: string): Promise<boolean> {
    return (await (await this.#companion())?.companion.reveal(proposalId)) ?? false;
  }

  async mention(path: string, lines?: LineRange): Promise<number> {
    return (await this.#companion())?.companion.mention(path, lines) ?? 0;
  }

  async sharedContext(): Promise<EditorContext | undefined> {
    return (await this.#companion())?.companion.sharedContext();
  }

  agentSettings(folder: string | undefined): Promise<readonly AgentSettings[]> {
    return this.#readAgentSettings(folder);
  }

  /** The connection has ended. */
  dispose(): void {
    this.#stopReading();
    void this.#workspaces.detach(this.#client);
  }

  #companion(): Promise<WorkspaceCompanion | undefined> {
    return this.#workspaces.companionOf(this.#client);
  }
}
