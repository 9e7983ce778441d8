import { join } from "node:path";
import { type Platform, readAgentSettings } from "@patchbay/core";
import { agentNames } from "../records/agent-places.ts";
import { readRecords } from "../records/read-records.ts";
import { findRunningEditors } from "../records/running-editors.ts";
import { checkEditors } from "./check-editors.ts";
import { checkEnvironment } from "./check-environment.ts";
import { checkPlaces } from "./check-places.ts";
import { checkAsking, checkConnecting, checkContainer } from "./check-settings.ts";
import { quoteWord } from "../terminal/quote-word.ts";
import type { Finding } from "./finding.ts";

const order = { problem: 0, warning: 1, ok: 2 } as const;

/** Everything the doctor finds for agents started in a folder from this terminal, the worst first. Changes nothing. */
export async function examine(platform: Platform, folder: string): Promise<readonly Finding[]> {
  const places = await readRecords(platform);
  const editors = await findRunningEditors(platform, places);
  const settings = await readAgentSettings(platform, folder);
  const findings = [
    ...(await checkEditors(platform, editors, folder)),
    ...checkPlaces(platform, places, editors),
    ...(await checkTemporaryDirectory(platform)),
    ...checkEnvironment(platform, editors),
    ...checkContainer(settings),
    ...checkConnecting(settings),
    ...checkAsking(settings),
  ];
  return findings.sort((a, b) => order[a.level] - order[b.level]);
}

/** An editor and an agent with different temporary directories never meet. */
async function checkTemporaryDirectory(platform: Platform): Promise<readonly Finding[]> {
  const { temporaryDirectory, platform: system } = platform.process;
  if (system === "win32" || temporaryDirectory === "/tmp") return [];
  const directory = join("/tmp", "gemini", "ide");
  const elsewhere = await readRecords(platform, [
    { agent: "gemini", directory, pattern: /^gemini-ide-server-\d+-\d+\.json$/u },
  ]);
  const editors = await findRunningEditors(platform, elsewhere);
  const running = editors.find((editor) => editor.answers);
  if (running === undefined) return [];
  const text = `${running.name} offers itself in ${directory}, but this terminal's TMPDIR is ${temporaryDirectory}, where ${agentNames.gemini} looks.`;
  return [{ level: "problem", agent: "gemini", text, fix: `unset TMPDIR   # or: export TMPDIR=${quoteWord("/tmp")}` }];
}
