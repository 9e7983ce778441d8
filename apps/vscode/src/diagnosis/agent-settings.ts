import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { l10n } from "vscode";
import type { Finding } from "./finding.ts";

/** What the agents' own settings say about asking for reviews. Read only; nothing a companion sends could change it. */
export async function findAgentSettings(): Promise<Finding[]> {
  const [gemini, qwen, claude] = await Promise.all([
    readSettings(join(homeOf("GEMINI_CLI_HOME", ""), ".gemini", "settings.json")),
    readSettings(join(homeOf("QWEN_HOME", ".qwen"), "settings.json")),
    readSettings(join(homeOf("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")),
  ]);
  return [...aboutGemini(gemini), ...aboutQwen(qwen), ...aboutClaude(claude)];
}

function aboutGemini(settings: unknown): Finding[] {
  if (at(settings, "ide", "enabled") === true) {
    return [{ mark: "good", found: l10n.t("Gemini CLI: its IDE mode is on.") }];
  }
  return [
    {
      mark: "hint",
      found: l10n.t("Gemini CLI: its IDE mode is not switched on in its settings."),
      advice: l10n.t(
        "Type /ide enable in Gemini CLI once. Its own offer to install an extension is not needed with Patchbay.",
      ),
    },
  ];
}

function aboutQwen(settings: unknown): Finding[] {
  const mode = at(settings, "tools", "approvalMode");
  if (mode === "default") return [{ mark: "good", found: l10n.t("Qwen Code: it asks before it writes.") }];
  return [
    {
      mark: "hint",
      found:
        typeof mode === "string"
          ? l10n.t("Qwen Code: tools.approvalMode is {0}.", mode)
          : l10n.t("Qwen Code: tools.approvalMode is not set, and the default of newer versions is auto."),
      advice: l10n.t(
        "In this mode it may write without asking, and then no proposal is shown. Set tools.approvalMode to default in its settings, start it with --approval-mode default, or use Patchbay: Run Qwen Code.",
      ),
    },
  ];
}

function aboutClaude(settings: unknown): Finding[] {
  const mode = at(settings, "permissions", "defaultMode");
  if (mode === "default" || mode === "manual") {
    return [{ mark: "good", found: l10n.t("Claude Code: it asks before it writes.") }];
  }
  return [
    {
      mark: "hint",
      found:
        typeof mode === "string"
          ? l10n.t("Claude Code: permissions.defaultMode is {0}.", mode)
          : l10n.t("Claude Code: permissions.defaultMode is not set, and the default of newer versions is auto."),
      advice: l10n.t(
        "In this mode it may write without asking, and then no proposal is shown. Set permissions.defaultMode to default in its settings, start it with --permission-mode manual, or use Patchbay: Run Claude Code.",
      ),
    },
  ];
}

function homeOf(variable: string, folder: string): string {
  const chosen = process.env[variable];
  return chosen === undefined || chosen === "" ? join(homedir(), folder) : chosen;
}

async function readSettings(path: string): Promise<unknown> {
  try {
    return JSON.parse(withoutComments(await readFile(path, "utf8")));
  } catch {
    // Not there or not readable: the agent then uses its defaults, as the findings say.
    return undefined;
  }
}

/** The agents allow comments in their settings. Strings are matched first, so that a `//` in one stays. */
function withoutComments(text: string): string {
  return text.replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu, (_all, string?: string) => string ?? "");
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  let current = value;
  for (const key of keys) {
    if (typeof current !== "object" || current === null) return undefined;
    current = Object.entries(current).find(([name]) => name === key)?.[1];
  }
  return current;
}
