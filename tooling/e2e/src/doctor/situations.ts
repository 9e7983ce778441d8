import { claudeSituations } from "./claude-situations.ts";
import { codexSituations } from "./codex-situations.ts";
import { geminiSituations } from "./gemini-situations.ts";
import { opencodeSituations } from "./opencode-situations.ts";
import type { Situation } from "./place.ts";
import { qwenSituations } from "./qwen-situations.ts";
import { slowSituations } from "./slow-situations.ts";

/** Everything that the doctor and the real agents are made to meet. */
export const situations: readonly Situation[] = [
  ...geminiSituations,
  ...claudeSituations,
  ...qwenSituations,
  ...opencodeSituations,
  ...codexSituations,
  ...slowSituations,
];
