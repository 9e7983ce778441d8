import type { Uri } from "vscode";

/** As much of VS Code's extension context as the edition uses. */
export interface EditionContext {
  readonly subscriptions: { dispose(): unknown }[];
  /** VS Code's folder for this workspace; undefined where no folder is open. */
  readonly storageUri: Pick<Uri, "scheme" | "fsPath"> | undefined;
  readonly workspaceState: {
    get(key: string): unknown;
    update(key: string, value: unknown): PromiseLike<void>;
  };
  readonly environmentVariableCollection: TerminalVariables;
  /** The extension's own folder. */
  readonly extensionUri: Uri;
  readonly extension: { readonly packageJSON: unknown };
}

/** The variables of new terminals. */
export interface TerminalVariables {
  description: unknown;
  get(name: string): { readonly value: string } | undefined;
  replace(name: string, value: string): unknown;
  delete(name: string): unknown;
  clear(): void;
  forEach(callback: (name: string) => void): void;
}
