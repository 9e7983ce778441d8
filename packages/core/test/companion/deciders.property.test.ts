import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentProposal, createGeminiDriver, createQwenDriver, type MemoryDiffView } from "@patchbay/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Review } from "../../src/companion.ts";
import type { DiffOutcome } from "../../src/diff/model.ts";
import { createHookLab, type HookLab, readClaude } from "../hooks/hook-lab.ts";

/** Who asks: a hook, a conversation, and two agents in terminals, over real sockets. */
const askers = ["hook", "conversation", "gemini", "qwen"] as const;
type Asker = (typeof askers)[number];

/** Everybody and everything that may decide about one proposal. */
const deciders = [
  "view accept",
  "view reject",
  "view close",
  "command accept",
  "command reject",
  "accept all",
  "hunks accept",
  "hunks reject",
  "hunk undo",
  "asker accept",
  "asker reject",
  "hold",
  "type",
  "disk",
] as const;

interface Move {
  readonly asker: Asker;
  readonly decider: (typeof deciders)[number];
  /** How far the machine gets before the next move. */
  readonly gap: 0 | 1 | 2 | 3;
}

const move: fc.Arbitrary<Move> = fc.record({
  asker: fc.constantFrom(...askers),
  decider: fc.constantFrom(...deciders),
  gap: fc.constantFrom(0, 0, 0, 1, 2, 3),
});

const before = "one\ntwo\nthree\nfour\nfive\n";
const proposed = "ONE\ntwo\nthree\nfour\nFIVE\n";

/** One proposal, and what was said of it to whom. */
class Question {
  readonly path: string;
  readonly asker: Asker;
  id = "";
  view: MemoryDiffView | undefined;
  review: Review | undefined;
  agent: AgentProposal | undefined;
  /** How it ended for whoever asked; more than one is a fault. */
  readonly ended: ("accepted" | "rejected" | "other")[] = [];
  /** What those were told who decided and heard that they did. */
  readonly told: ("accepted" | "rejected")[] = [];
  /** Resolves with the end. */
  end: Promise<void> = Promise.resolve();
  isTyped = false;

  constructor(asker: Asker, path: string) {
    this.asker = asker;
    this.path = path;
  }
}

async function pass(gap: Move["gap"]): Promise<void> {
  if (gap === 1) await Promise.resolve();
  else if (gap === 2) await new Promise<void>((resolve) => setImmediate(resolve));
  else if (gap === 3)
    for (let round = 0; round < 6; round += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

async function ask(lab: HookLab, asker: Asker): Promise<Question> {
  const { companion, editor, platform } = lab;
  const path = join(platform.workspace, `${asker}.txt`);
  writeFileSync(path, before);
  const question = new Question(asker, path);
  const end = (outcome: "accepted" | "rejected" | "other"): void => void question.ended.push(outcome);
  const isOwn = ({ request }: MemoryDiffView): boolean => request.path === path;
  switch (asker) {
    case "hook":
      question.end = lab
        .ask("claude", { tool: "Write", mode: "acceptEdits", input: { file_path: path, content: proposed } })
        .then((output) => {
          if (output === undefined) end("other");
          else end(readClaude(output).permissionDecision === "allow" ? "accepted" : "rejected");
        });
      break;
    case "conversation": {
      const conversation = { id: "c1", agent: "gemini", agentName: "Gemini CLI" };
      const review = await companion.review({ conversation, path, text: proposed, isEditable: true });
      question.review = review;
      question.end = review.outcome.then((outcome: DiffOutcome) => {
        end(outcome.kind === "accepted" || outcome.kind === "rejected" ? outcome.kind : "other");
        if (outcome.kind === "accepted") writeFileSync(path, outcome.text);
      });
      break;
    }
    case "gemini":
    case "qwen": {
      const agent = await lab.agent(asker === "gemini" ? createGeminiDriver : createQwenDriver);
      const proposal = agent.propose({ path, text: proposed });
      await proposal.asked;
      question.agent = proposal;
      question.end = proposal.outcome.then(({ kind }) =>
        end(kind === "accepted" || kind === "rejected" ? kind : "other"),
      );
    }
  }
  question.view = await editor.nextView(isOwn);
  question.id = question.view.request.id;
  return question;
}

/** Does one move, and notes what whoever made it was told. */
async function decide({ companion }: HookLab, question: Question, { decider }: Move): Promise<void> {
  const { id, view, review, agent, told } = question;
  const note = (isDone: boolean, what: "accepted" | "rejected"): void => void (isDone && told.push(what));
  switch (decider) {
    case "view accept":
      return view?.accept();
    case "view reject":
      return view?.reject();
    case "view close":
      return view?.closeByUser();
    case "command accept":
      return note(await companion.accept(id), "accepted");
    case "command reject":
      return note(await companion.reject(id), "rejected");
    case "accept all": {
      const wasOpen = companion.proposals.some((one) => one.id === id && !one.isHeld);
      const left = await companion.acceptAll();
      // What is neither left nor decided otherwise was accepted.
      if (wasOpen && left.includes(id)) expect(companion.proposals.some((one) => one.id === id)).toBe(true);
      return;
    }
    case "hunks accept":
    case "hunks reject": {
      const verdict = decider === "hunks accept" ? "accept" : "reject";
      for (let count = 0; count < 3; count += 1) {
        const { kind } = await companion.decideHunk(id, verdict, 0);
        if (kind !== "decided") return;
      }
      return;
    }
    case "hunk undo":
      await companion.undoHunk(id);
      return;
    case "asker accept":
    case "asker reject": {
      const verdict = decider === "asker accept" ? "accept" : "reject";
      if (review !== undefined) note(await review[verdict](), verdict === "accept" ? "accepted" : "rejected");
      else if (agent !== undefined) void agent.decideInTerminal(verdict);
      return;
    }
    case "hold":
      await companion.hold(id);
      return;
    case "type":
      question.isTyped = true;
      view?.type(`${view.text}typed\n`);
      return;
    case "disk":
      writeFileSync(question.path, `${readFileSync(question.path, "utf8")}other\n`);
  }
}

it("of one change agree on one outcome, whoever decides at once", { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 3, maxLength: 14 }), async (moves) => {
      const lab = await createHookLab(before);
      const questions: Question[] = [];
      for (const asker of askers) questions.push(await ask(lab, asker));
      const running: Promise<void>[] = [];
      for (const one of moves) {
        const question = questions.find(({ asker }) => asker === one.asker);
        if (question === undefined) continue;
        running.push(decide(lab, question, one));
        await pass(one.gap);
      }
      await Promise.all(running);
      // What nobody has decided is decided now.
      for (const { id } of questions) await lab.companion.reject(id);
      for (const { agent } of questions) void agent?.decideInTerminal("reject");
      for (const question of questions) {
        await question.end;
        expect([question.asker, question.ended.length]).toEqual([question.asker, 1]);
        const [outcome] = question.ended;
        // Nobody was told that their verdict counts which does not.
        expect([question.asker, question.told, outcome]).toEqual([
          question.asker,
          question.told.filter((told) => told === outcome),
          outcome,
        ]);
        expect(question.told.length).toBeLessThanOrEqual(1);
        const text = readFileSync(question.path, "utf8");
        // A hook's agent writes by itself, and there is none here.
        const isWritten = text.includes("ONE") || text.includes("FIVE");
        if (outcome !== "accepted" || question.asker === "hook") expect(isWritten).toBe(false);
      }
      await lab.companion.stop();
    }),
    { numRuns: Number(process.env["RUNS"] ?? 40) },
  );
});
