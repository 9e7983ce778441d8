import type { SessionHost } from "../../src/driver.ts";

/** An editor with no files. */
export const noHost: SessionHost = {
  readText: async () => undefined,
  writeText: async () => {},
  saveIfDirty: async () => false,
  problems: async () => [],
  mayRead: () => true,
  locate: async () => await Promise.resolve({ isInside: true, isShared: true }),
};
