import { basename, dirname, join } from "node:path";
import type { Logger, Platform } from "@patchbay/core";
import {
  ConversationLibrary,
  type ConversationLibraryOptions,
  ConversationStore,
  nodeLineFiles,
} from "@patchbay/conversations";

export interface ShelfOptions extends Pick<ConversationLibraryOptions, "connect" | "host" | "listers" | "turns"> {
  readonly platform: Platform;
  readonly logger: Logger;
  /** VS Code's storage for this workspace, of this window alone. */
  readonly storageDirectory: string;
  /** Key of the window, where it has one that outlives its process. */
  readonly owner: string | undefined;
}

/** The conversations of this workspace. */
export function openLibrary({ platform, logger, storageDirectory, owner, ...how }: ShelfOptions): ConversationLibrary {
  const { clock, random } = platform;
  const files = nodeLineFiles;
  const directory = join(sharedStorage(storageDirectory), "conversations");
  const store = new ConversationStore({
    platform,
    logger,
    directory,
    files,
    ...(owner === undefined ? {} : { owner }),
  });
  return new ConversationLibrary({ ...how, store, files, clock, random, logger });
}

/**
 * The storage of the first window on a workspace. VS Code gives every further window one of its own, named after it with a
 * number, also while the process of a window that is gone still waits for it to come back. Conversations are the workspace's:
 * who has one is told by its claim.
 */
export function sharedStorage(storageDirectory: string): string {
  const ofWindow = dirname(storageDirectory);
  // It names workspaces by hashes.
  const [, name] = /^(-?[\da-f]+)-[1-9]$/u.exec(basename(ofWindow)) ?? [];
  return name === undefined ? storageDirectory : join(dirname(ofWindow), name, basename(storageDirectory));
}
