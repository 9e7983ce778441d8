import { changeOf, type WritingRules } from "../gemini-family/hook-changes.ts";
import { type AgentHook, argumentsOf, sourceOf, textOf } from "../hook.ts";

/** Gemini CLI's tools, as seen with 0.61.0. */
const rules: WritingRules = {
  editTool: "replace",
  forAll: "allow_multiple",
  keepsMark: false,
  keepsFinalEnd: true,
  emptyTakesLine: false,
  takesArguments: true,
};

/** Gemini CLI's hooks: docs/protocols/gemini.md, "Hooks". It does not say in which mode it is. */
export const geminiHook: AgentHook = {
  read: (event) => {
    const source = sourceOf(event);
    if (source === undefined) return undefined;
    switch (textOf(event, "hook_event_name")) {
      case "SessionStart":
        return { ...source, kind: "session-began" };
      case "SessionEnd":
        return { ...source, kind: "session-ended" };
      case "BeforeAgent":
        return { ...source, kind: "turn-began", prompt: textOf(event, "prompt") ?? "" };
      case "AfterAgent":
        return { ...source, kind: "turn-ended" };
      case "BeforeTool": {
        const change = changeOf(textOf(event, "tool_name"), argumentsOf(event), rules);
        return change === undefined ? undefined : { ...source, kind: "write", asks: undefined, changes: [change] };
      }
      default:
        return undefined;
    }
  },
  encode: (verdict) => {
    switch (verdict.kind) {
      case "allow":
        return JSON.stringify({ decision: "allow" });
      case "allow-changed":
        return JSON.stringify({
          decision: "allow",
          hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: verdict.arguments },
        });
      case "deny":
        return JSON.stringify({ decision: "deny", reason: verdict.reason });
    }
  },
};
