import { ensurePrerequisites } from "./prerequisites/prerequisites.ts";

// Installs everything ahead of the first run, for whoever wants the waiting done beforehand.
await ensurePrerequisites(["gemini", "qwen", "qwen-old", "qwen-reading-records", "claude", "vscode"], (line) =>
  console.log(line),
);
