import { agentOf } from "../agents/catalogue.ts";
import type { Platform } from "../platform/platform.ts";
import { isOwn } from "../storage/private-directory.ts";
import { type Finding, findingOf } from "./finding.ts";
import { type FoundFile, type FoundPlace } from "./records.ts";
import type { RunningEditor } from "./running-editors.ts";

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
  const { answers, isSilent, name, port, agents, records } = editor;
  if (answers || isSilent) return [];
  const values = {
    paths: records.map(({ path }) => path),
    editor: { name, port },
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
  const named = { name: record.editorName, port: record.port };
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
export function isSurelyEnded({ process }: Platform, { records }: RunningEditor): boolean {
  const pids = records.flatMap(({ companion, pid }) => companion?.pid ?? pid ?? []);
  return pids.length > 0 && pids.every((pid) => !process.isAlive(pid));
}
