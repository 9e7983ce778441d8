import type { AgentId } from "@patchbay/core";
import { portWithExponent, type Situation, variable } from "./place.ts";

const patient: readonly AgentId[] = ["gemini", "qwen", "claude", "opencode", "kilo"];

/** An editor that is merely slow: agents wait for it, and the doctor must not say that it hangs. */
export const slowSituations: readonly Situation[] = patient.map((agent) => ({
  title: `${agent}: an editor that answers late`,
  agent,
  make: variable("CLAUDE_CODE_SSE_PORT", portWithExponent),
  isSlow: true,
  does: "connects",
  says: "editor-slow",
}));
