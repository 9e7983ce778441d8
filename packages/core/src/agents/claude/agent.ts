import type { Dialect, RecordPlace } from "../dialect.ts";
import { lockRecords, portLock } from "../lock-records.ts";
import { portWithExponent, type Surroundings, variableOf } from "../surroundings.ts";

const behaviour = async (): Promise<typeof import("./behaviour.ts")> => await import("./behaviour.ts");

/** Claude Code and other clients of its IDE protocol: docs/protocols/claude.md. */
export const claude: Dialect<"claude"> = {
  id: "claude",
  agentName: "Claude Code",
  program: { command: "claude", package: "@anthropic-ai/claude-code" },
  asking: { setting: "permissionMode", flag: "--permission-mode", value: "manual", isDefault: false },
  connecting: { input: "/ide", command: "claude --ide" },
  offersExtension: false,
  takesEdits: true,
  takesMentions: true,
  transport: "websocket",
  tokenHeader: "x-claude-code-ide-authorization",
  portVariable: "CLAUDE_CODE_SSE_PORT",
  demands: { livingProcess: true, editorNames: false, realFolders: true },
  places: placesIn,
  records: (facts) => {
    // Links are not resolved by the client: the path as opened and the real one are both listed.
    const workspaceFolders = [...new Set([...facts.folders, ...facts.realFolders])];
    const runningInWindows = facts.platform.process.platform === "win32";
    return lockRecords(facts, placesIn(facts), { workspaceFolders, transport: "ws", runningInWindows });
  },
  environment: (facts) => ({
    CLAUDE_CODE_SSE_PORT: portWithExponent(facts.address.port),
    ENABLE_IDE_INTEGRATION: "true",
  }),
  recognise: (client) => (client.transport === "websocket" ? 1 : 0),
  load: async () => {
    const { createClaudeEngine } = await import("./engine.ts");
    return createClaudeEngine();
  },
  loadHook: async () => (await behaviour()).claudeHook,
  loadChecks: async () => (await behaviour()).claudeChecks,
};

/** It looks in both. */
function placesIn(surroundings: Surroundings): readonly RecordPlace[] {
  const place = { pattern: portLock, isRead: true };
  const chosen = variableOf(surroundings, "CLAUDE_CONFIG_DIR");
  return [
    { ...place, root: surroundings.homeDirectory, directories: [".claude", "ide"] },
    ...(chosen === undefined ? [] : [{ ...place, root: chosen, directories: ["ide"] }]),
  ];
}
