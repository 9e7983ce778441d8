import { l10n } from "vscode";
import type { DiffRequest } from "@patchbay/core";
import { fileNameOf } from "../host/file-name.ts";
import { shownText } from "../surfaces/texts.ts";

export interface DiffTitleFacts {
  readonly request: Pick<DiffRequest, "agentName" | "kind" | "path" | "unsaved">;
  /** How many open reviews have the same file and agent already. */
  readonly alike: number;
}

/** What a tab is called: file, what happens to it, and who proposes it. */
export function diffTitle({ request, alike }: DiffTitleFacts): string {
  const file = fileNameOf(request.path);
  const agent = alike === 0 ? request.agentName : `${request.agentName} (${alike + 1})`;
  return shownText(`${described(file, request)} ↔ ${agent}`);
}

function described(file: string, { kind, unsaved }: DiffTitleFacts["request"]): string {
  if (kind === "create") return l10n.t("{0} (new file)", file);
  if (kind === "delete") return l10n.t("{0} (emptied)", file);
  return unsaved ? l10n.t("{0} (with unsaved text)", file) : file;
}
