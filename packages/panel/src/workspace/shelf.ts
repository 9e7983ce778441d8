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
  /** Where the conversations of the workspace are, private to the user. */
  readonly directory: string;
  /** Key of the window, where it has one that outlives its process. */
  readonly owner?: string | undefined;
}

/** The conversations of a workspace, on disk. */
export function openLibrary({ platform, logger, directory, owner, ...how }: ShelfOptions): ConversationLibrary {
  const { clock, random } = platform;
  const files = nodeLineFiles;
  const store = new ConversationStore({
    platform,
    logger,
    directory,
    files,
    ...(owner === undefined ? {} : { owner }),
  });
  return new ConversationLibrary({ ...how, store, files, clock, random, logger });
}
