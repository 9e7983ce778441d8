import { join } from "node:path";
import type { Logger, Platform } from "@patchbay/core";
import {
  ConversationLibrary,
  type ConversationLibraryOptions,
  ConversationStore,
  nodeLineFiles,
} from "@patchbay/conversations";

export interface ShelfOptions extends Pick<ConversationLibraryOptions, "connect" | "host"> {
  readonly platform: Platform;
  readonly logger: Logger;
  /** VS Code's storage for this workspace. */
  readonly storageDirectory: string;
}

/** The conversations of this workspace. */
export function openLibrary({ platform, logger, storageDirectory, ...how }: ShelfOptions): ConversationLibrary {
  const { clock, random } = platform;
  const files = nodeLineFiles;
  const directory = join(storageDirectory, "conversations");
  const store = new ConversationStore({ platform, logger, directory, files });
  return new ConversationLibrary({ ...how, store, files, clock, random, logger, listers: [] });
}
