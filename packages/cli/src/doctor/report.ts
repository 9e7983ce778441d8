import { relative, sep } from "node:path";
import { agentOf, type Finding, type Platform } from "@patchbay/core";
import { version } from "../own-command.ts";

/**
 * The findings for strangers, as an issue wants them. Nothing is searched for what is private and taken out: a value is written
 * only if it is one of those that are known to tell nothing of the user (numbers, names of variables and modes, places that agents
 * have on every machine). Of all others the report says that there is one.
 */
export function reportLines(
  findings: readonly Finding[],
  { folder, platform }: { readonly folder: string; readonly platform: Platform },
): readonly string[] {
  const { process: facts } = platform;
  const around = surroundings.filter(([variable]) => facts.environment(variable) !== undefined).map(([, name]) => name);
  const known = {
    patchbay: version,
    node: process.versions.node,
    system: `${facts.platform} ${process.arch}`,
    terminal: around.length === 0 ? "plain" : around.join(", "),
  };
  const places: Places = [
    [folder, "FOLDER"],
    [facts.temporaryDirectory, "TMP"],
    [facts.homeDirectory, "~"],
  ];
  return [
    ...Object.entries(known).map(([name, value]) => `${name}: ${value}`),
    "",
    ...findings.flatMap(({ level, code, agents, values }) => [
      `${level} ${code}: ${agents.length === 0 ? "no one agent" : agents.map((id) => agentOf(id).agentName).join(", ")}`,
      ...Object.entries(values).map(([name, value]) => `  ${name}: ${told(name, value, places)}`),
    ]),
  ];
}

/** What changes how agents look for an editor. */
const surroundings: readonly (readonly [variable: string, name: string])[] = [
  ["TMUX", "tmux"],
  ["STY", "screen"],
  ["SSH_CONNECTION", "ssh"],
  ["WSL_DISTRO_NAME", "wsl"],
  ["VSCODE_PID", "vscode"],
  ["NVIM", "neovim"],
  ["VIM_TERMINAL", "vim"],
  ["REMOTE_CONTAINERS", "container"],
  ["CODESPACES", "codespaces"],
  ["SUDO_USER", "sudo"],
];

type Places = readonly (readonly [path: string, name: string])[];

const isPath = new Set([
  "directory",
  "file",
  "folder",
  "missing",
  "open",
  "ours",
  "path",
  "paths",
  "theirs",
  "userFile",
]);

/** Names that core gives, and never a user. */
const plainWords = new Set(["asking", "because", "command", "input", "package", "setting", "variable", "variables"]);

/** How agents call the ways in which they ask. */
const modes =
  /^(?:default|plan|auto|auto[-_]edit|autoEdit|yolo|acceptEdits|bypassPermissions|dontAsk|manual|delegate)$/u;

const editors =
  /^(?:VS Code|Visual Studio Code|VSCodium|code-server|Code - OSS|Cursor|Windsurf|Theia|Eclipse Theia|Vim|Neovim|Patchbay|Editor)$/u;

function told(name: string, value: unknown, places: Places): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === undefined) return "none";
  if (Array.isArray(value)) {
    const all = value.map((one: unknown) => told(name, one, places));
    return name === "commands" ? String(value.length) : all.join("; ");
  }
  if (typeof value === "object" && value !== null) {
    const editor =
      "name" in value && typeof value.name === "string" && editors.test(value.name) ? value.name : "another";
    return `${editor}${"port" in value ? ` (port ${told("port", value.port, places)})` : ""}`;
  }
  const text = typeof value === "string" ? value : "";
  if (isPath.has(name)) return placeOf(text, places);
  if (plainWords.has(name)) return /^[\w@/. -]{1,60}$/u.test(text) ? text : "another";
  if (name === "port") return /^\d{1,5}$/u.test(text) ? text : "none";
  if (name === "version" || name === "needed") return /^\d{1,5}(?:\.\d{1,5}){2}$/u.test(text) ? text : "another";
  if (name === "mode") return modes.test(text) ? text : "another";
  return "not told";
}

/** Parts of paths that are the same on every machine. */
const knownParts =
  /^(?:\.claude|\.qwen|\.gemini|gemini|ide|settings(?:\.local)?\.json|\.patchbay\.json|(?:gemini-ide-server-)?\d+(?:-\d+)?\.(?:json|lock))$/u;

/** `~/.claude/ide/4711.lock`, `FOLDER/.gemini/settings.json`, `TMP/*`: what is not the same everywhere is a star. */
function placeOf(path: string, places: Places): string {
  for (const [place, name] of places) {
    if (path === place) return name;
    const within = relative(place, path);
    if (within.startsWith("..") || within.startsWith(sep) || /^[A-Za-z]:/u.test(within)) continue;
    return [name, ...within.split(sep).map((part) => (knownParts.test(part) ? part : "*"))].join("/");
  }
  const above = places.find(([place]) => place.startsWith(`${path}${sep}`));
  return above === undefined ? "elsewhere" : `above ${above[1]}`;
}
