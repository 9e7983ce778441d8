import { Uri, workspace } from "vscode";
import { originalScheme, proposalScheme } from "./schemes.ts";

/** The URI of a proposal. The id makes two proposals for one file two documents; the path keeps the language and the label. */
export function proposalUri(id: string, path: string): Uri {
  return Uri.from({ scheme: proposalScheme, path: shownPath(path), query: id });
}

/** The URI of the snapshot that a proposal is compared with. */
export function originalUri(id: string, path: string): Uri {
  return Uri.from({ scheme: originalScheme, path: shownPath(path), query: id });
}

/** The proposal a URI belongs to, whichever side it is; undefined for everything that is not ours. */
export function proposalIdOf(uri: Uri): string | undefined {
  if (uri.scheme !== proposalScheme && uri.scheme !== originalScheme) return undefined;
  return uri.query === "" ? undefined : uri.query;
}

/** Within the workspace the path from there: it stands above the text, where a long one hides what matters. */
function shownPath(path: string): string {
  const relative = workspace.asRelativePath(path);
  return relative === path ? Uri.file(path).path : `/${relative.replaceAll("\\", "/")}`;
}
