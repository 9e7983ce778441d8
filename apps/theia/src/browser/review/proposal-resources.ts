import type { DiffUpdate, TextEdit } from "@patchbay/core";
import { DiffUris } from "@theia/core/lib/browser/diff-uris";
import type { DidChangeLabelEvent, LabelProviderContribution } from "@theia/core/lib/browser/label-provider";
import { codicon } from "@theia/core/lib/browser/widgets/widget";
import { Emitter, type Event } from "@theia/core/lib/common/event";
import { type Resource, ResourceError, type ResourceResolver } from "@theia/core/lib/common/resource";
import { URI } from "@theia/core/lib/common/uri";
import { injectable } from "@theia/core/shared/inversify";
import type { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import { MonacoDiffEditor } from "@theia/monaco/lib/browser/monaco-diff-editor";
import { MonacoEditorModel } from "@theia/monaco/lib/browser/monaco-editor-model";
import { visibleText } from "../../common/visible-text.ts";
import { editRanges } from "../documents/selection-text.ts";

export interface ProposalDocument {
  /** The sides as they are now. */
  originalText(): string;
  shownText(): string;
  /** The text is the user's already: closing it must ask. */
  readonly drafted: boolean;
  /** The agent takes no text but its own. */
  readonly isReadOnly: boolean;
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
    readOnly: document.isReadOnly,
    // Saving means accepting, so it is never done by a timer or by a lost focus.
    autosaveable: false,
    initiallyDirty: document.drafted,
    readContents: () => Promise.resolve(document.shownText()),
    saveContents: (text) => document.save(text),
    dispose: () => {},
  };
}

/** Names the tabs of proposals: the file and the agent, and what is special about it. */
@injectable()
export class ProposalLabels implements LabelProviderContribution {
  protected readonly labels: Map<string, string> = new Map();
  protected readonly onDidChangeEmitter: Emitter<DidChangeLabelEvent> = new Emitter();
  readonly onDidChange: Event<DidChangeLabelEvent> = this.onDidChangeEmitter.event;

  set(proposalId: string, label: string): void {
    this.labels.set(proposalId, label);
    this.onDidChangeEmitter.fire({
      affects: (element) => element instanceof URI && proposalIdOf(element) === proposalId,
    });
  }

  delete(proposalId: string): void {
    this.labels.delete(proposalId);
  }

  canHandle(element: object): number {
    return element instanceof URI && proposalIdOf(element) !== undefined ? 100 : 0;
  }

  getIcon(): string {
    return codicon("git-pull-request");
  }

  getName(uri: URI): string {
    return this.labels.get(proposalIdOf(uri) ?? "") ?? visibleText(fileOf(uri).path.base);
  }

  getLongName(uri: URI): string {
    return visibleText(fileOf(uri).path.fsPath());
  }
}

function fileOf(uri: URI): URI {
  return DiffUris.isDiffUri(uri) ? (DiffUris.decode(uri)[1] ?? uri) : uri;
}

/** Puts both sides of a view as an update says: the left one from its resource, the right one by these edits, as one step of undo. */
export async function updateModels(
  widget: EditorWidget,
  update: DiffUpdate,
  edits: readonly TextEdit[],
): Promise<void> {
  const { editor } = widget;
  const model = editor.document;
  if (!(model instanceof MonacoEditorModel) || !(editor instanceof MonacoDiffEditor)) return;
  const text = model.textEditorModel;
  text.pushStackElement();
  text.pushEditOperations([], editRanges(update.expectedText.replaceAll(/\r\n?/g, "\n"), edits), () => null);
  text.pushStackElement();
  // Not the user's doing: a right side that nobody has touched closes without a question.
  if (update.text === update.proposedText) await model.revert({ soft: true });
  await editor.originalModel.sync();
}

// They differ from those of our VS Code extension: where that runs as a plugin in the same Theia, its buttons and keys are
// for its own documents.

/** The right side: what the agent proposes, to be edited. */
export const proposalScheme = "patchbay-theia-proposal";

/** The left side: what the file held when the proposal was opened. */
export const originalScheme = "patchbay-theia-original";

/** The proposal's id stands in the query: two proposals for one file are two documents. */
export function proposalUri(file: URI, proposalId: string): URI {
  return file.withScheme(proposalScheme).withQuery(proposalId).withFragment("");
}

function originalUri(file: URI, proposalId: string): URI {
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
