import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import process from "node:process";
import type { FileChange, Location, PlanStep, ToolKind } from "../model/index.ts";
import { oneSpelling } from "../process/spelling.ts";
import type { FileToolResult, Hunk } from "./requests.ts";

/** The input of a tool. */
export type ToolInput = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  NotebookRead: "read",
  Edit: "edit",
  Write: "edit",
  MultiEdit: "edit",
  NotebookEdit: "edit",
  Bash: "execute",
  BashOutput: "execute",
  KillShell: "execute",
  Monitor: "execute",
  Grep: "search",
  Glob: "search",
  LS: "search",
  ToolSearch: "search",
  WebFetch: "fetch",
  WebSearch: "fetch",
  Task: "subagent",
  Agent: "subagent",
};

/** What kind of tool it is. */
export function kindOfTool(name: string): ToolKind {
  return kinds[name] ?? "other";
}

/** Whether a tool writes a file whose whole text can be known before. */
export function isFileTool(name: string): boolean {
  return name === "Write" || name === "Edit" || name === "MultiEdit";
}

/** The text of a member of an input. */
function textIn(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The absolute path of the file that a tool is about, as Claude Code opens it: by composed letters, whatever the name on disk has. */
export function pathIn(input: ToolInput, cwd: string): string | undefined {
  const path = (textIn(input, "file_path") ?? textIn(input, "notebook_path"))?.trim();
  if (path === undefined) return undefined;
  const named = path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
  if (process.platform !== "win32") return resolve(cwd, named).normalize("NFC");
  // There `resolve` would give a drive to what has none.
  return oneSpelling(isAbsolute(named) ? named : join(cwd, named)).normalize("NFC");
}

/** What a use of a tool is about, for people: one line. */
export function titleOf(name: string, input: ToolInput, cwd: string): string {
  const path = pathIn(input, cwd);
  if (path !== undefined) return `${name} ${shortPath(path, cwd)}`;
  const about =
    textIn(input, "description") ??
    textIn(input, "command") ??
    textIn(input, "pattern") ??
    textIn(input, "url") ??
    textIn(input, "query") ??
    textIn(input, "path");
  const [line = ""] = (about ?? "").split("\n");
  return line === "" ? name : `${name}: ${line.length > titleLimit ? `${line.slice(0, titleLimit)}…` : line}`;
}

const titleLimit = 120;

function shortPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  return below === "" || below.startsWith("..") || isAbsolute(below) ? path : below;
}

/** What is shown of an input: the command of a shell whole, anything else as JSON, and nothing of what a diff shows. */
export function shownInput(name: string, input: ToolInput): { readonly command?: string; readonly input?: string } {
  const command = name === "Bash" ? textIn(input, "command") : undefined;
  if (command !== undefined) return { command };
  if (isFileTool(name) || isShownAsQuestion(name) || Object.keys(input).length === 0) return {};
  return { input: JSON.stringify(input, undefined, 2) };
}

/** A tool that is a question to the user, in which its input stands. */
export function isShownAsQuestion(name: string): boolean {
  return name === "AskUserQuestion" || name === "ExitPlanMode";
}

/** Files that a use of a tool reads or writes. */
export function locationsOf(input: ToolInput, cwd: string): readonly Location[] {
  const path = pathIn(input, cwd);
  if (path === undefined) return [];
  const { offset } = input;
  return [typeof offset === "number" && offset > 0 ? { path, line: offset } : { path }];
}

/** The steps of the agent's list of things to do, where the tool keeps one. */
export function stepsOf(name: string, input: ToolInput): readonly PlanStep[] | undefined {
  if (name !== "TodoWrite" || !Array.isArray(input["todos"])) return undefined;
  const todos: readonly unknown[] = input["todos"];
  return todos.flatMap((todo) => {
    if (typeof todo !== "object" || todo === null || !("content" in todo) || typeof todo.content !== "string")
      return [];
    const state = "status" in todo ? todo.status : undefined;
    return [
      { text: todo.content, state: state === "completed" ? "done" : state === "in_progress" ? "running" : "pending" },
    ];
  });
}

/** The change that a tool has made, of what it returned. */
export function changeOf(result: FileToolResult, cwd: string): FileChange {
  const path = oneSpelling(isAbsolute(result.filePath) ? result.filePath : join(cwd, result.filePath));
  const before = result.originalFile ?? undefined;
  if (result.content !== undefined) return { path, ...(before === undefined ? {} : { before }), after: result.content };
  const after = before === undefined ? undefined : patched(before, result.structuredPatch ?? []);
  if (before !== undefined && after !== undefined) return { path, before, after };
  if (result.originalFile === null && result.newString !== undefined) return { path, after: result.newString };
  const fragment = { before: result.oldString ?? "", after: result.newString ?? "" };
  return { path, ...fragment, isFragment: true };
}

/** A text with a patch applied; undefined where the patch does not fit it. */
export function patched(text: string, hunks: readonly Hunk[]): string | undefined {
  if (hunks.length === 0) return undefined;
  const lines = text.split("\n");
  const result: string[] = [];
  let at = 0;
  for (const { oldStart, lines: changed } of hunks) {
    const start = Math.max(0, oldStart - 1);
    if (start < at || start > lines.length) return undefined;
    result.push(...lines.slice(at, start));
    at = start;
    for (const line of changed) {
      const content = line.slice(1);
      if (line.startsWith("+")) result.push(content);
      // “\ No newline at end of file”
      else if (line.startsWith("\\")) continue;
      else {
        if (lines[at]?.replace(/\r$/u, "") !== content.replace(/\r$/u, "")) return undefined;
        if (line.startsWith(" ")) result.push(lines[at] ?? content);
        at += 1;
      }
    }
  }
  result.push(...lines.slice(at));
  return result.join("\n");
}
