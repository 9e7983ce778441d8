import type { Dialect, RecordPlace } from "../dialect.ts";
import { lockRecords, portLock } from "../lock-records.ts";
import type { Surroundings } from "../surroundings.ts";

const behaviour = async (): Promise<typeof import("./behaviour.ts")> => await import("./behaviour.ts");

/** Pi, which speaks with an editor by an extension of ours alone: docs/protocols/pi.md. */
export const pi: Dialect<"pi"> = {
  id: "pi",
  agentName: "Pi",
  program: { command: "pi", package: "@earendil-works/pi-coding-agent" },
  offersExtension: false,
  takesEdits: true,
  takesMentions: false,
  transport: "hook",
  demands: { livingProcess: true, editorNames: false, realFolders: false },
  places: placesIn,
  records: (facts) =>
    facts.folders.length === 0 ? [] : lockRecords(facts, placesIn(facts), { workspaceFolders: facts.folders }),
  // It reads none.
  environment: () => ({}),
  recognise: () => 0,
  loadHook: async () => (await behaviour()).piHook,
  loadChecks: async () => (await behaviour()).piChecks,
};

/** Beside the program that reads them: Pi itself has no place for an editor's records. */
function placesIn({ homeDirectory }: Surroundings): readonly RecordPlace[] {
  return [{ root: homeDirectory, directories: [".patchbay", "pi"], pattern: portLock, isRead: true }];
}
