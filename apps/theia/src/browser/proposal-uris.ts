import { URI } from "@theia/core/lib/common/uri";
import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import { originalScheme, proposalScheme } from "./proposal-schemes.ts";

/** The proposal's id stands in the query: two proposals for one file are two documents. */
export function proposalUri(file: URI, proposalId: string): URI {
  return file.withScheme(proposalScheme).withQuery(proposalId).withFragment("");
}

export function originalUri(file: URI, proposalId: string): URI {
  return file.withScheme(originalScheme).withQuery(proposalId).withFragment("");
}

export function proposalDiffUri(file: URI, proposalId: string): URI {
  return DiffUris.encode(originalUri(file, proposalId), proposalUri(file, proposalId));
}

/** The id of the proposal that a diff editor, or either of its sides, belongs to. */
export function proposalIdOf(uri: URI | undefined): string | undefined {
  if (uri === undefined) return undefined;
  if (DiffUris.isDiffUri(uri)) return proposalIdOf(DiffUris.decode(uri)[1]);
  return uri.scheme === proposalScheme || uri.scheme === originalScheme ? uri.query : undefined;
}
