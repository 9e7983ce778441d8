import { type AgentId, agentOf } from "../agents/catalogue.ts";
import { holds, realPlace } from "../agents/choice.ts";
import { type Surroundings, surroundingsOf, variableOf } from "../agents/surroundings.ts";
import type { OutcomeFacts } from "./examine-choice.ts";
import { blockedDirectory } from "./examine-places.ts";
import { type Finding, findingOf, type NamedEditor } from "./finding.ts";
import { type AgentPlace, agentPlaces, readPlaces } from "./records.ts";
import { findServingEditors, findRunningEditors, type RunningEditor } from "./running-editors.ts";

export interface AbsenceFacts extends OutcomeFacts {
  /** Where else an editor may have left its records. */
  readonly elsewhere: readonly Surroundings[];
}

/** Why an agent, started here, finds no editor: the one cause that explains it. */
export async function examineAbsence(agent: AgentId, facts: AbsenceFacts): Promise<Finding> {
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
  { platform }: AbsenceFacts,
  folder: string,
): Promise<RunningEditor | undefined> {
  if (places.length === 0) return undefined;
  const editors = await findRunningEditors(platform, await readPlaces(platform, places));
  return (await findServingEditors(platform, editors, folder))[0];
}

async function difference(
  agent: AgentId,
  { platform }: AbsenceFacts,
  theirs: Surroundings,
  editor: NamedEditor,
): Promise<Finding> {
  const found = (await agentOf(agent).loadChecks()).difference(theirs, platform.process);
  if (found.of === "variable") {
    const { variable, theirs: their, ours } = found;
    return findingOf("variable-differs", "problem", agent, { editor, variable, theirs: their, ours });
  }
  const code = found.of === "home" ? "home-differs" : "temporary-directory-differs";
  return findingOf(code, "problem", agent, { editor, theirs: found.theirs, ours: found.ours });
}

function nameOf({ name, port }: RunningEditor): NamedEditor {
  return { name, port };
}
