import type { Dialect, RecordPlace } from "../dialect.ts";
import { foldersWithReal, idePlaces, lockRecords } from "../lock-records.ts";
import { portWithExponent, type Surroundings } from "../surroundings.ts";

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
    const workspaceFolders = foldersWithReal(facts);
    const runningInWindows = facts.platform.process.platform === "win32";
    return lockRecords(facts, placesIn(facts), { workspaceFolders, transport: "ws", runningInWindows });
  },
  environment: (facts) => ({
    CLAUDE_CODE_SSE_PORT: portWithExponent(facts.address.port),
    ENABLE_IDE_INTEGRATION: "true",
  }),
  recognise: (client) => (client.transport === "websocket" ? 1 : 0),
  load: async () => (await import("./engine.ts")).createClaudeEngine(),
  loadHook: async () => (await behaviour()).claudeHook,
  loadChecks: async () => (await behaviour()).claudeChecks,
};

function placesIn(surroundings: Surroundings): readonly RecordPlace[] {
  return idePlaces(surroundings, ".claude", "CLAUDE_CONFIG_DIR", { isUsualRead: true });
}
