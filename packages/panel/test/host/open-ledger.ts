import { join } from "node:path";
import type { Platform } from "@patchbay/core";
import { createDiskDoor, FolderLedgers } from "@patchbay/turns";

/** The ledger of a folder, kept in another one. */
export function openLedger(platform: Platform, folder: string, root: string): FolderLedgers {
  const folders = [folder];
  const storageDirectory = join(root, "turns");
  const door = createDiskDoor({ platform, folders });
  return new FolderLedgers({ platform, storageDirectory, folders, mayKeep: () => true, door });
}
