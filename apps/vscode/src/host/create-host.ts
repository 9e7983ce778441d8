import type { Disposable } from "vscode";
import type { EditorHost, HostDiffs } from "@patchbay/core";
import type { EditionContext } from "../edition-context.ts";
import { loadLater } from "../load-later.ts";
import { createDocuments } from "./documents.ts";
import { VsCodeEditors } from "./editors.ts";
import { createIdentity } from "./identity.ts";
import { createLazyDiagnostics } from "./lazy-diagnostics.ts";
import { storageDirectoryOf } from "./storage.ts";
import { VsCodeWorkspace } from "./workspace.ts";

/** VS Code as the companion's editor. What it listens to ends with `own`. */
export function createHost(
  context: Pick<EditionContext, "storageUri">,
  version: string,
  diffs: HostDiffs,
  own: (disposable: Disposable) => void,
): EditorHost {
  const workspace = new VsCodeWorkspace();
  const editors = new VsCodeEditors();
  for (const part of [workspace, editors]) own(part);
  return {
    identity: createIdentity(version),
    workspace,
    editors,
    diffs,
    messages: { show: async (message) => await (await loadLater()).showMessage(message) },
    storageDirectory: storageDirectoryOf(context),
    diagnostics: createLazyDiagnostics(own),
    documents: createDocuments(),
  };
}
