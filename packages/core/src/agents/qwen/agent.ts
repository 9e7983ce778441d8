import { ideInfoOf, loadEngine, pathDelimiterOf } from "../gemini-family/records.ts";
import { idePlaces, portLock } from "../lock-records.ts";
import type { Surroundings } from "../surroundings.ts";
import type { ClientFacts, Dialect, DiscoveryFacts, RecordPlace } from "../dialect.ts";

const behaviour = async (): Promise<typeof import("./behaviour.ts")> => await import("./behaviour.ts");

/** Qwen Code: docs/protocols/qwen.md. */
export const qwen: Dialect<"qwen"> = {
  id: "qwen",
  agentName: "Qwen Code",
  program: { command: "qwen", package: "@qwen-code/qwen-code" },
  asking: { setting: "approvalMode", flag: "--approval-mode", value: "default", isDefault: false },
  connecting: { input: "/ide enable" },
  offersExtension: true,
  takesEdits: true,
  takesMentions: false,
  transport: "streamable-http",
  portVariable: "QWEN_CODE_IDE_SERVER_PORT",
  programVariable: "QWEN_CODE_IDE_SERVER_STDIO_COMMAND",
  demands: { livingProcess: true, editorNames: true, realFolders: false },
  places: placesIn,
  records: (facts) => {
    if (facts.folders.length === 0) return [];
    const pid = facts.identity.pids[0] ?? facts.platform.process.pid;
    const content = JSON.stringify({
      port: facts.address.port,
      workspacePath: workspacePathOf(facts),
      authToken: facts.token,
      // Must be alive, or the client deletes the lock (docs/protocols/qwen.md): our own process is.
      ppid: facts.platform.process.pid,
      ideName: facts.identity.displayName,
      ideInfo: ideInfoOf(facts),
    });
    return placesIn(facts).map((place) => ({
      ...place,
      fileName:
        place.pattern === portLock
          ? `${facts.address.port}.lock`
          : `qwen-code-ide-server-${pid}-${facts.address.port}.json`,
      content,
    }));
  },
  environment: (facts) =>
    facts.folders.length === 0
      ? {}
      : { QWEN_CODE_IDE_SERVER_PORT: String(facts.address.port), QWEN_CODE_IDE_WORKSPACE_PATH: workspacePathOf(facts) },
  constantVersion: "1.0.0",
  recognise: (client) => (client.transport === "streamable-http" ? recogniseQwen(client) : 0),
  load: async () => await loadEngine({ byteOrderMark: "as-proposed", showFailure: "error" }),
  loadHook: async () => (await behaviour()).qwenHook,
  loadChecks: async () => (await behaviour()).qwenChecks,
};

function placesIn(surroundings: Surroundings): readonly RecordPlace[] {
  return [
    ...idePlaces(surroundings, ".qwen", "QWEN_HOME"),
    {
      root: surroundings.temporaryDirectory,
      directories: ["qwen", "ide"],
      pattern: /^qwen-code-ide-server-(?<pid>\d+)-(?<port>\d+)\.json$/u,
      isRead: false,
    },
  ];
}

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
  if (client.clientName !== "streamable-http-client") return 0;
  return client.clientVersion === "1.0.0" && client.protocolVersion === "2025-11-25" ? 5 : 0;
}
