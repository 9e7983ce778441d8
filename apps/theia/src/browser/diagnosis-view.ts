import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { preferenceNames } from "../common/preferences.ts";
import { PatchbayServer } from "../common/protocol.ts";
import { diagnosisText } from "./diagnosis.ts";
import { DiagnosisDocument } from "./diagnosis-document.ts";
import { WindowAttachment } from "./window-attachment.ts";

/** Gathers what a diagnosis is made from and shows it. */
@injectable()
export class DiagnosisView {
  @inject(PatchbayServer)
  protected readonly server: RpcProxy<PatchbayServer>;
  @inject(WindowAttachment)
  protected readonly attachment: WindowAttachment;
  @inject(PreferenceService)
  protected readonly preferences: PreferenceService;
  @inject(EditorManager)
  protected readonly editors: EditorManager;
  @inject(DiagnosisDocument)
  protected readonly document: DiagnosisDocument;

  async show(): Promise<void> {
    const { status, trust, roots } = this.attachment;
    const text = diagnosisText({
      state: status.state,
      sessions: status.sessions,
      trusted: trust,
      roots,
      sharing: this.preferences.get<boolean>(preferenceNames.sharing, true),
      terminalEnvironment: this.preferences.get<boolean>(preferenceNames.terminalEnvironment, true),
      agents: await this.server.agentSettings(roots[0]),
    });
    this.document.update(text);
    await this.editors.open(this.document.uri, { mode: "activate" });
  }
}
