import {
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import type { AgentId } from "../../src/agents/catalogue.ts";

/** Where an agent of a table works. */
export interface Worker {
  readonly cwd: string;
  readonly home: string;
  /** Nothing beyond this folder is written, whatever the agent would do. */
  readonly root: string;
}

/** A test went wrong: what it lets an agent write is no file of its own. */
export class BeyondLab extends Error {}

/** Makes the directories of a file, as agents do. */
function makeWay(file: string, { root }: Worker): void {
  let above = dirname(file);
  while (!existsSync(above)) above = dirname(above);
  if (!`${realpathSync(above)}/`.startsWith(`${root}/`)) throw new BeyondLab(file);
  mkdirSync(dirname(file), { recursive: true });
}

/** The agents that have a hook; Kilo writes as opencode does. */
export type HookedAgent = Exclude<AgentId, "kilo">;

/**
 * Writes a new text to what a model calls its file, as the tool of each agent does, by what the real ones left on disk (Claude Code
 * 2.1.328, Gemini CLI 0.61.0, Qwen Code 0.24.4, Copilot CLI 1.0.102, Codex CLI 0.171.0, Pi 0.74.2, opencode 1.18.34); throws where they refuse. Written apart from our own code on purpose.
 */
export const writers: Readonly<Record<HookedAgent, (path: string, text: string, worker: Worker) => void>> = {
  claude: (path, text, worker) => {
    const file = toldByClaude(path, worker);
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw new Error("It is a link.");
    makeWay(file, worker);
    writeFileSync(file, text);
  },
  gemini: (path, text, worker) => {
    const { cwd } = worker;
    const clean = path.split("\0").join("");
    const file = realInGemini(resolve(decode(resolve(cwd, withoutAt(clean, cwd)))));
    makeWay(file, worker);
    writeFileSync(file, text);
  },
  qwen: (path, text, worker) => {
    if (!isAbsolute(path)) throw new Error("It is relative.");
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error("It is a directory.");
    makeWay(path, worker);
    let file = path;
    for (let links = 0; lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true; links += 1) {
      if (links === 40) throw new Error("ELOOP");
      const target = readlinkSync(file);
      file = isAbsolute(target) ? target : resolve(realpathSync.native(dirname(file)), target);
    }
    makeWay(file, worker);
    writeFileSync(`${file}.tmp`, text);
    renameSync(`${file}.tmp`, file);
  },
  copilot: madeByCopilot,
  codex: (path, text, worker) => {
    // A line of a patch ends with its last letter.
    const file = resolve(worker.cwd, path.trimEnd());
    makeWay(file, worker);
    writeFileSync(file, text);
  },
  opencode: (path, text, worker) => {
    const file = isAbsolute(path) ? path : join(worker.cwd, path);
    makeWay(file, worker);
    writeFileSync(file, text);
  },
  pi: (path, text, worker) => {
    const file = resolvedByPi(path, worker);
    makeWay(file, worker);
    writeFileSync(file, text);
  },
};

/** As Pi 0.74.2 takes a path. */
function resolvedByPi(path: string, { cwd, home }: Worker): string {
  const bare = path.replace(/^@/u, "").replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu, " ");
  const whole = bare === "~" ? home : bare.replace(/^~\//u, `${home}/`);
  return isAbsolute(whole) ? whole : resolve(cwd, whole);
}

function madeByCopilot(path: string, text: string, { cwd, root }: Worker): void {
  // It takes them for the name of a machine.
  if (path.startsWith("//")) throw new Error("It is the path of a network.");
  const file = isAbsolute(path) ? path : resolve(cwd, path);
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) throw new Error("EEXIST");
  const above = realpathSync.native(dirname(file));
  if (!`${above}/`.startsWith(`${root}/`)) throw new BeyondLab(file);
  writeFileSync(file, text);
}

/** What an agent says to its hook of the path that its model gave; undefined: it refuses before. */
export function toldByAgent(agent: AgentId, path: string, worker: Worker): string | undefined {
  if (agent === "claude") return path.includes("\0") ? undefined : toldByClaude(path, worker);
  return agent === "qwen" ? path.trim().replaceAll(/\\([ \t()[\]{};|*?$`'"#&<>!~,])/gu, "$1") : path;
}

function toldByClaude(path: string, { cwd, home }: Worker): string {
  const named = path.trim();
  const whole = named === "~" || named.startsWith("~/") ? join(home, named.slice(1)) : named;
  return resolve(cwd, whole).normalize("NFC");
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function withoutAt(path: string, cwd: string): string {
  if (existsSync(resolve(cwd, path)) || !path.startsWith("@") || path === "@") return path;
  const bare = path.slice(1).replace(/^[\\/]+/u, "");
  if (path[1] === "/" || path[1] === "\\") return bare === "" ? path : bare;
  const first = bare.split(/[\\/]/u)[0] ?? "";
  return first === "" || existsSync(resolve(cwd, `@${first}`)) ? path : bare;
}

function realInGemini(path: string, seen: Set<string> = new Set()): string {
  if (seen.has(path)) throw new Error("ELOOP");
  seen.add(path);
  try {
    return realpathSync(path);
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes(String(Reflect.get(Object(error), "code")))) throw error;
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    return realInGemini(resolve(dirname(path), readlinkSync(path)), seen);
  }
  return dirname(path) === path ? path : join(realInGemini(dirname(path), seen), basename(path));
}
