import { join } from "node:path";
import type { Logger, Platform } from "@patchbay/core";
import {
  ConversationLibrary,
  type ConversationLibraryOptions,
  ConversationStore,
  nodeLineFiles,
} from "@patchbay/conversations";

export interface ShelfOptions extends Pick<ConversationLibraryOptions, "connect" | "host" | "listers"> {
  readonly platform: Platform;
  readonly logger: Logger;
  /** VS Code's storage for this workspace. */
  readonly storageDirectory: string;
  /** Key of the window, where it has one that outlives its process. */
  readonly owner: string | undefined;
}

/** The conversations of this workspace. */
export function openLibrary({ platform, logger, storageDirectory, owner, ...how }: ShelfOptions): ConversationLibrary {
  const { clock, random } = platform;
  const files = nodeLineFiles;
  const directory = join(storageDirectory, "conversations");
  const store = new ConversationStore({
    platform,
    logger,
    directory,
    files,
    ...(owner === undefined ? {} : { owner }),
  });
  return new ConversationLibrary({ ...how, store, files, clock, random, logger });
}
