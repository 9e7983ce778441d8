import { joinPath } from "../../storage/private-directory.ts";
import { type HookSettings, hookPatienceSeconds } from "../hook-settings.ts";
import { chosenDirectory, inFolder } from "../settings.ts";
import { changeOf, commandOf, commandTool, type WritingRules } from "../gemini-family/hook-changes.ts";
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

/** Members of the family count in milliseconds. */
const patienceMs = hookPatienceSeconds * 1_000;
const turnMs = 10_000;

const settings: HookSettings = {
  file: (place, scope) => {
    const { platform } = place;
    const [shared] = inFolder(place, ".gemini", "settings.json");
    if (scope === "project" && shared !== undefined) return shared;
    // The variable names what takes the place of the home, not of the directory in it.
    const home = chosenDirectory(place, "GEMINI_CLI_HOME") ?? platform.process.homeDirectory;
    return joinPath(platform, joinPath(platform, home, ".gemini"), "settings.json");
  },
  entries: [
    { event: "BeforeTool", matcher: "write_file|replace", commandTool, timeout: patienceMs },
    { event: "BeforeAgent", timeout: turnMs },
    { event: "AfterAgent", timeout: turnMs },
    { event: "SessionStart", timeout: turnMs },
    { event: "SessionEnd", timeout: turnMs },
  ],
  isStrict: false,
  consent: "Gemini CLI runs hooks of a folder's settings only in folders that you trust.",
};

/** Gemini CLI's hooks: docs/protocols/gemini.md, "Hooks". It does not say in which mode it is. */
export const geminiHook: AgentHook = {
  settings,
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
        const command = commandOf(event);
        // In the modes in which it asks it does so all the same, but it does not say in which it is.
        if (command !== undefined) return { ...source, kind: "command", asks: false, ...command };
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
      case "told":
        return JSON.stringify({
          hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: verdict.note },
        });
    }
  },
};
