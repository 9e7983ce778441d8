import type { KeptText } from "@patchbay/core";
import { type Presence, presencesOf } from "@patchbay/core/presences";
import { Emitter } from "@theia/core/lib/common/event";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { type Resource, ResourceError, type ResourceResolver } from "@theia/core/lib/common/resource";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { TerminalService } from "@theia/terminal/lib/browser/base/terminal-service";
import { preferenceNames } from "../../common/preferences.ts";
import { PatchbayServer } from "../../common/protocol.ts";
import { AgentPrompts } from "./agent-prompts.ts";
import { diagnosisText } from "./diagnosis.ts";
import { keptItem, KeptTexts } from "./kept-texts.ts";
import { fileUriOf } from "../documents/selection-text.ts";
import { presenceWords, proposalWords, summaryOf } from "../surfaces/status-words.ts";
import { type ListItem, Lists } from "../surfaces/lists.ts";
import { Notices } from "../surfaces/notices.ts";
import { WindowAttachment } from "../window/window-attachment.ts";

const scheme = "patchbay-theia-diagnosis";

/** The last diagnosis as a document of Theia's, to be read and copied. It is no file. */
@injectable()
export class DiagnosisDocument implements ResourceResolver {
  /** Before the resolver that takes every URI for a file. */
  readonly priority: number = 100;
  protected text: string | undefined;
  protected readonly onDidChangeEmitter: Emitter<void> = new Emitter();

  get uri(): URI {
    const name = nls.localize("patchbay/diagnosis/file", "Patchbay Diagnosis");
    return new URI().withScheme(scheme).withPath(`/${name}.txt`);
  }

  /** Takes a new diagnosis; an editor that still shows the last one shows this. */
  update(text: string): void {
    this.text = text;
    this.onDidChangeEmitter.fire();
  }

  /** Rejects before the first diagnosis: a restored layout then leaves out its tab. */
  resolve(uri: URI): Resource {
    if (uri.scheme !== scheme) throw new Error(`${uri.scheme} is not ours`);
    if (this.text === undefined) throw ResourceError.NotFound({ message: "There is no diagnosis.", data: { uri } });
    return {
      uri,
      readOnly: true,
      autosaveable: false,
      onDidChangeContents: this.onDidChangeEmitter.event,
      readContents: async () => this.text ?? "",
      dispose: () => {},
    };
  }
}

/** Shows what the backend finds. */
@injectable()
export class DiagnosisView {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(EditorManager)
  protected readonly editors: EditorManager;
  @inject(DiagnosisDocument)
  protected readonly document: DiagnosisDocument;

  async show(): Promise<void> {
    const terminalEnvironment = this.preferences.get<boolean>(preferenceNames.terminalEnvironment, true);
    this.document.update(diagnosisText(await this.server.examine(terminalEnvironment)));
    await this.editors.open(this.document.uri, { mode: "activate" });
  }
}

interface ConnectionItem extends ListItem {
  readonly proposalId?: string;
  readonly text?: KeptText;
  readonly presence?: Presence;
}

/** Lists who is connected and what waits for the user; choosing a proposal brings it to the front. */
@injectable()
export class ConnectionsView {
  @inject(Lists)
  protected readonly lists: Lists;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(KeptTexts)
  protected readonly kept: KeptTexts;
  @inject(AgentPrompts)
  protected readonly prompts: AgentPrompts;
  @inject(TerminalService)
  protected readonly terminals: TerminalService;
  @inject(Notices)
  protected readonly notices: Notices;
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;

  async show(): Promise<void> {
    const { proposals, keptTexts } = this.attachment.status;
    const items: ConnectionItem[] = presencesOf(this.attachment.status).map((presence) => ({
      icon: presence.state === "waiting" ? "bell" : "plug",
      label: presence.title === undefined ? presence.agentName : `${presence.agentName}: ${presence.title}`,
      description: [presence.session?.version ?? "", presenceWords(presence)].filter((part) => part !== "").join(" · "),
      presence,
    }));
    for (const proposal of proposals.filter(({ state }) => state !== "kept")) {
      items.push({
        icon: "git-pull-request",
        label: fileUriOf(proposal.path).path.base,
        description: proposalWords(proposal),
        detail: proposal.path,
        proposalId: proposal.id,
      });
    }
    for (const text of keptTexts) items.push({ ...keptItem(text), text });
    const chosen = await this.lists.choose(items, summaryOf(this.attachment.status));
    if (chosen?.text !== undefined) await this.kept.offer(chosen.text);
    else if (chosen?.proposalId !== undefined) await this.server.reveal(chosen.proposalId);
    else if (chosen?.presence !== undefined) await this.goTo(chosen.presence);
  }

  /** To what it waits for, else to its terminal. */
  async goTo({ agentName, proposals, commands, processes }: Presence): Promise<void> {
    const [proposal] = proposals;
    if (proposal !== undefined && (await this.server.reveal(proposal.id))) return;
    const [command] = commands;
    if (command !== undefined && (await this.server.showCommand(command.id))) return;
    const terminal = await this.prompts.terminalOf({ processes });
    if (terminal !== undefined) {
      await this.terminals.open(terminal, { mode: "activate" });
      return;
    }
    this.notices.info(
      nls.localize("patchbay/session/elsewhere", "{0} does not run in a terminal of this window.", agentName),
    );
  }
}
