import { ideInfoOf, pathDelimiterOf } from "../gemini-family/records.ts";
import type { ClientFacts, Dialect, DiscoveryFacts } from "../dialect.ts";

/** Qwen Code: docs/protocols/qwen.md. */
export const qwen: Dialect = {
  id: "qwen",
  agentName: "Qwen Code",
  transport: "streamable-http",
  records: (facts) => {
    if (facts.folders.length === 0) return [];
    const pid = facts.identity.pids[0] ?? facts.platform.process.pid;
    const content = JSON.stringify({
      port: facts.port,
      workspacePath: workspacePathOf(facts),
      authToken: facts.token,
      // Must be alive, or the client deletes the lock (docs/protocols/qwen.md): our own process is.
      ppid: facts.platform.process.pid,
      ideName: facts.identity.displayName,
      ideInfo: ideInfoOf(facts),
    });
    const home = facts.platform.process.environment("QWEN_HOME");
    const lock = { directories: [".qwen", "ide"], fileName: `${facts.port}.lock`, content };
    return [
      { ...lock, root: facts.homeDirectory },
      ...(home === undefined || home === "" ? [] : [{ ...lock, root: home, directories: ["ide"] }]),
      {
        root: facts.temporaryDirectory,
        directories: ["qwen", "ide"],
        fileName: `qwen-code-ide-server-${pid}-${facts.port}.json`,
        content,
      },
    ];
  },
  environment: (facts) =>
    facts.folders.length === 0
      ? {}
      : { QWEN_CODE_IDE_SERVER_PORT: String(facts.port), QWEN_CODE_IDE_WORKSPACE_PATH: workspacePathOf(facts) },
  recognise: (client) => (client.transport === "streamable-http" ? recogniseQwen(client) : 0),
  load: async () => {
    const { createCompanionSpecEngine } = await import("../gemini-family/engine.ts");
    return createCompanionSpecEngine({ byteOrderMark: "as-proposed", showFailure: "error" });
  },
  settings: async (place) => (await import("./settings.ts")).readQwenSettings(place),
};

/**
 * The roots joined with the delimiter of PATH; where a root has the delimiter in its name, the list as JSON, which the
 * client understands, too (0.24.4).
 */
function workspacePathOf(facts: DiscoveryFacts): string {
  const delimiter = pathDelimiterOf(facts);
  const isAmbiguous = facts.folders.some((folder) => folder.includes(delimiter));
  return isAmbiguous ? JSON.stringify(facts.folders) : facts.folders.join(delimiter);
}

/** Qwen Code says the constant version 1.0.0 and the newer protocol revision (run: 0.24.4); old Gemini clients say 1.0.0 with an older one. */
function recogniseQwen(client: ClientFacts): number {
  if (client.peerCommand !== undefined && /qwen/iu.test(client.peerCommand)) return 20;
  if (client.clientName !== "streamable-http-client") return 0;
  return client.clientVersion === "1.0.0" && client.protocolVersion === "2025-11-25" ? 5 : 0;
}
