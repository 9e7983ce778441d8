import { type AgentId, agentOf } from "../agents/catalogue.ts";
import type { Platform } from "../platform/platform.ts";
import { isOwn } from "../storage/private-directory.ts";
import { type Finding, findingOf, type NamedEditor } from "./finding.ts";
import { type EditorRecord, type FoundFile, type FoundPlace, hasCompanionEnded, isElsewhere } from "./records.ts";
import { chooseEditor, type PlacesFacts, type RunningEditor } from "./running-editors.ts";
import { holds, type RankedRecord, realPlace } from "../agents/choice.ts";
import { isStopped } from "../agents/surroundings.ts";
import type { SessionTrial } from "../endpoint/try-session.ts";

/** What is wrong with a directory in which an agent looks, so that no editor can offer itself there; undefined: nothing. */
export function blockedDirectory(
  platform: Platform,
  { place, facts, isLinked, isClosed }: FoundPlace,
): Finding | undefined {
  const { agent, directory, isTemporary } = place;
  if (isClosed) return findingOf("directory-closed", "problem", agent, { directory });
  if (facts === undefined) return undefined;
  if (facts.kind !== "directory") return findingOf("directory-is-none", "problem", agent, { directory });
  if (!isOwn(platform, facts)) {
    return findingOf("directory-of-another-user", "problem", agent, { directory, uid: facts.uid, isTemporary });
  }
  return isLinked ? findingOf("directory-is-a-link", "problem", agent, { directory }) : undefined;
}

/** What is to be said about the records and directories themselves, whichever editor an agent takes. */
export function examinePlaces(
  platform: Platform,
  places: readonly FoundPlace[],
  editors: readonly RunningEditor[],
): readonly Finding[] {
  return [
    ...places.flatMap((found) => [
      ...examineDirectory(platform, found),
      ...found.files.flatMap((file) => examineFile(platform, found, file, editors)),
    ]),
    ...editors.flatMap((editor) => examineLeftOver(platform, editor)),
  ];
}

/** All records of an editor that nobody answers for. */
function examineLeftOver(platform: Platform, editor: RunningEditor): readonly Finding[] {
  const { answers, isSilent, agents, records } = editor;
  if (answers || isSilent) return [];
  const values = {
    // Several agents may read one record.
    paths: Array.from(new Set(records.map(({ path }) => path))),
    editor: nameOfEditor(editor),
    isSurelyEnded: isSurelyEnded(platform, editor),
  };
  return [{ code: "record-left-over", level: "hint", agents, values }];
}

function examineDirectory(platform: Platform, { place, facts }: FoundPlace): readonly Finding[] {
  const { agent, directory } = place;
  if (facts?.kind !== "directory" || !isOwn(platform, facts) || (facts.mode & 0o022) === 0) return [];
  return [findingOf("directory-open-to-others", "hint", agent, { directory })];
}

function examineFile(
  platform: Platform,
  { place }: FoundPlace,
  { path, facts, record }: FoundFile,
  editors: readonly RunningEditor[],
): readonly Finding[] {
  const { agent } = place;
  const { demands } = agentOf(agent);
  if (!isOwn(platform, facts)) return [findingOf("record-of-another-user", "hint", agent, { path, uid: facts.uid })];
  if (facts.kind !== "file" || record === undefined)
    return [findingOf("record-not-understood", "hint", agent, { path })];
  const findings: Finding[] = [];
  if ((facts.mode & 0o077) !== 0 && platform.process.platform !== "win32") {
    findings.push(findingOf("record-readable-by-others", "hint", agent, { path }));
  }
  const editor = editors.find(({ port }) => port === record.port);
  const isDead = record.pid !== undefined && !platform.process.isAlive(record.pid);
  const named = nameOf(record);
  const isLeftOver = editor !== undefined && !editor.answers && !editor.isSilent;
  if (!isLeftOver && isDead && demands.livingProcess && record.pid !== undefined) {
    findings.push(findingOf("record-of-ended-process", "problem", agent, { path, editor: named, pid: record.pid }));
  }
  if (demands.editorNames && !record.hasEditorInfo && editor?.answers === true) {
    findings.push(findingOf("record-without-editor-names", "hint", agent, { path }));
  }
  return findings;
}

