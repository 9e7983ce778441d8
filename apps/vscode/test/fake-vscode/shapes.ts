import type { DocumentContent, FakeDocument } from "./document.ts";
import type { Range, Selection } from "./ranges.ts";
import type { Uri } from "./uri.ts";
import type { MarkdownString, TabInputTerminal, TabInputText, TabInputTextDiff } from "./values.ts";

// What of the window tests and its stand-in speak of.

export interface FakeTab {
  readonly label: string;
  readonly input: TabInputText | TabInputTextDiff | TabInputTerminal;
  readonly group: FakeGroup;
  readonly isActive: boolean;
  readonly isDirty: boolean;
}

export interface FakeGroup {
  readonly viewColumn: number;
  readonly tabs: FakeTab[];
  readonly activeTab: FakeTab | undefined;
  readonly isActive: boolean;
}

export interface FakeEditor {
  readonly document: FakeDocument;
  selection: Selection;
  selections: readonly Selection[];
  /** Nothing is drawn. */
  readonly visibleRanges: readonly Range[];
  revealRange(range: Range): void;
  edit(change: (edit: { replace(range: Range, text: string): void }) => void): Promise<boolean>;
}

export interface ShownMessage {
  readonly severity: "info" | "warning" | "error";
  readonly text: string;
  readonly detail: string;
  readonly modal: boolean;
  readonly items: readonly string[];
}

export interface FakeStatusBar {
  readonly text: string;
  readonly tooltip: MarkdownString | string;
  readonly accessibilityInformation?: { readonly label: string };
  readonly command: string;
  show(): void;
  dispose(): void;
}

/** An entry of a list to choose from. */
export interface FakePick {
  readonly label: string;
  readonly description?: string;
}

/** Marks on tabs. */
export interface FakeDecorations {
  provideFileDecoration(uri: Uri): { readonly badge: string; readonly tooltip: string } | undefined;
}

/** A command in a terminal with shell integration. */
export interface FakeExecution {
  readonly commandLine: { readonly value: string };
  read(): AsyncIterable<string>;
}

/** One change of a document. */
export interface FakeChange {
  readonly text: string;
  readonly rangeLength: number;
}

/** A file system or content provider, as the extension registers it. */
export interface TextSource {
  read(uri: Uri): Promise<DocumentContent>;
  readBytes?(uri: Uri): Promise<Uint8Array>;
  write?(uri: Uri, content: Uint8Array): Promise<void>;
  /** Nobody may type into it. */
  isReadOnly?(uri: Uri): Promise<boolean>;
}

/** What offers actions for problems. */
export interface FakeCodeActions {
  provideCodeActions(
    document: { readonly uri: Uri },
    range: unknown,
    context: { readonly diagnostics: readonly unknown[] },
  ): readonly FakeCodeAction[];
}

interface FakeCodeAction {
  readonly title: string;
  readonly command?: { readonly command: string; readonly arguments?: readonly unknown[] };
}

/** An item of the status bar that is shown or not. */
export interface FakeStatusItem {
  readonly text: string;
  readonly command: string;
  readonly isShown: boolean;
  readonly timesShown: number;
}
