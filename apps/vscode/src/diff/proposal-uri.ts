import { Uri, workspace } from "vscode";

/** As much of an id as stands above the text: the whole is in the query. */
const shownIdLength = 6;

/** The URI of a proposal. The id makes two proposals for one file two documents; the path keeps the language and the label. */
export function proposalUri(id: string, path: string): Uri {
  return Uri.from({ scheme: proposalScheme, path: ownPath("proposal", id, path), query: id });
}

/** The URI of the snapshot that a proposal is compared with. */
export function originalUri(id: string, path: string): Uri {
  return Uri.from({ scheme: originalScheme, path: ownPath("original", id, path), query: id });
}

/** Language servers tell documents apart by their paths alone: without the id there, one proposal's problems would be all others', too. */
function ownPath(side: string, id: string, path: string): string {
  return `/${side}-${id.slice(0, shownIdLength)}${shownPath(path)}`;
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

/** The right side of a review: writable, so that VS Code treats what the user types as an unsaved change. */
export const proposalScheme = "patchbay-proposal";

/** The left side: a read-only snapshot. Not `file:`, which would bring a "swap sides" button and break after a reload. */
export const originalScheme = "patchbay-original";
