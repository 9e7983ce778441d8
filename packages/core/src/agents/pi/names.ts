/** What Pi's tools are called that write files, and the one that runs shell commands. */
export const writeTool = "write";
export const editTool = "edit";
export const commandTool = "bash";
