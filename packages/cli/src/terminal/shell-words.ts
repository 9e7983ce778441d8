import { quoteWord } from "./escape-text.ts";

/** The lines that people are told to type, in the language of their shell. */
export interface ShellWords {
  /** A path or value as one word. */
  quote(text: string): string;
  /** Runs what a command prints. */
  evaluate(command: string): string;
  removeFiles(paths: readonly string[]): string;
  move(from: string, to: string): string;
  /** Starts a program with a variable, or without it. */
  withVariable(name: string, value: string | undefined, command: string): string;
  unset(name: string): string;
  /** By which programs find the home, and the directory for temporary files. */
  readonly variables: { readonly home: string; readonly temporary: string };
}

export const posixWords: ShellWords = {
  quote: quoteWord,
  evaluate: (command) => `eval "$(${command})"`,
  removeFiles: (paths) => `rm ${paths.map(quoteWord).join(" ")}`,
  move: (from, to) => `mv ${quoteWord(from)} ${quoteWord(to)}`,
  withVariable: (name, value, command) =>
    value === undefined ? `env -u ${name} ${command}` : `${name}=${quoteWord(value)} ${command}`,
  unset: (name) => `unset ${name}`,
  variables: { home: "HOME", temporary: "TMPDIR" },
};

/** Windows' own and later ones. A variable stays set there for what is typed next. */
export const powerShellWords: ShellWords = {
  quote: quoteForPowerShell,
  evaluate: (command) => `${command} | Out-String | Invoke-Expression`,
  removeFiles: (paths) => `Remove-Item -LiteralPath ${paths.map(quoteForPowerShell).join(", ")}`,
  move: (from, to) => `Move-Item -LiteralPath ${quoteForPowerShell(from)} ${quoteForPowerShell(to)}`,
  withVariable: (name, value, command) =>
    `${value === undefined ? `Remove-Item Env:${name}` : `$env:${name} = ${inQuotes(value)}`}; ${command}`,
  unset: (name) => `Remove-Item Env:${name}`,
  variables: { home: "USERPROFILE", temporary: "TEMP" },
};

function quoteForPowerShell(text: string): string {
  return /^(?:[A-Za-z]:[\\/])?[\w.\\/]+$/u.test(text) ? text : inQuotes(text);
}

/** PowerShell takes the typographic marks for quotation marks, too. */
function inQuotes(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/gu, "$&$&")}'`;
}

/** On Windows, who works in a shell of another kind (Git's, for one) has it named in SHELL. */
export function shellWordsFor(platform: string, shell: string | undefined): ShellWords {
  return platform === "win32" && (shell ?? "") === "" ? powerShellWords : posixWords;
}
