import type { Dialect } from "./dialect.ts";
import { lockRecords, portLock } from "./lock-records.ts";
import type { Surroundings } from "./surroundings.ts";

/** An agent that has no protocol for editors, and asks by its hook alone. Its hook finds the records in a place of our own. */
export function hookAgent<Id extends string>(
  own: Pick<Dialect<Id>, "id" | "agentName" | "program" | "loadQuestions" | "loadService"> &
    Required<Pick<Dialect<Id>, "loadHook" | "loadChecks">>,
): Dialect<Id> {
  const places: Dialect["places"] = ({ homeDirectory }: Surroundings) => [
    { root: homeDirectory, directories: [".patchbay", own.id], pattern: portLock, isRead: true },
  ];
  return {
    ...own,
    offersExtension: false,
    takesEdits: true,
    takesMentions: false,
    transport: "hook",
    demands: { livingProcess: true, editorNames: false, realFolders: false },
    places,
    records: (facts) =>
      facts.folders.length === 0 ? [] : lockRecords(facts, places(facts), { workspaceFolders: facts.folders }),
    // It reads none.
    environment: () => ({}),
    recognise: () => 0,
  };
}
