import type { FrontendApplicationContribution } from "@theia/core/lib/browser/frontend-application-contribution";
import type { CommandContribution, CommandRegistry } from "@theia/core/lib/common/command";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { inject, injectable } from "@theia/core/shared/inversify";
import { type ListedTurn, PatchbayServer } from "../../common/protocol.ts";
import { Lists } from "../surfaces/lists.ts";
import { WindowAttachment } from "../window/window-attachment.ts";
import { WindowClient } from "../window/window-client.ts";
import { LaterServices } from "./later-services.ts";
import { patchbayCommands } from "./patchbay-commands.ts";
import type { TurnAction, TurnActions } from "./turn-actions.ts";

/** What agents changed without a review, as the backend lists it. What is done with it is loaded with the first such wish. */
@injectable()
export class AgentChanges implements CommandContribution, FrontendApplicationContribution {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(WindowClient)
  protected readonly client: WindowClient;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(LaterServices)
  protected readonly later: LaterServices;

  protected listed: readonly ListedTurn[] = [];
  protected actions: TurnActions | undefined;
  protected isReading = false;
  protected again = false;
  protected readonly onDidChangeEmitter: Emitter<void> = new Emitter();
  readonly onDidChange: Event<void> = this.onDidChangeEmitter.event;

  /** The newest first. */
  get turns(): readonly ListedTurn[] {
    return this.listed;
  }

  onStart(): void {
    this.client.onDidChangeTurns(() => void this.read());
    this.attachment.onDidAttach(() => void this.read());
  }

  registerCommands(commands: CommandRegistry): void {
    const isEnabled = (): boolean => this.listed.length > 0;
    const on = (
      name: "showTurn" | "keepTurn" | "undoTurn" | "undoTurnWithReason",
      action: (turn: ListedTurn) => Promise<void>,
    ) =>
      commands.registerCommand(patchbayCommands[name], {
        isEnabled,
        execute: async () => {
          const turn = await this.choose();
          if (turn !== undefined) await action(turn);
        },
      });
    on("showTurn", (turn) => this.act("open", turn, undefined));
    on("keepTurn", (turn) => this.act("keep", turn, undefined));
    on("undoTurn", (turn) => this.act("undo", turn, undefined));
    on("undoTurnWithReason", async (turn) => (await this.loaded()).undoWithReason(turn));
    commands.registerCommand(patchbayCommands.undoSession, {
      isEnabled,
      execute: async () => (await this.loaded()).undoSession(this.listed),
    });
    commands.registerCommand(patchbayCommands.bringBack, { execute: async () => (await this.loaded()).bringBack() });
  }

  async act(action: TurnAction, turn: ListedTurn, path: string | undefined): Promise<void> {
    await (await this.loaded()).act(action, turn, path);
  }

  protected async loaded(): Promise<TurnActions> {
    this.actions ??= await this.later.get(async () => (await import("./turn-actions.ts")).TurnActions);
    return this.actions;
  }

  /** Asks anew; calls that come meanwhile are gathered into one more. */
  protected async read(): Promise<void> {
    this.again = this.isReading;
    if (this.isReading) return;
    this.isReading = true;
    try {
      this.listed = await this.server.turns();
    } finally {
      this.isReading = false;
    }
    this.actions?.withdrawAnswered(this.listed);
    this.onDidChangeEmitter.fire();
    if (this.again) await this.read();
  }

  protected async choose(): Promise<ListedTurn | undefined> {
    const items = this.listed.map((turn) => ({
      label: turn.agents.join(", "),
      description: `+${turn.lines.added} −${turn.lines.removed}`,
      detail: turn.prompt,
      turn,
    }));
    if (items.length < 2) return items[0]?.turn;
    return (await this.lists.choose(items, nls.localize("patchbay/turns/which", "Which turn?")))?.turn;
  }
}
