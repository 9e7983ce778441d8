export { filesOfGit, listFiles } from "./folder-files.ts";
export { scoreOf } from "./path-scores.ts";
