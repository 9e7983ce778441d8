import { isRight, meet } from "./doctor/meet.ts";
import { situations } from "./doctor/situations.ts";
import { ensurePrerequisites } from "./prerequisites/prerequisites.ts";

// What the doctor says must be what the agents do. Without arguments all situations, else those whose title holds one of them.
const words = process.argv.slice(2);
const chosen = situations.filter(({ title }) => words.length === 0 || words.some((word) => title.includes(word)));
const programs = ["gemini", "qwen", "qwen-old", "qwen-reading-records", "claude", "claude-old", "opencode", "kilo"];
await ensurePrerequisites([...programs, "claude-reading-exponents"], (line) => console.log(line));
let right = 0;
for (const situation of chosen) {
  const said = await meet(situation);
  const isSo = isRight(situation, said);
  if (isSo) right += 1;
  const { doctor, agent, findings } = said;
  console.log(
    `${isSo ? "ok " : "NOT"} ${situation.title}: doctor "${doctor}", agent "${agent}" ${findings.join(", ")}`,
  );
}
console.log(`${right} of ${chosen.length} situations: what the doctor says is what the agent does`);
process.exitCode = chosen.length > 0 && right === chosen.length ? 0 : 1;
