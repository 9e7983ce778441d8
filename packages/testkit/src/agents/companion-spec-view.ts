import type { AgentView } from "./agent-driver.ts";
import type { ContextUpdate } from "./companion-spec-notifications.ts";

const keptFiles = 10;
const keptUnits = 16_384;

/** What the client makes of an update: newest first, only the newest is active and only if it says so, ten files, a cut selection. */
export function toAgentView(update: ContextUpdate): AgentView {
  const files = Array.from(update.workspaceState?.openFiles ?? [])
    .sort((a, b) => b.timestamp - a.timestamp)
    .slice(0, keptFiles);
  const newest = files[0];
  const active = newest?.isActive === true ? newest : undefined;
  const trusted = update.workspaceState?.isTrusted;
  return {
    openFiles: files.map((file) => file.path),
    ...(active === undefined ? {} : { active: active.path }),
    ...(active?.cursor === undefined
      ? {}
      : { cursor: { line: active.cursor.line - 1, character: active.cursor.character - 1 } }),
    ...(active?.selectedText === undefined ? {} : { selectedText: active.selectedText.slice(0, keptUnits) }),
    ...(trusted === undefined ? {} : { trusted }),
  };
}
