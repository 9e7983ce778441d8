import { EditorProcess } from "../editor-process.ts";
import * as ask from "../host/calls.ts";
import { Sandbox } from "../sandbox.ts";
import { DriverSoakingAgent } from "./driver-soaking-agent.ts";
import { Gate } from "./gate.ts";
import { HttpSoakingAgent } from "./http-soaking-agent.ts";
import { pause, type SoakingAgent, type SoakingAgentOptions } from "./soaking-agent.ts";
import { Tally } from "./tally.ts";
import { WebSocketSoakingAgent } from "./web-socket-soaking-agent.ts";

export interface SoakPlan {
  /** Diffs of all agents together. */
  readonly diffs: number;
  /** Agents at once. */
  readonly agents: number;
  readonly cutShare: number;
  /** The user takes up to so long, milliseconds. */
  readonly thinkMs: number;
  /** Reloads of the editor, spread over the run. */
  readonly reloads: number;
  readonly progress?: (line: string) => void;
}

export interface SoakResult {
  readonly tally: Tally;
  readonly kinds: string;
  readonly seconds: number;
  /** Growth of the companion's memory from a quarter of the run to its end, bytes. */
  readonly growth: number;
  readonly faults: readonly string[];
  /** Open proposals whose agent could still be told. */
  readonly leftProposals: number;
  /**
   * What a reload took from agents whose answer dies with its connection: only their terminals can answer these, and what was typed
   * stays until they have (`ProposalInfo.state`).
   */
  readonly leftToTerminals: { readonly edited: number; readonly untouched: number };
}

/** What an editor says of its absence, ms; after three times that, agents are told that nobody decides any more. */
const comeBackMs = 3_000;

/** The SDK's client takes more than a second to come back after each cut, so it proposes less often. */
const driverShare = 0.02;

/** Wears one companion out with many agents and says what got lost. */
export async function runSoak(plan: SoakPlan): Promise<SoakResult> {
  const sandbox = new Sandbox();
  const editor = await EditorProcess.spawn(sandbox);
  const agents: SoakingAgent[] = [];
  const startedAt = performance.now();
  try {
    await editor.start();
    await editor.call(ask.decide, { how: "as-told", delayMs: plan.thinkMs });
    const tally = new Tally();
    const gate = new Gate();
    for (let number = 0; number < plan.agents; number += 1) {
      const { cutShare, thinkMs } = plan;
      agents.push(await connect({ number, editor, gate, tally, cutShare, thinkMs }, plan.agents));
    }
    const weights: number[] = [];
    const care = lookAfter(editor, gate, tally, plan, weights);
    await Promise.all(agents.map((agent) => agent.run(diffsOf(agent, agents, plan.diffs))));
    care.end();
    await care.ended;
    // Until the last outcome counts as delivered.
    await pause(1_500);
    const end = await weigh(editor);
    const left = (await editor.call(ask.proposals)).filter(({ state }) => state !== "kept" && state !== "away");
    const toTerminals = left.filter(({ state }) => state === "terminal");
    const edited = toTerminals.filter((proposal) => proposal.edited).length;
    return {
      tally,
      kinds: agents.map(({ kind }) => kind).join(" "),
      seconds: (performance.now() - startedAt) / 1000,
      growth: end - (weights[0] ?? end),
      faults: await editor.call(ask.faults),
      leftProposals: left.length - toTerminals.length,
      leftToTerminals: { edited, untouched: toTerminals.length - edited },
    };
  } finally {
    for (const agent of agents) await agent.end();
    await editor.kill();
    sandbox.remove();
  }
}

function connect(options: SoakingAgentOptions, agents: number): Promise<SoakingAgent> {
  if (agents >= 4 && options.number === agents - 1) return WebSocketSoakingAgent.connect(options);
  if (agents >= 4 && options.number === agents - 2) return DriverSoakingAgent.connect(options);
  return HttpSoakingAgent.connect(options);
}

function diffsOf(agent: SoakingAgent, agents: readonly SoakingAgent[], diffs: number): number {
  const ofDriver = Math.max(1, Math.round((diffs * driverShare) / agents.length));
  const drivers = agents.filter(({ kind }) => kind === "sdk").length;
  if (agent.kind === "sdk") return ofDriver;
  return Math.ceil((diffs - drivers * ofDriver) / (agents.length - drivers));
}

/** Reloads the editor and weighs it from time to time, until it is told to end. */
function lookAfter(
  editor: EditorProcess,
  gate: Gate,
  tally: Tally,
  plan: SoakPlan,
  weights: number[],
): { readonly ended: Promise<void>; end(): void } {
  let isOver = false;
  const run = async (): Promise<void> => {
    let nextReload = 1;
    let told = 0;
    while (!isOver) {
      await pause(100);
      await editor.call(ask.forgetViews);
      const share = tally.diffs / plan.diffs;
      if (nextReload <= plan.reloads && share >= nextReload / (plan.reloads + 1)) {
        nextReload += 1;
        await reload(editor, gate, plan);
        tally.reloads += 1;
      }
      if (share >= 0.25 && weights.length === 0) weights.push(await weigh(editor));
      if (Math.floor(share * 10) > told) {
        told = Math.floor(share * 10);
        plan.progress?.(
          `${plan.agents} agents: ${tally.diffs} diffs, ${tally.cuts} cuts, ${tally.findings.length} findings`,
        );
      }
    }
  };
  return {
    ended: run(),
    end: () => {
      isOver = true;
    },
  };
}

/** With diffs open and nobody in the middle of a question: the editor goes away and comes back as another process would. */
async function reload(editor: EditorProcess, gate: Gate, plan: SoakPlan): Promise<void> {
  await gate.close();
  await editor.call(ask.stop, { reload: true, comeBackMs });
  await editor.start();
  await editor.call(ask.decide, { how: "as-told", delayMs: plan.thinkMs });
  gate.open();
}

async function weigh(editor: EditorProcess): Promise<number> {
  await editor.call(ask.forgetViews);
  return (await editor.call(ask.weigh)).total;
}
