import type { Environment } from "./children.ts";

/**
 * What tells an agent that it runs in a terminal of an editor: one in the panel must not look for a companion, or each of its
 * edits would be asked for twice (docs/protocols/acp.md). And what is meant for the editor's own process alone.
 */
const removed: readonly RegExp[] = [
  /^TERM_PROGRAM(?:_VERSION)?$/u,
  /^TERM_PRODUCT$/u,
  /^GEMINI_CLI_IDE_/u,
  /^QWEN_CODE_IDE_/u,
  /^CLAUDE_CODE_SSE_PORT$/u,
  /^ENABLE_IDE_INTEGRATION$/u,
  /^VSCODE_/u,
  /^ELECTRON_RUN_AS_NODE$/u,
  // The editor may itself have been started by an agent: this one is not below that.
  /^CLAUDECODE$/u,
  /^CLAUDE_CODE_ENTRYPOINT$/u,
];

/** The user's environment as an agent of the panel gets it; `added` counts more, whatever it names. */
export function agentEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  added: Environment = {},
): Environment {
  const kept = Object.entries(inherited).flatMap(([name, value]): readonly (readonly [string, string])[] =>
    value === undefined || removed.some((pattern) => pattern.test(name)) ? [] : [[name, value]],
  );
  return { ...Object.fromEntries(kept), ...added };
}
