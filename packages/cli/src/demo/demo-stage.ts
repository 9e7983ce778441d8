import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agents, type Companion, createCompanion, displayWidth } from "@patchbay/core";
import {
  type AgentDriver,
  type AgentOutcome,
  type AgentProposal,
  createAgentDriver,
  createTestPlatform,
  type TestPlatform,
} from "@patchbay/testkit";
import { HeadlessHost } from "../host/headless-host.ts";
import type { Review } from "../host/review-queue.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import { formatTable, wrapText } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";

/** Everything the demonstration needs, in a folder that is thrown away: a workspace, a companion, and every agent. */
export class DemoStage {
  readonly platform: TestPlatform;
  readonly host: HeadlessHost;
  readonly companion: Companion;
  readonly agents: readonly AgentDriver[];

  constructor() {
    this.platform = createTestPlatform();
    this.host = new HeadlessHost({
      folder: this.platform.workspace,
      storageDirectory: join(this.platform.root, "state"),
      ask: async () => undefined,
    });
    this.companion = createCompanion({ host: this.host, platform: this.platform });
    const where = {
      cwd: this.platform.workspace,
      home: this.platform.home,
      temporaryDirectory: this.platform.tmp,
    };
    // What has no protocol for editors has no client to play, and of what wants context only there is nothing to be reviewed.
    const played = agents.filter(({ transport, contextOnly }) => transport !== "hook" && contextOnly !== true);
    this.agents = played.map(({ id }) => createAgentDriver(id, where));
  }

  path(name: string): string {
    return join(this.platform.workspace, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  read(name: string): string {
    return existsSync(this.path(name)) ? readFileSync(this.path(name), "utf8") : "no file";
  }

  /** The waiting proposal of an agent for a file, as soon as it is shown; undefined after ten seconds. */
  async review(agentName: string, path: string): Promise<Review | undefined> {
    const find = (): Review | undefined =>
      this.host.diffs.waiting.find(({ request }) => request.agentName === agentName && request.path === path);
    return await this.#wait(find);
  }

  /** Resolves when nothing waits for a verdict; says whether that came to be. */
  async cleared(): Promise<boolean> {
    return (await this.#wait(() => (this.host.diffs.waiting.length === 0 ? true : undefined))) === true;
  }

  /** How a proposal ended, as one phrase; a silence of ten seconds is an end too. */
  async outcome(proposal: AgentProposal): Promise<string> {
    return await within(proposal.outcome.then(describeOutcome), "no answer");
  }

  /** Ends agents and companion; resolves with the records that are left where agents look. */
  async stop(): Promise<readonly string[]> {
    await Promise.all(this.agents.map(async (agent) => await agent.end()));
    await this.companion.stop();
    const { home, tmp } = this.platform;
    return [home, tmp].flatMap((directory) =>
      readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => /\.(lock|json)$/u.test(name)),
    );
  }

  async dispose(): Promise<void> {
    await this.stop();
    this.platform.dispose();
  }

  async #wait<T>(find: () => T | undefined): Promise<T | undefined> {
    const found = find();
    if (found !== undefined) return found;
    const changed = new Promise<T>((resolve) => {
      const subscription = this.host.diffs.onDidChange(() => {
        const now = find();
        if (now === undefined) return;
        subscription.dispose();
        resolve(now);
      });
    });
    return await within<T | undefined>(changed, undefined);
  }
}

const patienceMs = 10_000;

async function within<T>(promise: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), patienceMs);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function describeOutcome(outcome: AgentOutcome): string {
  switch (outcome.kind) {
    case "accepted":
      return `accepted in the ${outcome.by}${outcome.userModified ? ", with the user's edits" : ""}`;
    case "rejected":
      return `rejected in the ${outcome.by}`;
    case "failed":
      return `failed: ${outcome.message}`;
    case "lost":
      return "lost";
  }
}

/** One thing that was tried. */
export interface DemoRow {
  readonly agent: string;
  readonly step: string;
  readonly expected: string;
  readonly happened: string;
}

export function isAsExpected(row: DemoRow): boolean {
  return row.expected === row.happened;
}

/** The rows as a table, or where that is wider than `columns` as sentences, and a line that counts them. */
export function formatDemo(rows: readonly DemoRow[], paint: Paint, columns?: number): readonly string[] {
  const cells = rows.map((row) => [
    row.agent,
    row.step,
    escapeLine(row.expected),
    escapeLine(row.happened),
    isAsExpected(row) ? paint.good("ok") : paint.bad("DIFFERS"),
  ]);
  const good = rows.filter(isAsExpected).length;
  const count = `${good} of ${rows.length} as expected`;
  const table = formatTable(["agent", "step", "expected", "happened", ""], cells);
  const fits = columns === undefined || table.every((line) => displayWidth(line) <= columns);
  const sentences = cells.map(([agent = "", step = "", expected = "", happened = "", mark = ""]) => {
    const wanted = happened === expected ? "" : ` (expected: ${expected})`;
    return wrapText(`${mark}  ${agent}, ${step}: ${happened}${wanted}`, columns);
  });
  return [...(fits ? table : sentences), "", good === rows.length ? paint.good(count) : paint.bad(count)];
}
