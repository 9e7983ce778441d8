import { commands, type Disposable, env, l10n } from "vscode";
import type { Companion } from "@patchbay/core";
import { inform, warn } from "../surfaces/messages.ts";

/** "Copy Terminal Environment": for terminals outside VS Code, tmux panes among them. */
export function registerCopyEnvironment(companion: Companion): Disposable {
  return commands.registerCommand("patchbay.copyEnvironment", async () => {
    const variables = Object.entries(companion.environment);
    if (variables.length === 0) {
      void warn(l10n.t("Patchbay is not listening, so there is nothing to copy."));
      return;
    }
    await env.clipboard.writeText(`${variables.map(([name, value]) => exportLine(name, value)).join("\n")}\n`);
    void inform(
      l10n.t("Copied. Paste it into the terminal before you start the agent there, in a folder of this window."),
    );
  });
}

function exportLine(name: string, value: string): string {
  if (process.platform === "win32") return `$env:${name} = '${value.replaceAll("'", "''")}'`;
  return `export ${name}='${value.replaceAll("'", `'\\''`)}'`;
}