/** Whether an editor whose port is silent has also no process any more: only then may its records be thrown away. */
function isSurelyEnded({ process }: Platform, { records, isElsewhere: isThere }: RunningEditor): boolean {
  if (isThere) return false;
  const pids = records.flatMap(({ companion, pid }) => companion?.pid ?? pid ?? []);
  return pids.length > 0 && pids.every((pid) => !process.isAlive(pid));
}

export interface OutcomeFacts extends PlacesFacts {
  readonly editors: readonly RunningEditor[];
  /** Opens a session by a record, as its agent does. */
  readonly attempt: (record: EditorRecord) => Promise<Attempt>;
}

/** How the attempt to open a session went, and for how long it would have been waited for, ms. */
export interface Attempt {
  readonly trial: SessionTrial;
  readonly waitedMs: number;
}

/** What comes of an agent's attempt to connect from here; undefined where it finds no editor that runs. */
export async function examineChoice(agent: AgentId, facts: OutcomeFacts): Promise<Finding | undefined> {
  const choice = await chooseEditor(agent, facts);
  switch (choice.kind) {
    case "none":
      return undefined;
    case "undecided": {
      const running = choice.records.filter((record) => answers(facts, record));
      const [only] = running;
      if (only === undefined) return undefined;
      const editors = choice.records.map(nameOf).toSorted((a, b) => a.name.localeCompare(b.name) || a.port - b.port);
      return findingOf("undecided", "hint", agent, { editors });
    }
    case "other-terminal": {
      const { record, variable } = choice;
      const { trial, waitedMs } = await facts.attempt(record);
      if (trial !== "opened") return trial === "nobody" ? undefined : await whyNot(facts, record, { trial, waitedMs });
      return findingOf("terminal-of-another-editor", "problem", agent, { editor: nameOf(record), variable });
    }
    case "waits": {
      const { record } = choice;
      const { trial, waitedMs } = await facts.attempt(record);
      if (trial === "opened") return findingOf("waits-to-be-told", "hint", agent, { editor: nameOf(record) });
      return trial === "nobody" ? undefined : await whyNot(facts, record, { trial, waitedMs });
    }
    case "takes":
      return await examineRanked(agent, facts, choice.ranked, choice.tries);
  }
}

async function examineRanked(
  agent: AgentId,
  facts: OutcomeFacts,
  ranked: readonly RankedRecord<EditorRecord>[],
  tries: "first" | "all",
): Promise<Finding | undefined> {
  for (const { record, because } of ranked) {
    const { trial, waitedMs } = await facts.attempt(record);
    if (trial === "nobody" && tries === "all") continue;
    if (trial === "nobody") return takesEnded(facts, record, ranked);
    if (trial !== "opened") return await whyNot(facts, record, { trial, waitedMs });
    const others = ranked.flatMap((other) =>
      other.record !== record && answers(facts, other.record) ? [nameOf(other.record)] : [],
    );
    const elsewhere = because === "port-variable" ? await otherFolderOf(facts, record) : undefined;
    if (elsewhere !== undefined) return elsewhere;
    const reason = others.length === 0 ? "only" : because;
    return findingOf("connects", "ok", agent, { editor: nameOf(record), because: reason, others });
  }
  return undefined;
}

/** The agent's ranking leads to where nobody is; that is a cause of its own only where another editor would answer. */
function takesEnded(
  facts: OutcomeFacts,
  record: EditorRecord,
  ranked: readonly RankedRecord<EditorRecord>[],
): Finding | undefined {
  const better = ranked.find((other) => other.record !== record && answers(facts, other.record));
  if (better === undefined) return undefined;
  const ended = facts.editors.find(({ port }) => port === record.port);
  return findingOf("takes-ended-editor", "problem", record.agent, {
    editor: nameOf(record),
    path: record.path,
    isSurelyEnded: ended !== undefined && isSurelyEnded(facts.platform, ended),
    better: nameOf(better.record),
  });
}

