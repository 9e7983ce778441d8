import { join } from "node:path";
import type { Platform } from "@patchbay/core";
import { createDiskDoor, FolderLedgers } from "@patchbay/turns";

/** The ledger of a folder, kept in another one. */
export function openLedger(platform: Platform, folder: string, root: string): FolderLedgers {
  const folders = [folder];
  const storageDirectory = join(root, "turns");
  // With a trash of its own.
  const environment = (name: string): string | undefined =>
    name === "XDG_DATA_HOME" ? join(root, "data") : platform.process.environment(name);
  const door = createDiskDoor({ platform: { ...platform, process: { ...platform.process, environment } }, folders });
  return new FolderLedgers({ platform, storageDirectory, folders, mayKeep: () => true, door });
}
