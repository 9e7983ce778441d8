import { Uri } from "./uri.ts";

// Names and numbers that VS Code gives as they are.

export const TextEditorRevealType = { InCenterIfOutsideViewport: 2 } as const;
export const ConfigurationTarget = { Global: 1 } as const;
export const ProgressLocation = { Notification: 15 } as const;
export const ViewColumn = { Active: -1, Beside: -2, One: 1, Two: 2 } as const;
export const TextDocumentSaveReason = { Manual: 1, AfterDelay: 2, FocusOut: 3 } as const;
export const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 } as const;
export const ExtensionMode = { Production: 1, Development: 2, Test: 3 } as const;
export const FilePermission = { Readonly: 1 } as const;

export const FileChangeType = { Changed: 1, Created: 2, Deleted: 3 } as const;

export const FileType = { Unknown: 0, File: 1, Directory: 2 } as const;
export const EndOfLine = { LF: 1, CRLF: 2 } as const;
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 } as const;
export const CodeActionKind = { QuickFix: "quickfix" } as const;

export class CodeAction {
  readonly title: string;
  readonly kind: string;

  constructor(title: string, kind: string) {
    this.title = title;
    this.kind = kind;
  }
}

export const StatusBarAlignment = { Left: 1, Right: 2 } as const;
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 } as const;

export class FileSystemError extends Error {
  static FileNotFound(uri: Uri): FileSystemError {
    return new FileSystemError(`FileNotFound: ${uri.toString()}`);
  }

  static NoPermissions(uri: Uri): FileSystemError {
    return new FileSystemError(`NoPermissions: ${uri.toString()}`);
  }
}

export class ThemeIcon {
  static readonly File: ThemeIcon = new ThemeIcon("file");
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }
}

export class RelativePattern {
  readonly base: Uri;
  readonly pattern: string;

  constructor(base: Uri, pattern: string) {
    this.base = base;
    this.pattern = pattern;
  }
}

export class ThemeColor {
  readonly id: string;

  constructor(id: string) {
    this.id = id;
  }
}

export class TextEdit {
  static setEndOfLine(eol: number): object {
    return { eol };
  }
}

export class MarkdownString {
  readonly value: string;
  isTrusted: unknown;

  constructor(value: string) {
    this.value = value;
  }
}

export class TreeItem {
  label: unknown;
  resourceUri: Uri | undefined;
  readonly collapsibleState: number;

  constructor(label: unknown, collapsibleState: number) {
    if (label instanceof Uri) this.resourceUri = label;
    else this.label = label;
    this.collapsibleState = collapsibleState;
  }
}

export class FileDecoration {
  readonly badge: string;
  readonly tooltip: string;

  constructor(badge: string, tooltip: string) {
    this.badge = badge;
    this.tooltip = tooltip;
  }
}

export class TabInputText {
  readonly uri: Uri;

  constructor(uri: Uri) {
    this.uri = uri;
  }
}

export class TabInputCustom {
  readonly uri: Uri;

  constructor(uri: Uri) {
    this.uri = uri;
  }
}

export class TabInputNotebook {
  readonly uri: Uri;

  constructor(uri: Uri) {
    this.uri = uri;
  }
}

export class TabInputTextDiff {
  readonly original: Uri;
  readonly modified: Uri;

  constructor(original: Uri, modified: Uri) {
    this.original = original;
    this.modified = modified;
  }
}

export class TabInputNotebookDiff extends TabInputTextDiff {}

export class TabInputTerminal {
  readonly kind: string = "terminal";
}
