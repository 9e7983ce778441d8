import type { Dialect } from "../dialect.ts";
import { hookAgent } from "../hook-agent.ts";

const behaviour = async (): Promise<typeof import("./behaviour.ts")> => await import("./behaviour.ts");

/** OpenAI's Codex CLI, which speaks with an editor by its hook and its service: docs/protocols/codex.md. */
export const codex: Dialect<"codex"> = hookAgent({
  id: "codex",
  agentName: "Codex CLI",
  program: { command: "codex", package: "@openai/codex" },
  loadHook: async () => (await behaviour()).codexHook,
  loadQuestions: async () => (await import("./ide-questions.ts")).codexQuestions,
  loadService: async () => (await import("./own-service.ts")).codexService,
  loadChecks: async () => (await behaviour()).codexChecks,
});
