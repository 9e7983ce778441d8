export { FolderLedgers } from "./folder-ledgers.ts";
export type * from "./model.ts";
export { createDiskDoor, type DiskDoorOptions } from "./undo/disk-door.ts";
export { changedHunks } from "./undo/undo-hunks.ts";
