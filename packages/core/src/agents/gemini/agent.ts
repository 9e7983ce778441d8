import { announcedPids, ideInfoOf, loadEngine, pathDelimiterOf } from "../gemini-family/records.ts";
import type { Surroundings } from "../surroundings.ts";
import type { ClientFacts, Dialect, DiscoveryFacts, RecordPlace } from "../dialect.ts";

const behaviour = async (): Promise<typeof import("./behaviour.ts")> => await import("./behaviour.ts");

/** Gemini CLI: docs/protocols/gemini.md. */
export const gemini: Dialect<"gemini"> = {
  id: "gemini",
  agentName: "Gemini CLI",
  program: { command: "gemini", package: "@google/gemini-cli" },
  asking: { setting: "approvalMode", flag: "--approval-mode", value: "default", isDefault: true },
  connecting: { input: "/ide enable" },
  offersExtension: true,
  takesEdits: true,
  takesMentions: false,
  transport: "streamable-http",
  portVariable: "GEMINI_CLI_IDE_SERVER_PORT",
  programVariable: "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND",
  demands: { livingProcess: false, editorNames: true, realFolders: false },
  places: (surroundings) => [placeIn(surroundings)],
  records: (facts) => {
    // Without a folder no directory may match: an empty path would match every one.
    if (facts.folders.length === 0) return [];
    const content = JSON.stringify({
      port: facts.address.port,
      workspacePath: workspacePathOf(facts),
      authToken: facts.token,
      ideInfo: ideInfoOf(facts),
    });
    return announcedPids(facts).map((pid) => ({
      ...placeIn(facts),
      fileName: `gemini-ide-server-${pid}-${facts.address.port}.json`,
      content,
    }));
  },
  environment: (facts) => {
    const pid = facts.identity.pids[0];
    if (facts.folders.length === 0) return {};
    return {
      GEMINI_CLI_IDE_SERVER_PORT: String(facts.address.port),
      GEMINI_CLI_IDE_WORKSPACE_PATH: workspacePathOf(facts),
      ...(pid === undefined ? {} : { GEMINI_CLI_IDE_PID: String(pid) }),
      // Without it the client looks for its editor on the container's host, and not beside itself.
      ...(facts.inContainer ? { REMOTE_CONTAINERS: "true" } : {}),
    };
  },
  constantVersion: "1.0.0",
  recognise: (client) => (client.transport === "streamable-http" ? 1 + recogniseGemini(client) : 0),
  load: async () => await loadEngine({ byteOrderMark: "as-on-disk", showFailure: "silent" }),
  loadHook: async () => (await behaviour()).geminiHook,
  loadChecks: async () => (await behaviour()).geminiChecks,
};

function placeIn({ temporaryDirectory }: Surroundings): RecordPlace {
  return {
    root: temporaryDirectory,
    directories: ["gemini", "ide"],
    pattern: /^gemini-ide-server-(?<pid>\d+)(?:-(?<port>\d+))?\.json$/u,
    isRead: true,
  };
}

/**
 * The roots joined with the delimiter of PATH; no empty segment, which would match any directory. The client takes the text
 * apart and decodes each part as a URI, and the working directory likewise (0.61.0), so that a percent sign of a name
 * stays as it is, while a delimiter in one is encoded: it would make two roots of it, and let a wrong directory in.
 */
function workspacePathOf(facts: DiscoveryFacts): string {
  const delimiter = pathDelimiterOf(facts);
  return facts.folders.map((folder) => folder.replaceAll(delimiter, encodeURIComponent(delimiter))).join(delimiter);
}

/** Gemini CLI gives its own version as the client's; the name is the same as Qwen Code's (run: 0.61.0). */
function recogniseGemini(client: ClientFacts): number {
  if (client.clientName !== "streamable-http-client") return 0;
  return client.clientVersion === "1.0.0" ? 0 : 5;
}
