import type { HookMoments } from "../hook.ts";

/** The names under which the family's plugin tells of its events. */
export const moments: HookMoments = {
  beforeTool: "tool.execute.before",
  afterTool: "tool.execute.after",
  turnBegins: "chat.message",
  turnEnds: "session.idle",
};

/** What the family's tools are called that write files; the last one is given to models of one maker in place of the others. */
export const writeTool = "write";
export const editTool = "edit";
export const patchTool = "apply_patch";

/** What runs shell commands; the second is Kilo's, and does other things, too. */
export const commandTool = "bash";
export const backgroundTool = "background_process";
