import type { AgentId } from "@patchbay/core";
import { all, inHome, type Place, portWithExponent, type Situation, type Step, variable } from "./place.ts";

const port = ({ port: own }: Place): string => own;

type Outcome = Pick<Situation, "does" | "says">;
const connects: Outcome = { does: "connects", says: "connects" };
const isRefused: Outcome = { does: "stays away", says: "port-without-token" };

/** The records in which an editor with the folder stands are those of Claude Code. */
function situationsOf(agent: AgentId, ownVariable: string): readonly Situation[] {
  const claudes = "CLAUDE_CODE_SSE_PORT";
  const ours = variable(claudes, portWithExponent);
  const isOff = inHome(`.local/state/${agent}/kv.json`, '{ "file_context_enabled": false }');
  const rows: readonly (readonly [title: string, make: Step | undefined, outcome: Outcome])[] = [
    ["no variable", undefined, connects],
    ["the variable of an editor's terminals", ours, connects],
    ["the same, and a port of its own", all(ours, variable(ownVariable, port)), connects],
    ["a plain port", variable(claudes, port), isRefused],
    ["a plain port of its own", variable(ownVariable, port), isRefused],
    ["a port with letters behind it", variable(claudes, (place) => `${place.port}abc`), isRefused],
    ["a port with a point behind it", variable(claudes, (place) => `${place.port}.`), isRefused],
    ["a port in hexadecimal", variable(claudes, (place) => `0x${Number(place.port).toString(16)}`), connects],
    ["a port that is too large", variable(claudes, "65536"), connects],
    ["what is open switched off", isOff, { does: "connects", says: "context-off" }],
  ];
  return rows.map(([title, make, outcome]) => ({
    title: `${agent}: ${title}`,
    agent,
    ...(make === undefined ? {} : { make }),
    ...outcome,
  }));
}

/** Whether opencode and Kilo take a port in place of a record. */
export const opencodeSituations: readonly Situation[] = [
  ...situationsOf("opencode", "OPENCODE_EDITOR_SSE_PORT"),
  ...situationsOf("kilo", "KILO_EDITOR_SSE_PORT"),
];
