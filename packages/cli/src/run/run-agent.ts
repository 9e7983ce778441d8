import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentOf, type Finding, type Platform } from "@patchbay/core";
import { findEditorsOf, findEditorsWith, isInstalled, planStart } from "@patchbay/core/diagnosis";
import type { RunCommand } from "../command-line.ts";
import { wordsOf } from "../doctor/finding-words.ts";
import { editorEnvironment } from "../env/print-environment.ts";
import { program, shellWords } from "../own-command.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { endLike, type ForegroundEnd, type ForegroundProgram } from "./foreground.ts";

export interface RunRequest {
  readonly command: RunCommand;
  readonly platform: Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For the user to read: the terminal is the agent's. */
  readonly tell: (line: string) => void;
  readonly run: (program: ForegroundProgram) => Promise<ForegroundEnd>;
}

/** With these an agent does not come so far as to connect. */
const unconnected: ReadonlySet<string> = new Set([
  "editor-mode-off",
  "hook-broken",
  "hook-not-installed",
  "settings-not-json",
]);

/** What shells answer where there is no such program. */
const notFound = 127;

/** `patchbay run <agent>`: resolves with the exit code of the agent. */
export async function runAgent(request: RunRequest): Promise<number> {
  const { command, platform, tell } = request;
  const { folder, args } = command;
  const agent = agentOf(command.agent);
  if (!(await isInstalled(platform, agent.program.command))) {
    say(tell, { code: "not-installed", level: "problem", agents: [agent.id], values: agent.program });
    return notFound;
  }
  const [editor] = await findEditorsOf(platform, agent.id, folder);
  if (editor === undefined) {
    const [other] = await findEditorsWith(platform, folder);
    if (other !== undefined) {
      tell(
        `${agent.agentName} does not find ${escapeLine(other.name)} (port ${other.port}), which has ${escapeLine(folder)} open, so nothing would be reviewed: it was not started.`,
      );
      tell(`  To see why: ${escapeLine(`${program} doctor --agent ${agent.id} ${shellWords.quote(folder)}`)}`);
      tell(`  To start it without reviews: ${agent.program.command}`);
      return 1;
    }
    const serve = `${program} serve ${shellWords.quote(folder)}`;
    tell(
      `No running editor has ${escapeLine(folder)} open, so nothing would be reviewed: ${agent.agentName} was not started.`,
    );
    tell(`  Open the folder in an editor with Patchbay, or type in another terminal: ${escapeLine(serve)}`);
    tell(`  To start it without reviews: ${agent.program.command}`);
    return 1;
  }
  const plan = await planStart(platform, { agent: agent.id, folder, args, port: editor.port });
  for (const finding of plan.findings) say(tell, finding);
  if (plan.unreviewedBy !== undefined) {
    tell(
      `With "${escapeLine(plan.unreviewedBy)}" ${agent.agentName} asks nobody, so you review nothing. To review all the same: ${program} hook install ${agent.id}`,
    );
  }
  if (plan.hooklessBy !== undefined) {
    tell(`With "${escapeLine(plan.hooklessBy)}" ${agent.agentName} does without its hook, so you review nothing.`);
  }
  if (plan.isUntold && agent.connecting !== undefined) {
    tell(
      `${agent.agentName} has not been told to use an editor yet. If it asks whether to connect, choose No, then type ${agent.connecting.input} there.`,
    );
  }
  const defaults = plan.defaults === undefined ? undefined : writeDefaults(platform, plan.defaults);
  try {
    // Without its hook it hears of what is open all the same.
    const isHarmless = (code: string): boolean => agent.contextOnly === true && code.startsWith("hook-");
    if (plan.findings.every(({ code }) => !unconnected.has(code) || isHarmless(code))) {
      tell(`${agent.agentName} connects to ${escapeLine(editor.name)} (port ${editor.port}).`);
    }
    const end = await request.run({
      program: agent.program.command,
      args: plan.args,
      environment: {
        ...request.environment,
        ...(await editorEnvironment(platform, editor, [agent])),
        ...plan.environment,
        ...defaults?.environment,
      },
    });
    defaults?.remove();
    return endLike(end);
  } finally {
    defaults?.remove();
  }
}

function say(tell: RunRequest["tell"], finding: Finding): void {
  const { text, fix } = wordsOf(finding);
  tell(text);
  if (fix !== undefined) tell(`  type: ${fix}`);
}

/** A file of the agent's settings for this start alone. */
function writeDefaults(
  platform: Platform,
  { variable, text }: { readonly variable: string; readonly text: string },
): { readonly environment: Readonly<Record<string, string>>; remove(): void } {
  const directory = mkdtempSync(join(platform.process.temporaryDirectory, "patchbay-run-"));
  const file = join(directory, "defaults.json");
  writeFileSync(file, text, { mode: 0o600 });
  return { environment: { [variable]: file }, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
