import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { ClaudeSession, type Children, createNodeChildren, type SessionHost } from "@patchbay/conversations";
import { createNodePlatform, nullLogger } from "@patchbay/core";
import { LineReader } from "@patchbay/core/json-input";
import { claudeScenarios, type ConversationScenario, type RecordedLine, ScenarioPlayer } from "@patchbay/testkit";
import { claude } from "../agents/claude.ts";
import { listenModelServer, type ModelServer } from "../models/model-server.ts";
import { claudeBinary } from "../prerequisites/components.ts";
import { createLab, type Lab } from "../support/lab.ts";
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

/** An editor in which nothing is open. */
function diskHost(lines: RecordedLine[]): SessionHost {
  return {
    readText: async (path) => {
      const text = await readFile(path, "utf8").catch(() => undefined);
      lines.push({ dir: "host", body: { path, text } });
      return text;
    },
    writeText: async () => await Promise.reject(new Error("Claude Code writes files itself.")),
    saveIfDirty: async () => await Promise.resolve(false),
    problems: async () => await Promise.resolve([]),
    mayRead: () => true,
    locate: async () => await Promise.resolve({ isInside: true, isShared: true }),
  };
}

function recording(children: Children, lines: RecordedLine[]): Children {
  return {
    endAllSync: () => children.endAllSync(),
    start: async (request, listeners) => {
      const heard = new LineReader({ onLine: (line) => lines.push({ dir: "in", body: JSON.parse(line) }) });
      const child = await children.start(request, {
        ...listeners,
        onOutput: (chunk) => {
          heard.push(chunk);
          listeners.onOutput(chunk);
        },
      });
      return {
        pid: child.pid,
        endInput: () => child.endInput(),
        noteStarted: () => child.noteStarted(),
        signalAll: (signal) => child.signalAll(signal),
        isAnyAlive: () => child.isAnyAlive(),
        write: async (text) => {
          lines.push({ dir: "out", body: JSON.parse(text) });
          return await child.write(text);
        },
      };
    },
  };
}

async function wrongFiles({ results }: ConversationScenario, lab: Lab): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(results ?? {}).map(async ([name, expected]) => {
      const text = await readFile(join(lab.workspace, name), "utf8").catch(() => undefined);
      return text === expected ? [] : [`${name} holds ${JSON.stringify(text)}, not ${JSON.stringify(expected)}`];
    }),
  );
  return found.flat();
}

function notTold({ told }: ConversationScenario, model: ModelServer): readonly string[] {
  return (told ?? [])
    .filter((text) => !model.conversation.some((request) => request.includes(text)))
    .map((text) => `the model was not told ${JSON.stringify(text)}`);
}
