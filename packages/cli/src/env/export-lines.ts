import { PatchbayError } from "@patchbay/core";

export type Shell = "sh" | "fish" | "powershell";

/** Which shell's words to print: the given one, else that of $SHELL (PowerShell on Windows). */
export function chooseShell(given: string | undefined, shellPath: string | undefined, platform: string): Shell {
  if (given === "sh" || given === "fish" || given === "powershell") return given;
  if (given === "bash" || given === "zsh") return "sh";
  if (given === "pwsh") return "powershell";
  if (given !== undefined) {
    throw new PatchbayError("invalid-argument", `"${given}" is not a shell that is known. Use sh, fish or powershell.`);
  }
  if (shellPath?.endsWith("/fish") === true) return "fish";
  return shellPath === undefined && platform === "win32" ? "powershell" : "sh";
}

/** Lines that set variables when the shell evaluates them; values are quoted whatever they hold. */
export function exportLines(variables: Readonly<Record<string, string>>, shell: Shell): readonly string[] {
  return Object.entries(variables).map(([name, value]) => {
    switch (shell) {
      case "sh":
        return `export ${name}='${value.replaceAll("'", "'\\''")}'`;
      case "fish":
        return `set -gx ${name} '${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
      case "powershell":
        return `$env:${name} = '${value.replaceAll("'", "''")}'`;
    }
  });
}
