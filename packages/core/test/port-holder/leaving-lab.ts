import { agentTokens } from "../../src/storage/endpoint-identity.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentDriver, type AgentProposal, type TestPlatform } from "@patchbay/testkit";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { endPortHolders } from "./holders.ts";
import { createWorkspaceLab, type EditorRun, portOf, type WorkspaceLab } from "../workspace-lab.ts";

/** Short for a test, long enough for a process to start on a busy machine: an idle agent tries only once. */
export const comeBackMs = 1_500;

export const sessionOf = (driver: AgentDriver): string =>
  "sessionId" in driver && typeof driver.sessionId === "string" ? driver.sessionId : "";

interface KeptSecrets {
  readonly secret: string;
  readonly sessionKey: string;
}

const secrets: z.ZodType<KeptSecrets> = z.object({ secret: z.string(), sessionKey: z.string() });

/** What a run keeps for the next one, once it is written, and Gemini CLI's token of it. */
export async function keptSecrets(platform: TestPlatform): Promise<KeptSecrets & { readonly token: string }> {
  const file = join(platform.root, "storage", "endpoint.json");
  await expect.poll(() => existsSync(file)).toBe(true);
  const kept = secrets.parse(JSON.parse(readFileSync(file, "utf8")));
  return { ...kept, token: agentTokens(kept, ["gemini"], platform.random)["gemini"] ?? "" };
}

export interface Waiting extends WorkspaceLab {
  readonly first: EditorRun;
  readonly driver: AgentDriver;
  readonly proposal: AgentProposal;
  readonly port: number;
}

/** A companion that has gone with `reload` while an agent waits for a verdict. */
export async function leave(typed?: string): Promise<Waiting> {
  const setup = createWorkspaceLab();
  const first = setup.build();
  await first.companion.start();
  const driver = await setup.agent();
  await driver.until("the first context", (status) => status.contexts > 0);
  const proposal = driver.propose({ path: setup.file, text: "one\n2\n" });
  const view = await first.editor.nextView();
  await proposal.asked;
  if (typed !== undefined) view.type(typed);
  const port = portOf(first.companion);
  await first.companion.stop({ reload: true, comeBackMs });
  onTestFinished(endPortHolders);
  return { ...setup, first, driver, proposal, port };
}
