import type { EditorProcess } from "../editor-process.ts";
import type { Gate } from "./gate.ts";
import type { Tally } from "./tally.ts";

export interface SoakingAgentOptions {
  readonly number: number;
  readonly editor: EditorProcess;
  readonly gate: Gate;
  readonly tally: Tally;
  /** Share of the diffs during which the stream is cut. */
  readonly cutShare: number;
  /** The user takes up to so long for a decision, milliseconds. */
  readonly thinkMs: number;
}

/** One agent that proposes, is cut off now and then, and checks what it is told. */
export interface SoakingAgent {
  readonly kind: string;
  run(diffs: number): Promise<void>;
  end(): Promise<void>;
}

/** How long an outcome may take before it counts as lost, ms. */
export const patienceMs = 20_000;

const verdicts = ["accept", "reject", "edit"] as const;

/** A proposal that says itself what the user is to do with it, and whose it is. */
export interface Sample {
  readonly path: string;
  readonly text: string;
  readonly verdict: (typeof verdicts)[number];
  /** What an accept must bring; undefined for a reject. */
  readonly expected: string | undefined;
  readonly mark: string;
}

const tails = ["\n", "\r\n", " 😀é\n", "", "\n\n", "\u2028x\n"];

/** All agents propose for the same few files, so that anything that goes by the path alone goes wrong. */
export function makeSample(editor: EditorProcess, agent: number, diff: number): Sample {
  const verdict = verdicts[diff % verdicts.length] ?? "accept";
  const mark = `agent-${agent} diff-${diff}.`;
  const tail = tails[(diff + agent) % tails.length] ?? "\n";
  const text = `${verdict} ${mark}${tail}`;
  // An editor's document has one kind of line end: what the user types takes that of the proposal.
  const edited = `${text}edited${tail.includes("\r") ? "\r\n" : "\n"}`;
  return {
    path: editor.sandbox.file(`shared-${diff % 5}.txt`),
    text,
    verdict,
    mark,
    expected: verdict === "reject" ? undefined : verdict === "edit" ? edited : text,
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
