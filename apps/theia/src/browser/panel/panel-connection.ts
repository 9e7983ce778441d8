import { Emitter, type Event } from "@theia/core/lib/common/event";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { isOSX } from "@theia/core/lib/common/os";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable, postConstruct } from "@theia/core/shared/inversify";
import {
  type PageFacts,
  PanelServer,
  type PageTexts,
  type PageTitle,
  type PanelFacts,
} from "../../common/panel-protocol.ts";
import { ownPreferenceOf, preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { WindowAttachment } from "../window/window-attachment.ts";

/** A page of this window: a frame, while there is one. */
export interface PanelPage {
  readonly facts: PageFacts;
  /** False: there is no frame just now. */
  tell(message: unknown): boolean;
  setTitle(title: PageTitle): void;
}

/** The pages of this window, by their names. */
@injectable()
export class PanelPages {
  protected readonly pages: Map<string, PanelPage> = new Map();

  get all(): readonly PanelPage[] {
    return Array.from(this.pages.values());
  }

  add(page: PanelPage): void {
    this.pages.set(page.facts.page, page);
  }

  remove(page: PanelPage): void {
    this.pages.delete(page.facts.page);
  }

  find(page: string): PanelPage | undefined {
    return this.pages.get(page);
  }
}

/** This window's tie to the conversations of its workspace. The channel is opened with the first page. */
@injectable()
export class PanelConnection {
  @inject(PanelServer)
  readonly server: RpcProxy<PanelServer>;
  @inject(PanelPages)
  readonly pages: PanelPages;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;

  protected readonly onDidAttachEmitter: Emitter<void> = new Emitter();
  readonly onDidAttach: Event<void> = this.onDidAttachEmitter.event;
  // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten where it could not be had.
  protected loading: Promise<PageTexts> | undefined;

  @postConstruct()
  protected init(): void {
    this.attachment.wantContext();
    // Also after a connection was lost: what the backend does not know of any more is told to it again.
    this.attachment.onDidAttach(() => void this.attach());
    this.preferences.onPreferenceChanged(({ preferenceName }) => {
      if (preferenceName.startsWith("patchbay.panel.")) void this.attach();
    });
  }

  /** What pages are made of. Comes when the backend knows this window. */
  texts(): Promise<PageTexts> {
    // oxlint-disable-next-line patchbay/no-kept-promise -- Forgotten where it could not be had.
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  protected async load(): Promise<PageTexts> {
    await this.attachment.attached;
    await this.attach();
    return await this.server.texts();
  }

  protected async attach(): Promise<void> {
    await this.server.attach(
      this.facts(),
      this.pages.all.map(({ facts }) => facts),
    );
    this.onDidAttachEmitter.fire();
  }

  protected facts(): PanelFacts {
    const { preferences } = this;
    return {
      locale: nls.locale ?? "en",
      sendWith:
        preferenceOf<unknown>(preferences, preferenceNames.panelSendWith, "enter") === "ctrl-enter"
          ? "ctrl-enter"
          : "enter",
      isMac: isOSX,
      notify: preferenceOf(preferences, preferenceNames.panelNotify, true),
      autosave: preferenceOf(preferences, preferenceNames.panelAutosave, true),
      respectIgnoreFiles: preferenceOf(preferences, preferenceNames.panelRespectIgnoreFiles, true),
      // The user's own word alone: it names programs, and a folder's settings come with a repository.
      agents: ownPreferenceOf(preferences, preferenceNames.panelAgents) ?? {},
      words: {
        selection: nls.localize("patchbay/panel/selection", "Selection"),
        problems: nls.localize("patchbay/panel/problems", "Problems"),
        untrusted: nls.localize(
          "patchbay/panel/untrusted",
          "This workspace is not trusted, so no agent is started in it.",
        ),
        noFolder: nls.localize("patchbay/panel/noFolder", "Open a folder first: agents work in one."),
      },
    };
  }
}
