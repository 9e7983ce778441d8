import { type AgentId, agentOf, agents } from "../agents/catalogue.ts";
import { otherSurroundings, type Surroundings, surroundingsOf, variableOf } from "../agents/surroundings.ts";
import { answerMs, type PortAnswer, probePort, trySession } from "../endpoint/try-session.ts";
import type { Platform } from "../platform/platform.ts";
import {
  type AgentSettings,
  examineAsking,
  examineConnecting,
  examineFiles,
  examineReviews,
  installedVersion,
  isHooked,
  isInstalled,
  isServed,
  needsHook,
  readAgentSettings,
} from "./examine-editor.ts";
import {
  findRunningEditors,
  findServingEditors,
  namedPort,
  neededVersion,
  type RunningEditor,
} from "./running-editors.ts";
import {
  type Attempt,
  blockedDirectory,
  examineChoice,
  examinePlaces,
  nameOfEditor as nameOf,
  type OutcomeFacts,
  secondsOf,
} from "./examine-choice.ts";
import { type Finding, findingOf, gatherFindings, type NamedEditor } from "./finding.ts";
import { examineService } from "./examine-service.ts";
import { type AgentPlace, agentPlaces, type EditorRecord, placesOf, readPlaces } from "./records.ts";
import { holds, realPlace } from "../agents/choice.ts";
import { withVariables } from "../agents/settings.ts";

export interface DiagnosisRequest {
  /** Absolute: where the agents would be started. */
  readonly folder: string;
  /** Only these, and it is a problem if one is not installed. Default: all. Of those that are not used here only that is said. */
  readonly agents?: readonly AgentId[];
  /** Where else editors may have left their records. Default: what this machine tells. */
  readonly elsewhere?: readonly Surroundings[];
  /** How long an editor may take to answer, ms. Default: `answerMs`. */
  readonly waitMs?: number | undefined;
}

/**
 * What agents meet that are started in a folder from this terminal, checked as they themselves would: the records they
 * find, the one they take, a session with its token. Findings are without words; the worst come first. Changes nothing,
 * never rejects.
 */
export async function diagnose(platform: Platform, request: DiagnosisRequest): Promise<readonly Finding[]> {
  const { folder } = request;
  // Before anything else: editors mend their records while one looks on.
  const usual = await readPlaces(platform, agentPlaces(platform, platform.process));
  const settings = await readAgentSettings(platform, folder);
  const places = await readPlaces(platform, placesOf(platform, settings), usual);
  const patience = patienceOf(platform, request.waitMs ?? answerMs);
  const probe = probes(patience);
  const editors = await findRunningEditors(platform, places, probe);
  const elsewhere = request.elsewhere ?? (await otherSurroundings(platform));
  const facts: AbsenceFacts = {
    platform,
    folder,
    places,
    editors,
    elsewhere,
    attempt: attempts(editors, patience),
    probe,
  };
  const findings: Finding[] = [];
  const present: AgentId[] = [];
  const missing: AgentId[] = [];
  const asked = request.agents ?? agents.map(({ id }) => id);
  for (const agent of asked) {
    const isFound = await isInstalled(platform, agentOf(agent).program.command);
    const isUsed = settings.some((one) => one.agent === agent && one.isUsed);
    if (isUsed) present.push(agent);
    if (!isFound) missing.push(agent);
  }
  for (const agent of missing) {
    // Nobody misses an agent of which there is no trace, if there are others.
    if (request.agents === undefined && !present.includes(agent) && missing.length < asked.length) continue;
    // A program that is not on the PATH may still be started, by an alias. Where none is, there is no good news.
    const isHint = missing.length < asked.length && (request.agents === undefined || present.includes(agent));
    findings.push(findingOf("not-installed", isHint ? "hint" : "problem", agent, agentOf(agent).program));
  }
  // Side by side: one that hangs costs its time once.
  const met = await Promise.all(
    present.map(async (agent) => {
      const own = settings.find((one) => one.agent === agent);
      const found = await examineAgent(agent, facts, own);
      return missing.includes(agent) ? found.flatMap(asIfInstalled) : found;
    }),
  );
  findings.push(...met.flat(), ...editors.flatMap((editor) => examineSlowness(editor, met.flat())));
  findings.push(
    ...(await examineReviews(
      platform,
      folder,
      settings.filter(({ agent }) => present.includes(agent)),
    )),
  );
  const isPresent = (finding: Finding): boolean => finding.agents.some((agent) => present.includes(agent));
  // A record by which an agent came to another program has been named with that.
  const named = new Set(findings.flatMap((one) => (one.code === "port-of-another-program" ? one.values.paths : [])));
  findings.push(
    ...examinePlaces(platform, places, editors).flatMap((one) => (isPresent(one) ? withoutPaths(one, named) : [])),
  );
  // Whom such a port leads to an editor that has ended has been told so.
  const misled = findings.flatMap(({ code, agents }) => (code === "takes-ended-editor" ? agents : []));
  const others = present.filter((agent) => !misled.includes(agent));
  findings.push(
    ...(await examineVariables(
      platform,
      editors,
      settings.filter(({ agent }) => others.includes(agent)),
      probe,
    )),
  );
  return gatherFindings(findings);
}