/** Claude Code follows its port variable into an editor that has another folder open; links are not followed here. */
async function otherFolderOf(facts: OutcomeFacts, record: EditorRecord): Promise<Finding | undefined> {
  const { platform, folder, editors } = facts;
  const { agent } = record;
  const { demands, portVariable } = agentOf(agent);
  if (!demands.realFolders || portVariable === undefined) return undefined;
  const here = await realPlace(platform, folder);
  if (record.folders.some((root) => holds(root, here))) return undefined;
  const better = editors.find(
    (editor) =>
      editor.answers &&
      editor.port !== record.port &&
      editor.records.some((one) => one.agent === agent && one.folders.some((root) => holds(root, here))),
  );
  return findingOf("takes-other-folder", better === undefined ? "hint" : "problem", agent, {
    editor: nameOf(record),
    variable: portVariable,
    open: record.folders[0] ?? "",
    better: better === undefined ? undefined : nameOfEditor(better),
  });
}

/** Why somebody who listens gave no session. */
async function whyNot(
  { platform }: OutcomeFacts,
  record: EditorRecord,
  { trial, waitedMs }: Attempt & { readonly trial: Exclude<SessionTrial, "opened" | "nobody"> },
): Promise<Finding> {
  const { agent, path } = record;
  const editor = nameOf(record);
  switch (trial) {
    case "full":
      return findingOf("editor-full", "problem", agent, { editor });
    case "silent": {
      // A companion that was killed answers no more: who is silent there is somebody else.
      if (await hasCompanionEnded(platform, record.companion)) return await otherProgram(platform, record);
      const pid = record.companion?.pid ?? record.pid;
      return pid !== undefined && (await isStopped(platform, pid))
        ? findingOf("editor-stopped", "problem", agent, { editor, pid })
        : findingOf("editor-silent", "problem", agent, { editor, pid, seconds: secondsOf(waitedMs) });
    }
    case "refused":
    case "other-program": {
      const isOther = trial === "other-program" || (await hasCompanionEnded(platform, record.companion));
      return isOther
        ? await otherProgram(platform, record)
        : findingOf("token-refused", "problem", agent, { editor, paths: [path] });
    }
  }
}

/** As findings say a time: with tenths. */
export function secondsOf(ms: number): number {
  return Math.round(ms / 100) / 10;
}

async function otherProgram(platform: Platform, record: EditorRecord): Promise<Finding> {
  const { companion } = record;
  const pid = companion?.pid ?? record.pid;
  const isThere = companion !== undefined && (await isElsewhere(platform, companion));
  const isSurelyEnded = !isThere && pid !== undefined && !platform.process.isAlive(pid);
  return findingOf("port-of-another-program", "problem", record.agent, {
    editor: nameOf(record),
    paths: [record.path],
    isSurelyEnded,
  });
}

function answers({ editors }: OutcomeFacts, record: EditorRecord): boolean {
  return editors.some(({ port, answers: does }) => port === record.port && does);
}

function nameOf({ editorName, editorId, port }: EditorRecord): NamedEditor {
  return namedEditor({ name: editorName, editorId, port });
}

/** As findings name an editor. */
export function nameOfEditor({ name, editorId, port }: RunningEditor): NamedEditor {
  return namedEditor({ name, editorId, port });
}

/** Claude Code's records have the name alone. */
function namedEditor({ name, editorId, port }: Pick<RunningEditor, "name" | "editorId" | "port">): NamedEditor {
  return { name, port, ...(editorId === "patchbay" || name === "Patchbay" ? { isServe: true } : {}) };
}
