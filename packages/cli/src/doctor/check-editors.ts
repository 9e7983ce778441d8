import type { Platform } from "@patchbay/core";
import { type AgentId, agentNames } from "../records/agent-places.ts";
import { realPlace } from "../records/real-place.ts";
import type { RunningEditor } from "../records/running-editors.ts";
import { editorsServing, holds } from "../records/serving-editor.ts";
import { program } from "../own-command.ts";
import { quoteWord } from "../terminal/quote-word.ts";
import type { Finding } from "./finding.ts";

const agents: readonly AgentId[] = ["gemini", "qwen", "claude"];

/** Would each agent, started in `folder`, find an editor? */
export async function checkEditors(
  platform: Platform,
  editors: readonly RunningEditor[],
  folder: string,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const serving = await editorsServing(platform, editors, folder);
  for (const agent of agents) {
    const matches = serving.filter((editor) => editor.agents.includes(agent));
    const [first] = matches;
    if (first === undefined) findings.push(await missing(platform, editors, agent, folder));
    else findings.push(found(agent, first, matches.length), ...letterByLetter(agent, first, folder));
  }
  return findings;
}

async function missing(
  platform: Platform,
  editors: readonly RunningEditor[],
  agent: AgentId,
  folder: string,
): Promise<Finding> {
  const name = agentNames[agent];
  const running = editors.filter((editor) => editor.answers && editor.agents.includes(agent));
  const others = running.flatMap((editor) => editor.folders.map((root) => ({ editor, root })));
  const [other] = others;
  if (other === undefined) {
    const text = `No editor that is running offers itself to ${name}.`;
    return {
      level: "problem",
      agent,
      text,
      fix: `${program} serve ${quoteWord(folder)}   # or open the folder in your editor`,
    };
  }
  const here = await realPlace(platform, folder);
  const above = others.find(({ root }) => holds(here, root));
  const [chosen, hint] = above === undefined ? [other, "serves another folder"] : [above, "serves a folder below"];
  const text = `${chosen.editor.name} is running, but ${hint}: ${chosen.root}. ${name} must be started in there.`;
  return { level: "problem", agent, text, fix: `cd ${quoteWord(chosen.root)}` };
}

function found(agent: AgentId, editor: RunningEditor, count: number): Finding {
  const name = agentNames[agent];
  if (agent === "claude" && count > 1) {
    const text = `${count} editors serve this folder; without a port in the terminal ${name} connects to none of them.`;
    return { level: "warning", agent, text, fix: `eval "$(${program} env)"   # or choose one in Claude Code: /ide` };
  }
  const text = `${name} finds ${editor.name} on port ${editor.port}${count > 1 ? ` (the best of ${count})` : ""}.`;
  return { level: "ok", agent, text };
}

/** Claude Code compares paths letter by letter: the way into a folder through a link is another folder to it. */
function letterByLetter(agent: AgentId, editor: RunningEditor, folder: string): readonly Finding[] {
  const record = editor.records.find((candidate) => candidate.agent === "claude");
  if (agent !== "claude" || record === undefined || record.folders.some((root) => holds(root, folder))) return [];
  const text = `You are in ${folder} by way of a symbolic link, which Claude Code does not follow.`;
  return [{ level: "problem", agent, text, fix: 'cd "$(pwd -P)"' }];
}
