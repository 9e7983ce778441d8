import { extensions } from "vscode";

const companionsOfOthers = [
  "google.gemini-cli-vscode-ide-companion",
  "qwenlm.qwen-code-vscode-ide-companion",
  "anthropic.claude-code",
] as const;

/** Other companions that are installed too: an agent then connects to whichever announced itself last. */
export function installedCompanions(): readonly string[] {
  return companionsOfOthers.flatMap((id) => {
    const extension = extensions.getExtension(id);
    if (extension === undefined) return [];
    const manifest: unknown = extension.packageJSON;
    const named = typeof manifest === "object" && manifest !== null && "displayName" in manifest;
    return [named && typeof manifest.displayName === "string" ? manifest.displayName : id];
  });
}
