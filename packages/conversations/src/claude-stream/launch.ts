import type { SessionStart } from "../driver.ts";
import type { Environment } from "../process/children.ts";

/** Variables of the session's process. */
export const sessionEnvironment: Environment = {
  CLAUDE_CODE_ENTRYPOINT: "patchbay",
  // Without it there is no way back (`rewind_files`).
  CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true",
};

/** What Claude Code is started with. `newId` is the id of a session that is not one of its own. */
export function argumentsFor(start: SessionStart, newId: string, mode: string): readonly string[] {
  return [
    "--output-format",
    "stream-json",
    "--input-format",
    "stream-json",
    "--verbose",
    "--permission-prompt-tool",
    "stdio",
    "--include-partial-messages",
    "--setting-sources",
    "user,project,local",
    // Always: out of the box it is one that does not ask.
    "--permission-mode",
    mode,
    ...sessionArguments(start, newId),
  ];
}

function sessionArguments(start: SessionStart, newId: string): readonly string[] {
  switch (start.kind) {
    case "new":
      return ["--session-id", newId];
    case "resume":
      return ["--resume", start.sessionId];
    case "fork":
      return [
        "--resume",
        start.sessionId,
        "--fork-session",
        ...(start.upTo === undefined ? [] : ["--resume-session-at", start.upTo]),
      ];
  }
}