/** What would be so if a program that was not found were there after all: nothing is good news of it. */
function asIfInstalled(finding: Finding): readonly Finding[] {
  if (finding.level !== "ok") return [finding];
  return finding.code === "connects" ? [{ ...finding, level: "hint" }] : [];
}

function withoutPaths(finding: Finding, named: ReadonlySet<string>): readonly Finding[] {
  if (finding.code === "record-of-ended-process") return named.has(finding.values.path) ? [] : [finding];
  if (finding.code !== "record-left-over") return [finding];
  const paths = finding.values.paths.filter((path) => !named.has(path));
  return paths.length === 0 ? [] : [{ ...finding, values: { ...finding.values, paths } }];
}

/** How long a port may take that has answered so fast before, ms; undefined: it has not been asked yet. */
type PatienceOf = (answeredMs?: number) => number;

/**
 * What answers late is waited for, and all of a run's waiting together takes a third more than the longest wait. One that answers slowly
 * is given twice its time.
 */
function patienceOf({ clock }: Pick<Platform, "clock">, waitMs: number): PatienceOf {
  const begun = clock.monotonic();
  return (answeredMs = 0) => {
    const left = (waitMs * 4) / 3 - (clock.monotonic() - begun);
    return Math.max(Math.min(waitMs, left), waitMs / 3, 2 * answeredMs);
  };
}

type Probe = (port: number) => Promise<PortAnswer>;

/** Asks each port once: one that hangs costs its time once. */
function probes(patience: PatienceOf): Probe {
  const asked = new Map<number, Promise<PortAnswer>>();
  return async (port) => {
    const answer = asked.get(port) ?? probePort(port, patience());
    asked.set(port, answer);
    return await answer;
  };
}

/** From here on people notice that an editor takes its time, ms. */
const slowMs = 1_000;

/** It answers, but late: agents wait for it. */
function examineSlowness(editor: RunningEditor, findings: readonly Finding[]): readonly Finding[] {
  if (!editor.answers || editor.waitedMs < slowMs) return [];
  const agents = findings.flatMap((one) =>
    waiting.has(one.code) && "editor" in one.values && one.values.editor.port === editor.port ? one.agents : [],
  );
  const values = { editor: nameOf(editor), seconds: secondsOf(editor.waitedMs) };
  return agents.length === 0 ? [] : [{ code: "editor-slow", level: "hint", agents, values }];
}

/** What is found of agents that have their editor's answer, or would. */
const waiting: ReadonlySet<Finding["code"]> = new Set(["connects", "waits-to-be-told", "takes-other-folder"]);

async function examineAgent(
  agent: AgentId,
  facts: AbsenceFacts,
  settings: AgentSettings | undefined,
): Promise<readonly Finding[]> {
  // It does not come so far as to look for an editor.
  const invalid = settings === undefined ? [] : examineFiles(settings);
  if (invalid.length > 0) return invalid;
  const connecting = settings === undefined ? [] : examineConnecting(settings);
  const { process: terminal } = facts.platform;
  const own = {
    ...facts,
    platform: withVariables(facts.platform, settings?.variables),
    own: settings,
    elsewhere: [terminal, ...facts.elsewhere],
  };
  const outcome =
    (await examineVersion(agent, own)) ??
    (await examinePort(agent, own)) ??
    (await examineChoice(agent, own)) ??
    (await examineAbsence(agent, own));
  // It would connect if it looked, and looked here: until then that is no good news.
  const isUnhooked = settings !== undefined && needsHook(agent) && !isHooked(settings) && !isServed(settings);
  const isIdle = (connecting.length > 0 || isUnhooked) && outcome.level !== "problem";
  return [
    ...(isIdle ? [] : [outcome]),
    ...connecting,
    ...(settings?.contextOff === undefined
      ? []
      : [findingOf("context-off", "hint", agent, { file: settings.contextOff })]),
    ...(settings === undefined ? [] : examineAsking(settings)),
    ...(settings === undefined ? [] : await examineService(settings, facts.platform)),
    ...(outcome.level === "problem" ? [] : closedPlaces(agent, facts)),
  ];
}

