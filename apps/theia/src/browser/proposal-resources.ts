import { type Resource, ResourceError, type ResourceResolver } from "@theia/core/lib/common/resource";
import type { URI } from "@theia/core/lib/common/uri";
import { injectable } from "@theia/core/shared/inversify";
import { originalScheme, proposalScheme } from "./proposal-schemes.ts";

export interface ProposalDocument {
  /** The sides as they are now. */
  originalText(): string;
  shownText(): string;
  /** The text is the user's already: closing it must ask. */
  readonly drafted: boolean;
  /** The user chose to save when asked about closing. Rejects when the text is to stay unsaved. */
  save(text: string): Promise<void>;
}

/** Gives Theia's text models the two sides of every open proposal. Nothing of it is a file. */
@injectable()
export class ProposalResources implements ResourceResolver {
  /** Before the resolver that takes every URI for a file. */
  readonly priority: number = 100;
  protected readonly documents: Map<string, ProposalDocument> = new Map();

  add(proposalId: string, document: ProposalDocument): void {
    this.documents.set(proposalId, document);
  }

  remove(proposalId: string): void {
    this.documents.delete(proposalId);
  }

  /** Rejects for proposals that are not open: a restored layout then leaves out their tabs. */
  resolve(uri: URI): Resource {
    if (uri.scheme !== proposalScheme && uri.scheme !== originalScheme) throw new Error(`${uri.scheme} is not ours`);
    const document = this.documents.get(uri.query);
    if (document === undefined) throw ResourceError.NotFound({ message: "The proposal is closed.", data: { uri } });
    return uri.scheme === originalScheme ? originalResource(uri, document) : proposalResource(uri, document);
  }
}

function originalResource(uri: URI, document: ProposalDocument): Resource {
  return {
    uri,
    readOnly: true,
    autosaveable: false,
    readContents: () => Promise.resolve(document.originalText()),
    dispose: () => {},
  };
}

function proposalResource(uri: URI, document: ProposalDocument): Resource {
  return {
    uri,
    readOnly: false,
    // Saving means accepting, so it is never done by a timer or by a lost focus.
    autosaveable: false,
    initiallyDirty: document.drafted,
    readContents: () => Promise.resolve(document.shownText()),
    saveContents: (text) => document.save(text),
    dispose: () => {},
  };
}
