import type { DiffRequest } from "@patchbay/core";
import { nls } from "@theia/core/lib/common/nls";
import type { EditorWidget } from "@theia/editor/lib/browser/editor-widget";
import type { ProposalText } from "../common/protocol.ts";
import { visibleText } from "../common/visible-text.ts";
import { fileUriOf } from "./file-paths.ts";

/** `deciding`: the verdict is on its way; `ended`: the backend took the view away. */
export type ProposalPhase = "open" | "deciding" | "ended";

/** A proposal that this window shows. */
export class OpenProposal {
  readonly request: DiffRequest;
  /** What the left side is: unsaved text is named in the title. */
  readonly comparedWith: "file" | "unsaved";
  /** All editors on it: a split makes two. */
  readonly widgets: Set<EditorWidget> = new Set();
  phase: ProposalPhase = "open";
  agentPresent: boolean;
  /** The document's text as the editor made it from what it was given, to tell an edit from the editor's own line ends. */
  #loadedText: string | undefined;
  #over = false;
  readonly #endings: (() => void)[] = [];

  constructor(request: DiffRequest, comparedWith: "file" | "unsaved") {
    this.request = request;
    this.comparedWith = comparedWith;
    this.agentPresent = request.agentPresent;
  }

  get shownText(): string {
    return this.request.draftText ?? this.request.proposedText;
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

  get title(): string {
    const { request } = this;
    const facts = [request.agentName];
    if (request.kind === "create") facts.push(nls.localize("patchbay/title/create", "new file"));
    if (request.kind === "delete") facts.push(nls.localize("patchbay/title/delete", "deletes the contents"));
    if (this.comparedWith === "unsaved")
      facts.push(nls.localize("patchbay/title/unsaved", "compared with unsaved text"));
    if (!this.agentPresent) facts.push(nls.localize("patchbay/title/gone", "the agent has gone"));
    return visibleText(`${fileUriOf(request.path).path.base} (${facts.join(", ")})`);
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
