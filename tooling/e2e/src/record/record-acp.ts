import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { AcpLine } from "@patchbay/testkit";
import { type AcpKindName, acpKinds, AcpStage } from "./acp-stage.ts";
import { acpScenarios } from "./acp-scenarios.ts";

/**
 * Records what the real agents say over the Agent Client Protocol, for the tests of packages/conversations:
 * `record-acp [agent] [scenario]`. Each scenario is run in a lab of its own against a scripted model.
 */
const golden = new URL("../../../../packages/conversations/test/golden/", import.meta.url).pathname;

/** Lists of commands are long, and one agent sends the texts of all its skills with them. */
function shorten(key: string, value: unknown): unknown {
  if (key === "availableSkillDetails") return undefined;
  return key === "availableCommands" && Array.isArray(value) ? value.slice(0, 3) : value;
}

/** A transcript without what differs from run to run. */
function format(lines: readonly AcpLine[], stage: AcpStage): string {
  const text = lines.map((line) => `${JSON.stringify(line, shorten)}\n`).join("");
  const ids = new Map<string, string>();
  const numbered = (id: string): string => {
    const known = ids.get(id) ?? `00000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`;
    ids.set(id, known);
    return known;
  };
  return text
    .replaceAll(stage.lab.workspace, "/workspace")
    .replaceAll(stage.lab.home, "/home/user")
    .replaceAll(stage.lab.root, "/lab")
    .replaceAll(stage.model.url, "http://127.0.0.1:PORT")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu, numbered)
    .replaceAll(/("(?:durationMs|timestamp)":)[\d.]+/gu, "$10")
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/gu, '"2026-01-01T00:00:00.000Z"');
}

const [onlyAgent, onlyScenario] = process.argv.slice(2);
const names: readonly AcpKindName[] = ["gemini", "qwen"];
for (const agent of names.filter((name) => onlyAgent === undefined || name === onlyAgent)) {
  for (const scenario of acpScenarios) {
    if (onlyScenario !== undefined && scenario.name !== onlyScenario) continue;
    if (scenario.only !== undefined && scenario.only !== agent) continue;
    const stage = await AcpStage.open(agent);
    try {
      await scenario.run(stage, agent);
      if (scenario.isRecorded) {
        await mkdir(join(golden, agent), { recursive: true });
        await writeFile(join(golden, agent, `${scenario.name}.jsonl`), format(stage.lines, stage));
      }
      console.log(`${acpKinds[agent].profile.name}: ${scenario.name}`);
    } finally {
      for (const words of stage.reports) console.log(`  ${words}`);
      await stage.dispose();
    }
  }
}
