import type { Dialect, RecordPlace } from "../dialect.ts";
import { portLock } from "../lock-records.ts";
import { portWithExponent, type Surroundings } from "../surroundings.ts";

/** What the members of the family differ in. */
export type FamilyAgent<Id extends string> = Pick<Dialect<Id>, "id" | "agentName" | "program">;

/**
 * opencode and its forks: clients of Claude Code's protocol that read its records, want nothing but context, and count lines from 1
 * (docs/protocols/opencode.md).
 */
export function familyDialect<const Id extends string>({ id, agentName, program }: FamilyAgent<Id>): Dialect<Id> {
  return {
    id,
    agentName,
    program,
    // It connects unasked; a record that fits is looked for again and again.
    connecting: { input: "", command: program.command },
    offersExtension: false,
    takesEdits: true,
    takesMentions: true,
    contextOnly: true,
    transport: "websocket",
    tokenHeader: "x-claude-code-ide-authorization",
    recordsOf: "claude",
    demands: { livingProcess: false, editorNames: false, realFolders: true },
    places: placesIn,
    // Those of Claude Code are there.
    records: () => [],
    // Whatever else its terminal names: with this it looks for the record.
    environment: ({ address }) => ({ CLAUDE_CODE_SSE_PORT: portWithExponent(address.port) }),
    // All of them say that they are this one, and none its version.
    recognise: ({ transport, clientName }) => (transport === "websocket" && clientName === "opencode" ? 5 : 0),
    constantVersion: "0.0.0",
    load: async () => (await import("./engine.ts")).openCodeEngine,
    loadHook: async () => (await import("./behaviour.ts")).familyHook({ id, agentName }),
    loadChecks: async () => (await import("./behaviour.ts")).familyChecks(id),
  };
}

/** `CLAUDE_CONFIG_DIR` is not looked at. */
function placesIn({ homeDirectory }: Surroundings): readonly RecordPlace[] {
  return [{ root: homeDirectory, directories: [".claude", "ide"], pattern: portLock, isRead: true }];
}