/** It finds an editor here only from a later version on. */
async function examineVersion(agent: AgentId, facts: AbsenceFacts): Promise<Finding | undefined> {
  const { program } = agentOf(agent);
  const version = await installedVersion(facts.platform, program);
  const needed = version === undefined ? undefined : await neededVersion(agent, version, facts);
  if (version === undefined || needed === undefined) return undefined;
  return findingOf("agent-too-old", "problem", agent, { version, needed, package: program.package });
}

/** It dials the port that this terminal names, and shows no token there. */
async function examinePort(agent: AgentId, { platform }: AbsenceFacts): Promise<Finding | undefined> {
  const variable = (await agentOf(agent).loadChecks()).portWithoutToken?.(platform.process);
  return variable === undefined ? undefined : findingOf("port-without-token", "problem", agent, { variable });
}

/** A second place of an agent that connects through its first. */
function closedPlaces(agent: AgentId, { platform, places }: AbsenceFacts): readonly Finding[] {
  return places.flatMap((place): readonly Finding[] => {
    const blocked = place.place.agent === agent ? blockedDirectory(platform, place) : undefined;
    // Links that the user made are followed by the agents, and by editors in the home.
    return blocked === undefined || blocked.code === "directory-is-a-link" ? [] : [{ ...blocked, level: "hint" }];
  });
}

/** Variables that agents go by, of this terminal or of files, whichever editor they then take. */
async function examineVariables(
  terminal: Platform,
  editors: readonly RunningEditor[],
  settings: readonly AgentSettings[],
  probe: Probe,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const leftOver = new Map<string, AgentId[]>();
  for (const { agent, variables } of settings) {
    const { portVariable } = agentOf(agent);
    const platform = withVariables(terminal, variables);
    const port = await namedPort(platform, agent);
    if (
      port === undefined ||
      portVariable === undefined ||
      editors.some((editor) => editor.port === port && (editor.answers || editor.isSilent))
    ) {
      continue;
    }
    // An editor that left its records elsewhere is no dead one.
    const isPort = Number.isInteger(port) && port > 0 && port < 65_536;
    if (isPort && (await probe(port)).state !== "nobody") continue;
    const text = variableOf(platform.process, portVariable) ?? "";
    leftOver.set(text, [...(leftOver.get(text) ?? []), agent]);
  }
  for (const [port, of] of leftOver) {
    const variables = of.flatMap((agent) => agentOf(agent).portVariable ?? []);
    findings.push({ code: "port-left-over", level: "hint", agents: of, values: { variables, port } });
  }
  for (const { agent, variables, variableFiles } of settings) {
    const { programVariable: variable } = agentOf(agent);
    if (variable === undefined || variableOf(withVariables(terminal, variables).process, variable) === undefined)
      continue;
    const file = variableFiles?.[variable];
    findings.push(findingOf("program-in-place-of-editor", "hint", agent, { variable, file }));
  }
  return findings;
}

/** Opens a session by each record, once for those that lead to the same. */
function attempts(editors: readonly RunningEditor[], patience: PatienceOf): (record: EditorRecord) => Promise<Attempt> {
  const known = new Map<string, Promise<Attempt>>();
  const silent = new Map(
    editors.filter(({ isSilent }) => isSilent).map(({ port, waitedMs }): readonly [number, number] => [port, waitedMs]),
  );
  return async ({ agent, port, token }) => {
    const waitedMs = silent.get(port);
    // It would be waited for once more.
    if (waitedMs !== undefined) return { trial: "silent", waitedMs };
    const { transport, tokenHeader } = agentOf(agent);
    const key = JSON.stringify([port, token, transport]);
    const timeoutMs = patience(editors.find((editor) => editor.port === port)?.waitedMs);
    const options = { port, token, transport, tokenHeader, timeoutMs };
    const made = known.get(key) ?? trySession(options).then((trial) => ({ trial, waitedMs: timeoutMs }));
    known.set(key, made);
    const attempt = await made;
    if (attempt.trial === "silent") silent.set(port, attempt.waitedMs);
    return attempt;
  };
}

interface AbsenceFacts extends OutcomeFacts {
  readonly own?: AgentSettings | undefined;
  /** Where else an editor may have left its records. */
  readonly elsewhere: readonly Surroundings[];
  readonly probe: Probe;
}

