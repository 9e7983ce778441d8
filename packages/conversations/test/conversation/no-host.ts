import type { ConversationHost } from "../../src/conversation/turn-files.ts";

/** An editor with no files. */
export const noHost: ConversationHost = {
  readText: async () => undefined,
  writeText: async () => {},
  removeFile: async () => {},
  saveIfDirty: async () => false,
  problems: async () => [],
  mayRead: () => true,
  locate: async () => await Promise.resolve({ isInside: true, isShared: true }),
};
