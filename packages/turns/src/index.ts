export { FolderLedgers } from "./folder-ledgers.ts";
export type * from "./model.ts";
