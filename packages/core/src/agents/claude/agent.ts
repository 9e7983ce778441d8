import type { Dialect, RecordPlace } from "../dialect.ts";
import { portWithExponent, type Surroundings, variableOf } from "../surroundings.ts";

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
    const record = {
      fileName: `${facts.address.port}.lock`,
      content: JSON.stringify({
        // A dead pid makes the client delete the lock; from a terminal without the port variable it must be an ancestor of the CLI.
        pid: facts.identity.pids[0] ?? facts.platform.process.pid,
        workspaceFolders,
        ideName: facts.identity.displayName,
        transport: "ws",
        runningInWindows: facts.platform.process.platform === "win32",
        authToken: facts.token,
      }),
    };
    return placesIn(facts).map((place) => ({ ...place, ...record }));
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
  loadHook: async () => (await import("./behaviour.ts")).claudeHook,
  loadChecks: async () => (await import("./behaviour.ts")).claudeChecks,
};

/** It looks in both. */
function placesIn(surroundings: Surroundings): readonly RecordPlace[] {
  const place = { pattern: /^(?<port>\d+)\.lock$/u, isRead: true };
  const chosen = variableOf(surroundings, "CLAUDE_CONFIG_DIR");
  return [
    { ...place, root: surroundings.homeDirectory, directories: [".claude", "ide"] },
    ...(chosen === undefined ? [] : [{ ...place, root: chosen, directories: ["ide"] }]),
  ];
}
