export { FolderFiles } from "./folder-files.ts";
export {
  droppedBlocks,
  type FoundSymbol,
  type MentionedProblem,
  Mentions,
  type MentionSources,
  problemText,
  scoreOf,
  type TerminalOutput,
} from "./mentions.ts";
export { openLibrary, type ShelfOptions } from "./shelf.ts";
