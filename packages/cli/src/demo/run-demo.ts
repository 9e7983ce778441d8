import { agentOf, messageOf } from "@patchbay/core";
import type { AgentDriver } from "@patchbay/testkit";
import { toOpenPlace } from "../host/open-files.ts";
import { type DemoRow, DemoStage } from "./demo-stage.ts";

const before = "Hello, wörld 👋\n";

/** Plays the whole loop with every agent in a throwaway workspace; nothing outside of it is touched. Never rejects. */
export async function runDemo(): Promise<readonly DemoRow[]> {
  const rows: DemoRow[] = [];
  const stage = new DemoStage();
  try {
    await stage.companion.start();
    stage.write("notes.md", "# Notes\n\nfirst line\nsecond line\n");
    stage.host.editors.open(toOpenPlace({ path: stage.path("notes.md"), lines: { start: 2, end: 2 } }));
    const connected: AgentDriver[] = [];
    for (const agent of stage.agents) {
      const found = await play(stage, agent, discovery);
      rows.push(found);
      // Each further step of one that has not connected would wait for what cannot come.
      if (found.happened !== found.expected) continue;
      connected.push(agent);
      const own = steps.filter(({ isEdit }) => isEdit !== true || agentOf(agent.dialect).takesEdits);
      for (const step of own) rows.push(await play(stage, agent, step));
    }
    rows.push(...(await allOnOneFile(stage, connected)));
    for (const agent of connected) rows.push(await play(stage, agent, closing));
    const left = await stage.stop();
    const happened = left.length === 0 ? "no record is left" : `left: ${left.join(", ")}`;
    rows.push({ agent: "all", step: "stop", expected: "no record is left", happened });
  } catch (error) {
    rows.push({ agent: "", step: "start", expected: "a companion that listens", happened: messageOf(error) });
  } finally {
    await stage.dispose();
  }
  return rows;
}

interface Step {
  readonly name: string;
  /** The user edits what is proposed, which not every agent takes. */
  readonly isEdit?: boolean;
  readonly expected: string;
  /** What happened, in the words of `expected` where it is the same. */
  readonly play: (stage: DemoStage, agent: AgentDriver) => Promise<string>;
}

async function play(stage: DemoStage, agent: AgentDriver, step: Step): Promise<DemoRow> {
  const happened = await step.play(stage, agent).catch(messageOf);
  return { agent: agent.agentName, step: step.name, expected: step.expected, happened };
}

const discovery: Step = {
  name: "discovery",
  expected: "connected to Patchbay, diffs offered",
  play: async (_stage, agent) => {
    await agent.connect();
    const { editorName, tools } = agent.status;
    return `connected to ${String(editorName)}, ${tools.some((name) => /^open_?diff$/iu.test(name)) ? "diffs offered" : "no diffs"}`;
  },
};

const steps: readonly Step[] = [
  {
    name: "context",
    expected: 'sees notes.md, selected "first line"',
    play: async (stage, agent) => {
      const { view } = await agent.until("the selection", ({ view: seen }) => seen?.selectedText !== undefined);
      const isNotes = view?.active === stage.path("notes.md");
      return `sees ${isNotes ? "notes.md" : String(view?.active)}, selected ${JSON.stringify(view?.selectedText)}`;
    },
  },
  {
    name: "accept",
    expected: "accepted in the editor; file has the proposal",
    play: async (stage, agent) => {
      const name = `accept-${agent.dialect}.txt`;
      const proposal = agent.propose({ path: stage.write(name, before), text: "Proposed 😀\n" });
      const review = await stage.review(agent.agentName, proposal.path);
      if (review !== undefined) stage.host.diffs.accept(review.request.id);
      const outcome = await stage.outcome(proposal);
      return `${outcome}; file has ${stage.read(name) === "Proposed 😀\n" ? "the proposal" : stage.read(name)}`;
    },
  },
  {
    name: "accept with edits",
    isEdit: true,
    expected: "accepted in the editor, with the user's edits; file has the edits",
    play: async (stage, agent) => {
      const name = `edit-${agent.dialect}.txt`;
      const proposal = agent.propose({ path: stage.write(name, before), text: "Proposed\n" });
      const review = await stage.review(agent.agentName, proposal.path);
      if (review !== undefined) {
        stage.host.diffs.edit(review.request.id, "Edited by hand 👋\n");
        stage.host.diffs.accept(review.request.id);
      }
      const outcome = await stage.outcome(proposal);
      return `${outcome}; file has ${stage.read(name) === "Edited by hand 👋\n" ? "the edits" : stage.read(name)}`;
    },
  },
  {
    name: "reject",
    expected: "rejected in the editor; file is as it was",
    play: async (stage, agent) => {
      const name = `reject-${agent.dialect}.txt`;
      const proposal = agent.propose({ path: stage.write(name, before), text: "Proposed\n" });
      const review = await stage.review(agent.agentName, proposal.path);
      if (review !== undefined) stage.host.diffs.reject(review.request.id);
      const outcome = await stage.outcome(proposal);
      return `${outcome}; file ${stage.read(name) === before ? "is as it was" : `has ${stage.read(name)}`}`;
    },
  },
  {
    name: "decide in the terminal",
    expected: "accepted in the terminal; the view is gone",
    play: async (stage, agent) => {
      const name = `terminal-${agent.dialect}.txt`;
      const proposal = agent.propose({ path: stage.write(name, before), text: "Proposed\n" });
      await stage.review(agent.agentName, proposal.path);
      await proposal.decideInTerminal("accept");
      const outcome = await stage.outcome(proposal);
      return `${outcome}; the view ${(await stage.cleared()) ? "is gone" : "is still there"}`;
    },
  },
];

const closing: Step = {
  name: "close the file",
  expected: "sees nothing",
  play: async (stage, agent) => {
    stage.host.editors.close(stage.path("notes.md"));
    const { view } = await agent.until("an empty picture", ({ view: seen }) => seen?.openFiles.length === 0);
    return view?.openFiles.length === 0 ? "sees nothing" : `sees ${view?.openFiles.join(", ")}`;
  },
};

/** Every agent proposes another text for one file; each gets its own verdict, in another order than they asked. */
async function allOnOneFile(stage: DemoStage, agents: readonly AgentDriver[]): Promise<readonly DemoRow[]> {
  const path = stage.write("shared.txt", before);
  const asked = await Promise.all(
    agents.map(async (agent) => {
      const proposal = agent.propose({ path, text: `From ${agent.agentName}\n` });
      const review = await stage.review(agent.agentName, path);
      return { agent: agent.agentName, proposal, id: review?.request.id ?? "never shown" };
    }),
  );
  const step = `${asked.length} agents, one file`;
  const [first, ...others] = asked;
  const last = others.pop();
  if (first === undefined || last === undefined) return [];
  stage.host.diffs.accept(last.id);
  stage.host.diffs.reject(first.id);
  const rows: DemoRow[] = [
    {
      agent: last.agent,
      step,
      expected: `accepted in the editor; file has "From ${last.agent}\n"`,
      happened: `${await stage.outcome(last.proposal)}; file has "${stage.read("shared.txt")}"`,
    },
    { agent: first.agent, step, expected: "rejected in the editor", happened: await stage.outcome(first.proposal) },
  ];
  for (const { agent, proposal, id } of others) {
    const waits = stage.host.diffs.find(id) === undefined ? "not asked any more" : "still asked";
    stage.host.diffs.reject(id);
    rows.push({
      agent,
      step,
      expected: "still asked meanwhile, then rejected in the editor",
      happened: `${waits} meanwhile, then ${await stage.outcome(proposal)}`,
    });
  }
  return rows;
}
