import { type AgentId, agentOf, agents } from "../agents/catalogue.ts";
import { otherSurroundings, type Surroundings, variableOf } from "../agents/surroundings.ts";
import { probePort, type SessionTrial, trySession } from "../endpoint/try-session.ts";
import type { Platform } from "../platform/platform.ts";
import {
  type AgentSettings,
  examineAsking,
  examineConnecting,
  isInstalled,
  readAgentSettings,
} from "./agent-settings.ts";
import { findRunningEditors, namedPort, type RunningEditor } from "./running-editors.ts";
import { type AbsenceFacts, examineAbsence } from "./examine-absence.ts";
import { examineChoice } from "./examine-choice.ts";
import { blockedDirectory, examinePlaces } from "./examine-places.ts";
import { examineReviews } from "./examine-editor.ts";
import { type Finding, findingOf, gatherFindings } from "./finding.ts";
import { agentPlaces, type EditorRecord, readPlaces } from "./records.ts";

export interface DiagnosisRequest {
  /** Absolute: where the agents would be started. */
  readonly folder: string;
  /** Only these, and it is a problem if one is not installed. Default: all. Of those that are not used here only that is said. */
  readonly agents?: readonly AgentId[];
  /** Where else editors may have left their records. Default: what this machine tells. */
  readonly elsewhere?: readonly Surroundings[];
}

/**
 * What agents meet that are started in a folder from this terminal, checked as they themselves would: the records they
 * find, the one they take, a session with its token. Findings are without words; the worst come first. Changes nothing,
 * never rejects.
 */
export async function diagnose(platform: Platform, request: DiagnosisRequest): Promise<readonly Finding[]> {
  const { folder } = request;
  const places = await readPlaces(platform, agentPlaces(platform, platform.process));
  const editors = await findRunningEditors(platform, places);
  const settings = await readAgentSettings(platform, folder);
  const elsewhere = request.elsewhere ?? (await otherSurroundings(platform));
  const facts: AbsenceFacts = { platform, folder, places, editors, elsewhere, attempt: attempts(editors) };
  const findings: Finding[] = [];
  const present: AgentId[] = [];
  for (const agent of request.agents ?? agents.map(({ id }) => id)) {
    const isFound = await isInstalled(platform, agentOf(agent).program.command);
    const isUsed = settings.some((one) => one.agent === agent && one.isUsed);
    if (isUsed) present.push(agent);
    // A program that is not on the PATH may still be started, by an alias.
    const level = isUsed || request.agents === undefined ? "hint" : "problem";
    if (!isFound) findings.push(findingOf("not-installed", level, agent, agentOf(agent).program));
  }
  for (const agent of present) {
    const own = settings.find((one) => one.agent === agent);
    findings.push(...(await examineAgent(agent, facts, own)));
  }
  findings.push(
    ...(await examineReviews(
      platform,
      folder,
      settings.filter(({ agent }) => present.includes(agent)),
    )),
  );
  const isPresent = (finding: Finding): boolean => finding.agents.some((agent) => present.includes(agent));
  findings.push(...examinePlaces(platform, places, editors).filter(isPresent));
  // Whom such a port leads to an editor that has ended has been told so.
  const misled = findings.flatMap(({ code, agents }) => (code === "takes-ended-editor" ? agents : []));
  const others = present.filter((agent) => !misled.includes(agent));
  findings.push(...(await examineVariables(platform, editors, others)));
  return gatherFindings(findings);
}

async function examineAgent(
  agent: AgentId,
  facts: AbsenceFacts,
  settings: AgentSettings | undefined,
): Promise<readonly Finding[]> {
  const connecting = settings === undefined ? [] : examineConnecting(settings);
  const outcome = (await examineChoice(agent, facts)) ?? (await examineAbsence(agent, facts));
  // It would connect if it looked, and looked here: until then that is no good news.
  const isIdle = connecting.length > 0 && outcome.level !== "problem";
  return [
    ...(isIdle ? [] : [outcome]),
    ...connecting,
    ...(settings === undefined ? [] : examineAsking(settings)),
    ...(outcome.level === "problem" ? [] : closedPlaces(agent, facts)),
  ];
}

/** A second place of an agent that connects through its first. */
function closedPlaces(agent: AgentId, { platform, places }: AbsenceFacts): readonly Finding[] {
  return places.flatMap((place): readonly Finding[] => {
    const blocked = place.place.agent === agent ? blockedDirectory(platform, place) : undefined;
    // Links that the user made are followed by the agents, and by editors in the home.
    return blocked === undefined || blocked.code === "directory-is-a-link" ? [] : [{ ...blocked, level: "hint" }];
  });
}

/** Variables of this terminal that agents go by, whichever editor they then take. */
async function examineVariables(
  platform: Platform,
  editors: readonly RunningEditor[],
  agents: readonly AgentId[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const leftOver = new Map<string, AgentId[]>();
  for (const agent of agents) {
    const port = namedPort(platform, agent);
    if (port === undefined || editors.some((editor) => editor.port === port && (editor.answers || editor.isSilent))) {
      continue;
    }
    // An editor that left its records elsewhere is no dead one.
    const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
    if (isPort && (await probePort(port)) !== "nobody") continue;
    const text = variableOf(platform.process, agentOf(agent).portVariable) ?? "";
    leftOver.set(text, [...(leftOver.get(text) ?? []), agent]);
  }
  for (const [port, of] of leftOver) {
    const variables = of.map((agent) => agentOf(agent).portVariable);
    findings.push({ code: "port-left-over", level: "hint", agents: of, values: { variables, port } });
  }
  for (const agent of agents) {
    const { programVariable: variable } = agentOf(agent);
    if (variable !== undefined && variableOf(platform.process, variable) !== undefined) {
      findings.push(findingOf("program-in-place-of-editor", "hint", agent, { variable }));
    }
  }
  return findings;
}

/** Opens a session by each record, once for those that lead to the same. */
function attempts(editors: readonly RunningEditor[]): (record: EditorRecord) => Promise<SessionTrial> {
  const made = new Map<string, Promise<SessionTrial>>();
  return async ({ agent, port, token }) => {
    // It would be waited for once more.
    if (editors.some((editor) => editor.port === port && editor.isSilent)) return "silent";
    const { transport, tokenHeader } = agentOf(agent);
    const key = JSON.stringify([port, token, transport]);
    const trial = made.get(key) ?? trySession({ port, token, transport, tokenHeader });
    made.set(key, trial);
    return await trial;
  };
}
