import { type AgentId, agentOf } from "../agents/catalogue.ts";
import { holds, type RankedRecord, realPlace } from "../agents/choice.ts";
import { isStopped } from "../agents/surroundings.ts";
import type { SessionTrial } from "../endpoint/try-session.ts";
import type { Platform } from "../platform/platform.ts";
import { isEnded } from "../storage/claim.ts";
import { chooseEditor, type PlacesFacts, type RunningEditor } from "./running-editors.ts";
import { isSurelyEnded } from "./examine-places.ts";
import { type Finding, findingOf, type NamedEditor } from "./finding.ts";
import type { EditorRecord } from "./records.ts";

export interface OutcomeFacts extends PlacesFacts {
  readonly editors: readonly RunningEditor[];
  /** Opens a session by a record, as its agent does. */
  readonly attempt: (record: EditorRecord) => Promise<SessionTrial>;
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
    case "waits": {
      const { record } = choice;
      const trial = await facts.attempt(record);
      if (trial === "opened") return findingOf("waits-to-be-told", "hint", agent, { editor: nameOf(record) });
      return trial === "nobody" ? undefined : await whyNot(facts, record, trial);
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
    const trial = await facts.attempt(record);
    if (trial === "nobody" && tries === "all") continue;
    if (trial === "nobody") return takesEnded(facts, record, ranked);
    if (trial !== "opened") return await whyNot(facts, record, trial);
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
  if (!demands.realFolders) return undefined;
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
    better: better === undefined ? undefined : { name: better.name, port: better.port },
  });
}

/** Why somebody who listens gave no session. */
async function whyNot(
  { platform }: OutcomeFacts,
  record: EditorRecord,
  trial: Exclude<SessionTrial, "opened" | "nobody">,
): Promise<Finding> {
  const { agent, path } = record;
  const editor = nameOf(record);
  switch (trial) {
    case "full":
      return findingOf("editor-full", "problem", agent, { editor });
    case "silent": {
      const pid = record.companion?.pid ?? record.pid;
      return pid !== undefined && (await isStopped(platform, pid))
        ? findingOf("editor-stopped", "problem", agent, { editor, pid })
        : findingOf("editor-silent", "problem", agent, { editor, pid });
    }
    case "refused":
    case "other-program": {
      const isOther = trial === "other-program" || (await hasEnded(platform, record));
      return isOther
        ? findingOf("port-of-another-program", "problem", agent, { editor, path })
        : findingOf("token-refused", "problem", agent, { editor, path });
    }
  }
}

async function hasEnded(platform: Platform, { companion }: EditorRecord): Promise<boolean> {
  if (companion === undefined) return false;
  const { pid, start } = companion;
  return await isEnded(platform, { pid, ...(start === undefined ? {} : { start }) });
}

function answers({ editors }: OutcomeFacts, record: EditorRecord): boolean {
  return editors.some(({ port, answers: does }) => port === record.port && does);
}

function nameOf({ editorName, port }: EditorRecord): NamedEditor {
  return { name: editorName, port };
}
