import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Children, createNodeChildren } from "@patchbay/conversations";
import { PiSession } from "@patchbay/conversations/pi";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { piScenarios, type ConversationScenario, type RecordedLine, ScenarioPlayer } from "@patchbay/testkit";
import { pi } from "../agents/pi.ts";
import { listenModelServer, type ModelServer } from "../models/model-server.ts";
import { nodeBinary, piEntry } from "../prerequisites/components.ts";
import { createLab, type Lab } from "../support/lab.ts";
import { diskHost, notTold, recording, wrongFiles } from "./conversation-recording.ts";
import { formatConversation } from "./conversation-transcript.ts";

/**
 * Holds the testkit's conversations with the real Pi, checks what came of them, and records what went over its standard
 * streams: `node src/record/record-pi.ts [--only edits] [--into <folder>]`. Without --into nothing is written.
 */
const { values } = parseArgs({ options: { only: { type: "string" }, into: { type: "string" } } });

let failures = 0;
for (const scenario of piScenarios) {
  if (values.only !== undefined && scenario.name !== values.only) continue;
  const faults = await record(scenario, values.into);
  failures += faults.length;
  console.log(faults.length === 0 ? `✔ ${scenario.name}` : `✘ ${scenario.name}\n${faults.join("\n")}`);
}
process.exitCode = failures === 0 ? 0 : 1;

/** What was not as it should be. */
async function record(scenario: ConversationScenario, into: string | undefined): Promise<readonly string[]> {
  const lab = await createLab();
  const model = await listenModelServer(pi.protocol);
  const children = createNodeChildren();
  try {
    if (scenario.isSignedIn !== false) await pi.configureModel?.(lab, model.url);
    for (const [name, text] of Object.entries(scenario.files ?? {})) {
      const file = join(lab.workspace, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
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
  const { clock, files } = createNodePlatform();
  const session = new PiSession({
    ports: { children, clock, logger: nullLogger },
    files,
    host: diskHost(lines),
    cwd: lab.workspace,
    start: { kind: "new" },
    launch: async (args) =>
      await Promise.resolve({
        program: nodeBinary(),
        args: [piEntry(), ...args],
        environment: { ...lab.env, ...pi.environment(lab, model.url) },
      }),
    autosave: true,
  });
  const player = new ScenarioPlayer(session);
  await session.start();
  await scenario.play(player);
  await session.close();
}
