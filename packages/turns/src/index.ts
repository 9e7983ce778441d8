export { FolderLedgers } from "./folder-ledgers.ts";
export type * from "./model.ts";
export { createDiskDoor, type DiskDoorOptions } from "./undo/disk-door.ts";
export {
  type HeldLines,
  partsOf,
  type PlacedHunk,
  placedHunks,
  selectedHunks,
  undecidedFiles,
} from "./undo/placed-hunks.ts";
export { changedHunks } from "./undo/undo-hunks.ts";
