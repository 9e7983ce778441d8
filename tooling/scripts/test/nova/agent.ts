import type { ClientFacts, Dialect, RecordPlace } from "../../../../packages/core/src/agents/dialect.ts";
import {
  announcedPids,
  ideInfoOf,
  pathDelimiterOf,
} from "../../../../packages/core/src/agents/gemini-family/records.ts";
import { type Surroundings, variableOf } from "../../../../packages/core/src/agents/surroundings.ts";

/** Nova, a made-up member of the Gemini family: what it takes to add an agent (CONTRIBUTING.md). */
export const nova: Dialect<"nova"> = {
  id: "nova",
  agentName: "Nova CLI",
  program: { command: "nova", package: "@example/nova-cli" },
  asking: { setting: "approvalMode", flag: "--approval", value: "ask", isDefault: false },
  connecting: { input: "/editor on" },
  offersExtension: false,
  takesEdits: true,
  takesMentions: false,
  transport: "streamable-http",
  portVariable: "NOVA_EDITOR_PORT",
  demands: { livingProcess: false, editorNames: true, realFolders: false },
  places: (surroundings) => [placeIn(surroundings)],
  records: (facts) => {
    if (facts.folders.length === 0) return [];
    const content = JSON.stringify({
      port: facts.address.port,
      workspacePath: facts.folders.join(pathDelimiterOf(facts)),
      authToken: facts.token,
      ideInfo: ideInfoOf(facts),
    });
    return announcedPids(facts).map((pid) => ({
      ...placeIn(facts),
      fileName: `nova-${pid}-${facts.address.port}.json`,
      content,
    }));
  },
  environment: (facts) => (facts.folders.length === 0 ? {} : { NOVA_EDITOR_PORT: String(facts.address.port) }),
  recognise: (client: ClientFacts) => (client.transport === "streamable-http" && client.clientName === "nova" ? 5 : 0),
  load: async () => {
    const { createCompanionSpecEngine } = await import("../../../../packages/core/src/agents/gemini-family/engine.ts");
    return createCompanionSpecEngine({ byteOrderMark: "as-proposed", showFailure: "error" });
  },
  loadChecks: async () => (await import("./behaviour.ts")).novaChecks,
};

function placeIn(surroundings: Surroundings): RecordPlace {
  const chosen = variableOf(surroundings, "NOVA_HOME");
  return {
    root: chosen ?? surroundings.homeDirectory,
    directories: chosen === undefined ? [".nova", "editors"] : ["editors"],
    pattern: /^nova-(?<pid>\d+)-(?<port>\d+)\.json$/u,
    isRead: true,
  };
}
