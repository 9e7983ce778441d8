import type { FileFacts, Platform } from "@patchbay/core";
import { agentNames } from "../records/agent-places.ts";
import type { FoundFile, FoundPlace } from "../records/read-records.ts";
import type { RunningEditor } from "../records/running-editors.ts";
import { quoteWord } from "../terminal/quote-word.ts";
import type { Finding } from "./finding.ts";

/** Looks at the directories and files in which agents look: are they there, whose are they, who can read them, are they stale. */
export function checkPlaces(
  platform: Platform,
  places: readonly FoundPlace[],
  editors: readonly RunningEditor[],
): readonly Finding[] {
  return places.flatMap((found) => [
    ...checkDirectory(platform, found),
    ...found.files.flatMap((file) => checkFile(platform, found, file, editors)),
  ]);
}

function checkDirectory(platform: Platform, { place, facts }: FoundPlace): readonly Finding[] {
  const { agent, directory } = place;
  if (facts === undefined) {
    const text = `${agentNames[agent]} looks in ${directory}, which does not exist: no editor has offered itself there.`;
    return [{ level: "warning", agent, text }];
  }
  const finding = (text: string, fix: string): readonly Finding[] => [{ level: "problem", agent, text, fix }];
  if (facts.kind === "link") {
    return finding(
      `${directory} is a symbolic link, into which Patchbay writes no token.`,
      `rm ${quoteWord(directory)} && mkdir -m 700 ${quoteWord(directory)}`,
    );
  }
  if (facts.kind !== "directory") return finding(`${directory} is not a directory.`, `rm ${quoteWord(directory)}`);
  if (isForeign(platform, facts)) {
    return finding(
      `${directory} belongs to another user (uid ${facts.uid}), so no editor of yours can offer itself there.`,
      place.agent === "gemini"
        ? `export TMPDIR=$(mktemp -d)   # for the editor and the agent, or have the directory removed`
        : `sudo rm -r ${quoteWord(directory)}`,
    );
  }
  if ((facts.mode & 0o022) !== 0) {
    return finding(
      `Other users can write to ${directory}, so they could lead ${agentNames[agent]} to an editor of theirs.`,
      `chmod 700 ${quoteWord(directory)}`,
    );
  }
  return [];
}

function checkFile(
  platform: Platform,
  { place }: FoundPlace,
  file: FoundFile,
  editors: readonly RunningEditor[],
): readonly Finding[] {
  const { agent } = place;
  const { path, facts, record } = file;
  const name = agentNames[agent];
  if (isForeign(platform, facts)) {
    const text = `${path} belongs to another user (uid ${facts.uid}); ${name} ignores it.`;
    return [{ level: "warning", agent, text }];
  }
  if (facts.kind !== "file" || record === undefined) {
    const text = `${path} is no record that ${name} can read.`;
    return [{ level: "warning", agent, text, fix: `rm ${quoteWord(path)}` }];
  }
  const findings: Finding[] = [];
  if ((facts.mode & 0o077) !== 0 && platform.process.platform !== "win32") {
    const text = `Other users can read the token in ${path}. It was not made by Patchbay.`;
    findings.push({ level: "warning", agent, text, fix: `chmod 600 ${quoteWord(path)}` });
  }
  const editor = editors.find(({ port }) => port === record.port);
  const dead = record.pid !== undefined && !platform.process.isAlive(record.pid);
  if (editor?.answers === false) {
    const why = dead ? `its process ${String(record.pid)} has ended` : `nothing answers on its port ${record.port}`;
    const text = `${path} is left over from ${record.editorName}: ${why}.`;
    findings.push({ level: "warning", agent, text, fix: `rm ${quoteWord(path)}` });
  } else if (dead && agent !== "gemini") {
    const text = `${path} names process ${String(record.pid)}, which has ended: ${name} deletes it although ${record.editorName} answers. Restart the editor.`;
    findings.push({ level: "problem", agent, text });
  }
  if (agent !== "claude" && !record.hasEditorInfo) {
    const text = `${path} names no editor (ideInfo), so ${name} accepts it only in the terminals of a few editors.`;
    findings.push({ level: "warning", agent, text });
  }
  return findings;
}

function isForeign(platform: Platform, facts: FileFacts): boolean {
  return platform.process.uid !== -1 && facts.uid !== platform.process.uid;
}
