import { commands, type Disposable, EventEmitter, Uri, workspace } from "vscode";
import type { Companion } from "@patchbay/core";
import type { Settings } from "../settings/settings.ts";

import { writeDiagnosis } from "../diagnosis/write-diagnosis.ts";

const scheme = "patchbay-diagnosis";

/** "Diagnose Connection": a page that says what was looked at and what to do. */
export function registerDiagnose(companion: Companion, settings: Settings): Disposable[] {
  const uri = Uri.from({ scheme, path: "/Patchbay Diagnosis.md" });
  const changes = new EventEmitter<Uri>();
  return [
    changes,
    workspace.registerTextDocumentContentProvider(scheme, {
      onDidChange: changes.event,
      provideTextDocumentContent: async () => {
        return await writeDiagnosis(companion, settings);
      },
    }),
    commands.registerCommand("patchbay.diagnose", async () => {
      changes.fire(uri);
      await commands.executeCommand("markdown.showPreview", uri);
    }),
  ];
}
