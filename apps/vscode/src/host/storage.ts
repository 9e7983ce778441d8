import type { EditionContext } from "../edition-context.ts";

/** Where the companion keeps what outlives a reload: VS Code's storage of this workspace. Without a folder nothing is kept. */
export function storageDirectoryOf(context: Pick<EditionContext, "storageUri">): string | undefined {
  return context.storageUri?.scheme === "file" ? context.storageUri.fsPath : undefined;
}
