import type { Dialect, RecordPlace } from "../dialect.ts";
import { lockRecords } from "../lock-records.ts";
import { type Surroundings, variableOf } from "../surroundings.ts";

const behaviour = async (): Promise<typeof import("./behaviour.ts")> => await import("./behaviour.ts");

/** GitHub's Copilot CLI: docs/protocols/copilot.md. */
export const copilot: Dialect<"copilot"> = {
  id: "copilot",
  agentName: "Copilot CLI",
  program: { command: "copilot", package: "@github/copilot" },
  asking: { setting: "defaultMode", flag: "--mode", value: "interactive", isDefault: true },
  connecting: { input: "/ide" },
  offersExtension: false,
  takesEdits: false,
  takesMentions: false,
  transport: "streamable-http",
  door: "socket",
  demands: { livingProcess: false, editorNames: false, realFolders: true },
  places: placesIn,
  records: (facts) => {
    const { socket } = facts;
    if (socket === undefined || facts.folders.length === 0) return [];
    // Links are not resolved by the client: the path as opened and the real one are both listed.
    const workspaceFolders = [...new Set([...facts.folders, ...facts.realFolders])];
    const { port } = facts.address;
    const members = {
      socketPath: socket.path,
      scheme: socket.kind,
      headers: { Authorization: `Nonce ${facts.token}` },
      timestamp: socket.since,
      workspaceFolders,
      isTrusted: true,
      // What its hook and a diagnosis ask by, with the token as it is: the client does not read these two.
      port,
    };
    return lockRecords(facts, placesIn(facts), members, `patchbay-${port}.lock`);
  },
  // It reads none.
  environment: () => ({}),
  recognise: (client) => (client.clientName === "copilot-cli" ? 9 : 0),
  load: async () => {
    const { createCopilotEngine } = await import("./engine.ts");
    return createCopilotEngine();
  },
  loadHook: async () => (await behaviour()).copilotHook,
  loadChecks: async () => (await behaviour()).copilotChecks,
};

/** The variable names the folder that stands for `~/.copilot`; the client looks in that one alone. */
function placesIn(surroundings: Surroundings): readonly RecordPlace[] {
  const chosen = variableOf(surroundings, "COPILOT_HOME");
  const pattern = /\.lock$/u;
  return [
    { root: surroundings.homeDirectory, directories: [".copilot", "ide"], pattern, isRead: chosen === undefined },
    ...(chosen === undefined ? [] : [{ root: chosen, directories: ["ide"], pattern, isRead: true }]),
  ];
}
