import { joinPath } from "../../storage/private-directory.ts";
import { type HookSettings, hookPatienceSeconds } from "../hook-settings.ts";
import { chosenDirectory, inFolder } from "../settings.ts";
import { changeOf, commandOf, commandTool, type WritingRules } from "../gemini-family/hook-changes.ts";
import { type AgentHook, argumentsOf, sourceOf, textOf } from "../hook.ts";

/** Qwen Code's tools, as seen with 0.24.4. */
const rules: WritingRules = {
  editTool: "edit",
  forAll: "replace_all",
  keepsMark: true,
  keepsFinalEnd: false,
  emptyTakesLine: true,
  // Whatever a hook says, its tools are run with the model's own.
  takesArguments: false,
};

/** Members of the family count in milliseconds. */
const patienceMs = hookPatienceSeconds * 1_000;
const turnMs = 10_000;

const settings: HookSettings = {
  file: (place, scope) => {
    const { platform } = place;
    const [shared] = inFolder(place, ".qwen", "settings.json");
    if (scope === "project" && shared !== undefined) return shared;
    const chosen = chosenDirectory(place, "QWEN_HOME");
    const directory = chosen ?? joinPath(platform, platform.process.homeDirectory, ".qwen");
    return joinPath(platform, directory, "settings.json");
  },
  entries: [
    { event: "PreToolUse", matcher: "write_file|edit", commandTool, timeout: patienceMs },
    { event: "UserPromptSubmit", timeout: turnMs },
    { event: "Stop", timeout: turnMs },
    { event: "SessionStart", timeout: turnMs },
    { event: "SessionEnd", timeout: turnMs },
  ],
  isStrict: false,
  consent: "Qwen Code runs hooks of a folder's settings only in folders that you trust.",
};

/** Qwen Code's hooks: docs/protocols/qwen.md, "Hooks". */
export const qwenHook: AgentHook = {
  settings,
  read: (event) => {
    const source = sourceOf(event);
    if (source === undefined) return undefined;
    switch (textOf(event, "hook_event_name")) {
      case "SessionStart":
        return { ...source, kind: "session-began" };
      case "SessionEnd":
        return { ...source, kind: "session-ended" };
      case "UserPromptSubmit":
        // Said before every request to the model, with an empty prompt but for the first one.
        return { ...source, kind: "turn-began", prompt: textOf(event, "prompt") ?? "" };
      case "Stop":
        return { ...source, kind: "turn-ended" };
      case "PreToolUse": {
        const asks = textOf(event, "permission_mode") === "default";
        const command = commandOf(event);
        // The hook runs after the agent's own question.
        if (command !== undefined) return { ...source, kind: "command", asks, ...command };
        const change = changeOf(textOf(event, "tool_name"), argumentsOf(event), rules);
        return change === undefined ? undefined : { ...source, kind: "write", asks, changes: [change] };
      }
      default:
        return undefined;
    }
  },
  encode: (verdict) =>
    JSON.stringify({
      hookSpecificOutput:
        verdict.kind === "told"
          ? { hookEventName: "UserPromptSubmit", additionalContext: verdict.note }
          : {
              hookEventName: "PreToolUse",
              permissionDecision: verdict.kind === "deny" ? "deny" : "allow",
              ...(verdict.kind === "deny" ? { permissionDecisionReason: verdict.reason } : {}),
            },
    }),
};
