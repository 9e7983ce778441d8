import { Emitter } from "@theia/core/lib/common/event";
import type { RpcProxy } from "@theia/core/lib/common/messaging/proxy-factory";
import { nls } from "@theia/core/lib/common/nls";
import { PreferenceService } from "@theia/core/lib/common/preferences/preference-service";
import { type Resource, ResourceError, type ResourceResolver } from "@theia/core/lib/common/resource";
import { URI } from "@theia/core/lib/common/uri";
import { inject, injectable } from "@theia/core/shared/inversify";
import { EditorManager } from "@theia/editor/lib/browser/editor-manager";
import { preferenceNames, preferenceOf } from "../../common/preferences.ts";
import { PatchbayServer } from "../../common/protocol.ts";
import { diagnosisText } from "./diagnosis.ts";

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
    const terminalEnvironment = preferenceOf(this.preferences, preferenceNames.terminalEnvironment, true);
    this.document.update(diagnosisText(await this.server.examine(terminalEnvironment)));
    await this.editors.open(this.document.uri, { mode: "activate" });
  }
}
