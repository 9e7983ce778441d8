import type { DiffRequest, DiffUpdate, FileStanding } from "@patchbay/core";
import { nls } from "@theia/core/lib/common/nls";
import type { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import type { ProposalText } from "../../common/protocol.ts";
import { visibleText } from "../../common/visible-text.ts";
import { fileUriOf } from "../documents/selection-text.ts";

/** `deciding`: the verdict is on its way; `ended`: the backend took the view away. */
export type ProposalPhase = "open" | "deciding" | "ended";

/** A proposal that this window shows. */
export class OpenProposal {
  /** All editors on it: a split makes two. */
  readonly widgets: Set<EditorWidget> = new Set();
  phase: ProposalPhase = "open";
  /** No agent takes its text any more: the user saves, copies or discards it. */
  isKept = false;
  /** The user has asked for it before it was there. */
  isWanted = false;
  #request: DiffRequest;
  /** What the editor was given last for the right side. */
  #shownText: string;
  /** The document's text as the editor made it from what it was given, to tell an edit from the editor's own line ends. */
  #loadedText: string | undefined;
  #over = false;
  readonly #endings: (() => void)[] = [];

  constructor(request: DiffRequest) {
    this.#request = request;
    this.#shownText = request.draftText ?? request.proposedText;
  }

  get request(): DiffRequest {
    return this.#request;
  }

  get shownText(): string {
    return this.#shownText;
  }

  set agentPresent(present: boolean) {
    this.#request = { ...this.#request, agentPresent: present };
  }

  set standing(standing: FileStanding) {
    this.#request = { ...this.#request, standing };
  }

  /** The editor has the document. */
  loaded(text: string): void {
    this.#loadedText ??= text;
  }

  /** The text as it is to be reported: an untouched document counts as what was given, byte for byte. */
  textOf(documentText: string): ProposalText {
    return documentText === this.#loadedText ? { kind: "unchanged" } : { kind: "edited", text: documentText };
  }

  currentText(): ProposalText {
    const [widget] = this.widgets;
    return widget === undefined ? { kind: "unchanged" } : this.textOf(widget.editor.document.getText());
  }

  /** The right side as the backend knows it by what was reported. */
  get heldText(): string {
    const text = this.currentText();
    return text.kind === "edited" ? text.text : this.#shownText;
  }

  /** The file has changed; `documentText`: what the editor made of the new right side, where it has one. */
  follow({ originalText, unsaved, text, proposedText, standing }: DiffUpdate, documentText: string | undefined): void {
    this.#request = { ...this.#request, originalText, unsaved, proposedText, standing };
    this.#shownText = text;
    this.#loadedText = documentText;
  }

  /** What is unusual stands first: a narrow tab shows the begin of its title. */
  get title(): string {
    const { agentName, kind, unsaved, standing, agentPresent, decidedBy, isReadOnly, patchFiles, path } = this.#request;
    const facts = [agentName];
    if (kind === "create") facts.push(nls.localize("patchbay/title/create", "new file"));
    if (kind === "delete") facts.push(nls.localize("patchbay/title/delete", "empties the file"));
    if (isReadOnly === true && patchFiles !== undefined)
      facts.push(nls.localize("patchbay/title/patch", "read-only, patch of {0} files", patchFiles));
    else if (isReadOnly === true) facts.push(nls.localize("patchbay/title/readOnly", "read-only"));
    const isMerged = standing === "merged";
    if (unsaved && isMerged) facts.push(nls.localize("patchbay/title/mergedUnsaved", "merged with unsaved text"));
    else if (unsaved) facts.push(nls.localize("patchbay/title/unsaved", "compared with unsaved text"));
    else if (isMerged) facts.push(nls.localize("patchbay/title/merged", "merged with changes to the file"));
    if (standing === "conflict") facts.push(nls.localize("patchbay/title/resolve", "resolve, then accept"));
    if (this.isKept) facts.push(nls.localize("patchbay/title/kept", "your text is kept"));
    else if (decidedBy === "terminal")
      facts.push(nls.localize("patchbay/title/terminal", "answer in the agent's terminal"));
    else if (!agentPresent) facts.push(nls.localize("patchbay/title/away", "the agent is not connected"));
    const { lead } = this;
    return visibleText(`${lead === "" ? "" : `${lead}: `}${fileUriOf(path).path.base} (${facts.join(", ")})`);
  }

  protected get lead(): string {
    const { standing, agentPresent, decidedBy } = this.#request;
    if (this.isKept) return nls.localize("patchbay/title/leadKept", "Kept");
    if (standing === "conflict") return nls.localize("patchbay/title/leadConflict", "Conflict");
    return agentPresent || decidedBy !== undefined ? "" : nls.localize("patchbay/title/leadAway", "Away");
  }

  /** Calls back when the proposal is over, or at once if it is. */
  onDidEnd(listener: () => void): void {
    if (this.#over) listener();
    else this.#endings.push(listener);
  }

  /** What was said about it is not true any more. */
  end(): void {
    this.#over = true;
    for (const listener of this.#endings.splice(0)) listener();
  }
}
