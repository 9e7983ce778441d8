import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Children, ClaudeSession, createNodeChildren } from "@patchbay/conversations";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { claudeScenarios, type ConversationScenario, type RecordedLine, ScenarioPlayer } from "@patchbay/testkit";
import { claude } from "../agents/claude.ts";
import { listenModelServer, type ModelServer } from "../models/model-server.ts";
import { claudeBinary } from "../prerequisites/components.ts";
import { createLab, type Lab } from "../support/lab.ts";
import { diskHost, notTold, recording, wrongFiles } from "./conversation-recording.ts";
import { formatConversation } from "./conversation-transcript.ts";

/**
 * Holds the testkit's conversations with the real Claude Code, checks what came of them, and records what went over its standard
 * streams: `node src/record/record-claude.ts [--only edits] [--into <folder>]`. Without --into nothing is written.
 */
const { values } = parseArgs({ options: { only: { type: "string" }, into: { type: "string" } } });

let failures = 0;
for (const scenario of claudeScenarios) {
  if (values.only !== undefined && scenario.name !== values.only) continue;
  const faults = await record(scenario, values.into);
  failures += faults.length;
  console.log(faults.length === 0 ? `✔ ${scenario.name}` : `✘ ${scenario.name}\n${faults.join("\n")}`);
}
process.exitCode = failures === 0 ? 0 : 1;

/** What was not as it should be. */
async function record(scenario: ConversationScenario, into: string | undefined): Promise<readonly string[]> {
  const lab = await createLab();
  const model = await listenModelServer(claude.protocol);
  const children = createNodeChildren();
  try {
    await claude.configure(lab);
    for (const [name, text] of Object.entries(scenario.files ?? {})) await writeFile(join(lab.workspace, name), text);
    model.play(...scenario.turns(lab.workspace));
    const lines: RecordedLine[] = [];
    await hold(scenario, lab, model, recording(children, lines), lines);
    if (into !== undefined) {
      await mkdir(into, { recursive: true });
      await writeFile(join(into, `${scenario.name}.jsonl`), formatConversation(lines, lab));
    }
    return [...(await wrongFiles(scenario, lab)), ...notTold(scenario, model)];
  } finally {
    children.endAllSync();
    model.close();
    await lab.dispose();
  }
}

async function hold(
  scenario: ConversationScenario,
  lab: Lab,
  model: ModelServer,
  children: Children,
  lines: RecordedLine[],
): Promise<void> {
  const { clock } = createNodePlatform();
  const { ANTHROPIC_API_KEY: key, ...variables } = claude.environment(lab, model.url);
  const account = scenario.isSignedIn === false || key === undefined ? {} : { ANTHROPIC_API_KEY: key };
  const session = new ClaudeSession({
    ports: { children, clock, logger: nullLogger },
    host: diskHost(lines),
    cwd: lab.workspace,
    start: { kind: "new" },
    launch: async (args, environment) =>
      await Promise.resolve({
        program: claudeBinary(),
        args,
        environment: { ...lab.env, ...variables, ...account, ...environment },
      }),
    autosave: true,
  });
  const player = new ScenarioPlayer(session);
  await session.start();
  await scenario.play(player);
  await session.close();
}