/** Why an agent, started here, finds no editor: the one cause that explains it. */
async function examineAbsence(agent: AgentId, facts: AbsenceFacts): Promise<Finding> {
  const { platform, places, editors, folder } = facts;
  for (const place of places) {
    const blocked = place.place.agent === agent ? blockedDirectory(platform, place) : undefined;
    // A link is in the way only of an editor that did not follow it.
    if (blocked !== undefined && blocked.code !== "directory-is-a-link") return blocked;
  }
  const user = variableOf(platform.process, "SUDO_USER");
  if (platform.process.uid === 0 && user !== undefined && user !== "root") {
    return findingOf("root-by-sudo", "problem", agent, { user });
  }
  const differing = await findElsewhere(agent, facts);
  if (differing !== undefined) return differing;
  const serving = await findServingEditors(platform, editors, folder);
  const withoutRecord = serving.find(
    (editor) => !editor.agents.includes(agent) && editor.records.some(({ companion }) => companion !== undefined),
  );
  const place = places.find((one) => one.place.agent === agent);
  if (withoutRecord !== undefined && place !== undefined) {
    const { directory } = place.place;
    return (
      blockedDirectory(platform, place) ??
      findingOf("record-missing", "problem", agent, { editor: nameOf(withoutRecord), directory })
    );
  }
  return unreadRecord(agent, facts, serving) ?? (await otherFolder(agent, facts));
}

/** An editor offers itself for the folder, and this agent makes nothing of its record. */
function unreadRecord(
  agent: AgentId,
  { platform, folder }: AbsenceFacts,
  serving: readonly RunningEditor[],
): Finding | undefined {
  for (const editor of serving) {
    const record = editor.records.find((one) => one.agent === agent);
    if (record === undefined) continue;
    const { path, pid } = record;
    if (pid !== undefined && !platform.process.isAlive(pid)) {
      return findingOf("record-of-ended-process", "problem", agent, { path, editor: nameOf(editor), pid });
    }
    if (agentOf(agent).demands.realFolders) {
      const open = record.folders[0] ?? "";
      return findingOf("folder-by-link", "problem", agent, { editor: nameOf(editor), folder, open });
    }
  }
  return undefined;
}

async function otherFolder(agent: AgentId, { platform, editors, folder }: AbsenceFacts): Promise<Finding> {
  const here = await realPlace(platform, folder);
  const running = editors.filter((editor) => editor.answers && editor.agents.includes(agent));
  const open = running.flatMap((editor) => editor.folders.map((root) => ({ editor: nameOf(editor), open: root })));
  const below = open.find((one) => holds(here, one.open));
  if (below !== undefined) return findingOf("folder-below", "problem", agent, below);
  const [other] = open;
  return other === undefined
    ? findingOf("no-editor", "problem", agent, { folder })
    : findingOf("other-folder", "problem", agent, other);
}

/** An editor that has the folder open, and whose surroundings have it write where this agent does not look. */
async function findElsewhere(agent: AgentId, facts: AbsenceFacts): Promise<Finding | undefined> {
  const { platform, places, editors, elsewhere, folder } = facts;
  const ours = new Set(places.map(({ place }) => place.directory));
  const pids = editors.flatMap(({ answers, records }) =>
    answers ? records.flatMap(({ companion }) => companion?.pid ?? []) : [],
  );
  const ofEditors = await Promise.all(pids.map(async (pid) => await surroundingsOf(platform, pid)));
  for (const surroundings of [...ofEditors, ...elsewhere]) {
    if (surroundings === undefined) continue;
    const theirs = agentPlaces(platform, surroundings).filter(
      (place) => place.agent === agent && !ours.has(place.directory),
    );
    const editor = await serverIn(theirs, facts, folder);
    if (editor !== undefined) return await difference(agent, facts, surroundings, nameOf(editor));
  }
  return undefined;
}

async function serverIn(
  places: readonly AgentPlace[],
  { platform, probe }: AbsenceFacts,
  folder: string,
): Promise<RunningEditor | undefined> {
  if (places.length === 0) return undefined;
  const editors = await findRunningEditors(platform, await readPlaces(platform, places), probe);
  return (await findServingEditors(platform, editors, folder))[0];
}

async function difference(
  agent: AgentId,
  { platform, own }: AbsenceFacts,
  theirs: Surroundings,
  editor: NamedEditor,
): Promise<Finding> {
  const found = (await agentOf(agent).loadChecks()).difference(theirs, platform.process);
  if (found.of === "variable") {
    const { variable, theirs: their, ours } = found;
    const file = own?.variableFiles?.[variable];
    return findingOf("variable-differs", "problem", agent, { editor, variable, file, theirs: their, ours });
  }
  const code = found.of === "home" ? "home-differs" : "temporary-directory-differs";
  return findingOf(code, "problem", agent, { editor, theirs: found.theirs, ours: found.ours });
}
