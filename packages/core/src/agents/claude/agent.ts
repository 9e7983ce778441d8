import type { Dialect, DiscoveryRecord } from "../dialect.ts";

/** Claude Code and other clients of its IDE protocol: docs/protocols/claude.md. */
export const claude: Dialect = {
  id: "claude",
  agentName: "Claude Code",
  transport: "websocket",
  records: (facts) => {
    // Links are not resolved by the client: the path as opened and the real one are both listed.
    const workspaceFolders = [...new Set([...facts.folders, ...facts.realFolders])];
    const record: Omit<DiscoveryRecord, "root"> = {
      directories: ["ide"],
      fileName: `${facts.port}.lock`,
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
    const custom = facts.platform.process.environment("CLAUDE_CONFIG_DIR");
    return [
      { ...record, root: facts.homeDirectory, directories: [".claude", "ide"] },
      ...(custom === undefined || custom === "" ? [] : [{ ...record, root: custom }]),
    ];
  },
  environment: (facts) => ({ CLAUDE_CODE_SSE_PORT: String(facts.port), ENABLE_IDE_INTEGRATION: "true" }),
  recognise: (client) => (client.transport === "websocket" ? 1 : 0),
  load: async () => {
    const { createClaudeEngine } = await import("./engine.ts");
    return createClaudeEngine();
  },
  settings: async (place) => (await import("./settings.ts")).readClaudeSettings(place),
};
