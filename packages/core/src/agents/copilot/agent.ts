import type { Dialect, RecordPlace } from "../dialect.ts";
import { foldersWithReal, idePlaces, lockRecords } from "../lock-records.ts";
import type { Surroundings } from "../surroundings.ts";

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
    const { port } = facts.address;
    const members = {
      socketPath: socket.path,
      scheme: socket.kind,
      headers: { Authorization: `Nonce ${facts.token}` },
      timestamp: socket.since,
      workspaceFolders: foldersWithReal(facts),
      isTrusted: true,
      // What its hook and a diagnosis ask by, with the token as it is: the client does not read these two.
      port,
    };
    return lockRecords(facts, placesIn(facts), members, `patchbay-${port}.lock`);
  },
  // It reads none.
  environment: () => ({}),
  recognise: (client) => (client.clientName === "copilot-cli" ? 9 : 0),
  load: async () => (await import("./engine.ts")).createCopilotEngine(),
  loadHook: async () => (await behaviour()).copilotHook,
  loadChecks: async () => (await behaviour()).copilotChecks,
};

/** It looks in the chosen folder alone. */
function placesIn(surroundings: Surroundings): readonly RecordPlace[] {
  return idePlaces(surroundings, ".copilot", "COPILOT_HOME", { pattern: /\.lock$/u });
}
