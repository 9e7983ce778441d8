import { writeCodexSettings } from "../agents/codex.ts";
import { manageHook } from "../agents/agent.ts";
import type { Place, Situation, SlowStep } from "./place.ts";

interface Settings {
  readonly own?: readonly string[];
  readonly isServed?: boolean;
  /** Whether its hook is installed, and trusted. */
  readonly hook?: "trusted" | "untrusted";
}

function settings({ own = [], isServed = true, hook }: Settings): SlowStep {
  return async ({ home, folder: workspace, environment: env, modelUrl }: Place) => {
    if (hook !== undefined) await manageHook({ workspace, env }, "codex", "install");
    await writeCodexSettings({ home, workspace }, { modelUrl, isServed, own, trustsHooks: hook === "trusted" });
  };
}

type Outcome = Pick<Situation, "does" | "says">;
const isReviewed: Outcome = { does: "connects", says: "connects" };
const isMissed: Outcome = { does: "stays away", says: "hook-not-installed" };
const neverAsks: Outcome = { does: "stays away", says: "never-asks" };

const readOnly = 'sandbox_mode = "read-only"';
const rows: readonly (readonly [title: string, made: Settings, outcome: Outcome])[] = [
  ["no setting", {}, isMissed],
  ["a read-only sandbox", { own: [readOnly] }, isReviewed],
  ["a read-only sandbox, and a policy that asks", { own: [readOnly, 'approval_policy = "on-request"'] }, isReviewed],
  ["a read-only sandbox, and a policy that never asks", { own: [readOnly, 'approval_policy = "never"'] }, isMissed],
  ["a policy that never asks", { own: ["approval_policy = 'never'"] }, neverAsks],
  ["a sandbox in which it writes", { own: ['sandbox_mode = "workspace-write" # as usual'] }, neverAsks],
  ["no service", { own: [readOnly], isServed: false }, { does: "stays away", says: "service-off" }],
  ["a hook that is not trusted", { hook: "untrusted" }, { does: "stays away", says: "hook-untrusted" }],
  ["a hook", { hook: "trusted" }, { does: "connects", says: "hook-installed" }],
];

/** Whether what Codex CLI writes is reviewed in an editor, by its service or its hook. */
export const codexSituations: readonly Situation[] = rows.map(([title, made, outcome]) => ({
  title: `codex: ${title}`,
  agent: "codex",
  make: settings(made),
  ...outcome,
}));
