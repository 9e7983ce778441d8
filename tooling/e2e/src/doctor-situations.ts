import { isRight, meet } from "./doctor/meet.ts";
import type { Situation } from "./doctor/place.ts";
import { situations } from "./doctor/situations.ts";
import { ensurePrerequisites } from "./prerequisites/prerequisites.ts";
import { countLanes, inLanes, thisMachine } from "./runner/lanes.ts";

// What the doctor says must be what the agents do. Without arguments all situations, else those whose title holds one of them.
const words = process.argv.slice(2);
const chosen = situations.filter(({ title }) => words.length === 0 || words.some((word) => title.includes(word)));
const programs = [
  "gemini",
  "qwen",
  "qwen-old",
  "qwen-reading-records",
  "claude",
  "claude-old",
  "opencode",
  "kilo",
  "codex",
];
await ensurePrerequisites([...programs, "claude-reading-exponents"], (line) => console.log(line));
let right = 0;
// They mostly wait. Where the time counts that an editor takes to answer, there is one at a time.
const lanes = countLanes(process.env["PATCHBAY_E2E_LANES"], thisMachine());
await inLanes(
  lanes,
  chosen.filter(({ isSlow }) => isSlow !== true),
  show,
);
await inLanes(
  1,
  chosen.filter(({ isSlow }) => isSlow === true),
  show,
);
console.log(`${right} of ${chosen.length} situations: what the doctor says is what the agent does`);
process.exitCode = chosen.length > 0 && right === chosen.length ? 0 : 1;

async function show(situation: Situation): Promise<void> {
  const said = await meet(situation);
  const isSo = isRight(situation, said);
  if (isSo) right += 1;
  const { doctor, agent, findings } = said;
  console.log(
    `${isSo ? "ok " : "NOT"} ${situation.title}: doctor "${doctor}", agent "${agent}" ${findings.join(", ")}`,
  );
}
