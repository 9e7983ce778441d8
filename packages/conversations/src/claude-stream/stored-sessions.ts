import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod";
import type { ListedSession, SessionLister } from "../driver.ts";
import type { Entry, PromptBlock, ToolEntry } from "../model/index.ts";
import { type LineFiles, readLines } from "../transcript/line-files.ts";
import { kindOfTool, locationsOf, shownInput, titleOf } from "./tool-facts.ts";

/** So much of a file's beginning and of its end is read for the list, bytes. */
const glanceBytes = 64 * 1024;
/** How many sessions of a folder are listed. */
const listedCount = 200;
/** How much is taken of the history of a session, its newest part, as JSON, UTF-16 units: all but a few sessions are smaller as a whole. */
const historyUnits = 32 * 1024 * 1024;
/** A result of a tool is shown up to here, UTF-16 units. */
const outputUnits = 64 * 1024;

const block = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), thinking: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    is_error: z.boolean().optional(),
    content: z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))]).optional(),
  }),
  z.object({
    type: z.literal("image"),
    source: z.object({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  }),
  z.object({ type: z.string() }).transform(() => ({ type: "other" as const })),
]);

type Block = z.infer<typeof block>;

const saidSchema = z.object({
  type: z.enum(["user", "assistant"]),
  uuid: z.string(),
  timestamp: z.string().optional(),
  isMeta: z.boolean().optional(),
  isSidechain: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  message: z.object({ content: z.union([z.string(), z.array(block)]) }),
});

type Said = z.infer<typeof saidSchema>;

const titleSchema = z.object({ type: z.literal("custom-title"), customTitle: z.string() });
const lineSchema = z.union([saidSchema, titleSchema]);

/** What the program itself writes in the user's place. */
const ownWords = /^\s*<(?:command-|local-command-|bash-|system-reminder|user-prompt-submit-hook|ide_)/;

export interface ClaudeSessionsOptions {
  readonly files: LineFiles;
  /** `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly configDirectory: string;
}

interface Glance {
  readonly size: number;
  readonly modifiedMs: number;
  readonly session: ListedSession | undefined;
}

/**
 * The sessions that Claude Code keeps itself, from a terminal or any editor. Their files are not documented: what is not
 * understood is passed over, and nothing is ever written.
 */
export class ClaudeSessions implements SessionLister {
  readonly agent = "claude";
  readonly #options: ClaudeSessionsOptions;
  readonly #glances: Map<string, Glance> = new Map();

  constructor(options: ClaudeSessionsOptions) {
    this.#options = options;
  }

  async list(folder: string): Promise<readonly ListedSession[]> {
    const directory = this.#directoryOf(folder);
    const names = await readdir(directory).catch(() => []);
    const found = await Promise.all(
      names
        .filter((name) => name.endsWith(".jsonl"))
        .map(async (name) => {
          const path = join(directory, name);
          const facts = await stat(path).catch(() => undefined);
          return facts?.isFile() === true ? [{ path, size: facts.size, modifiedMs: facts.mtimeMs }] : [];
        }),
    );
    const newest = found
      .flat()
      .toSorted((one, other) => other.modifiedMs - one.modifiedMs)
      .slice(0, listedCount);
    const sessions: ListedSession[] = [];
    for (const one of newest) {
      const held = this.#glances.get(one.path);
      const isSame = held !== undefined && held.size === one.size && held.modifiedMs === one.modifiedMs;
      const session = isSame ? held.session : await this.#glance(one.path, one.size, one.modifiedMs, folder);
      if (!isSame) this.#glances.set(one.path, { size: one.size, modifiedMs: one.modifiedMs, session });
      if (session !== undefined) sessions.push(session);
    }
    return sessions;
  }

  async history({ sessionId, folder }: ListedSession): Promise<readonly Entry[]> {
    const entries = new NewestEntries();
    for await (const line of readLines(this.#options.files, this.#pathOf(sessionId, folder))) {
      const parsed = parse(line);
      if (parsed?.type === "user" || parsed?.type === "assistant") take(entries, parsed, folder);
    }
    return entries.all();
  }

  async pointBefore(sessionId: string, folder: string, promptId: string): Promise<string | undefined> {
    let last: string | undefined;
    for await (const line of readLines(this.#options.files, this.#pathOf(sessionId, folder))) {
      const parsed = parse(line);
      if (parsed?.type !== "user" && parsed?.type !== "assistant") continue;
      if (parsed.uuid === promptId) return last;
      if (parsed.type === "assistant" && parsed.isSidechain !== true) last = parsed.uuid;
    }
    return undefined;
  }

  /** What the beginning and the end of a file tell. Undefined: nobody has said anything in it. */
  async #glance(path: string, size: number, usedAt: number, folder: string): Promise<ListedSession | undefined> {
    const { files } = this.#options;
    const head = await files.read(path, 0, Math.min(size, glanceBytes)).catch(() => undefined);
    const tail = await files.read(path, Math.max(0, size - glanceBytes), size).catch(() => undefined);
    if (head === undefined || tail === undefined) return undefined;
    const [first, last] = [linesIn(head), linesIn(tail)];
    const named = [...first, ...last].findLast((line) => line.type === "custom-title");
    const prompt = first.map(promptOf).find((text) => text !== undefined);
    const title = named?.type === "custom-title" ? named.customTitle : prompt;
    if (title === undefined) return undefined;
    const said = last.map(answerOf).findLast((text) => text !== undefined);
    const sessionId = basename(path, ".jsonl");
    return { sessionId, folder, title, usedAt, ...(said === undefined ? {} : { preview: said.slice(0, 200) }) };
  }

  #directoryOf(folder: string): string {
    return join(this.#options.configDirectory, "projects", folder.replace(/[^A-Za-z0-9]/g, "-"));
  }

  #pathOf(sessionId: string, folder: string): string {
    // An id comes from a name in the folder; nothing else names a file.
    return join(this.#directoryOf(folder), `${sessionId.replace(/[^A-Za-z0-9-]/g, "")}.jsonl`);
  }
}

/** Entries in their order, and no more of them than `historyUnits`: the oldest are let go of, and that is said. */
class NewestEntries {
  readonly #entries: Map<string, { readonly entry: Entry; readonly units: number }> = new Map();
  #units = 0;
  #isCut = false;

  get(id: string): Entry | undefined {
    return this.#entries.get(id)?.entry;
  }

  set(id: string, entry: Entry): void {
    const units = JSON.stringify(entry).length;
    this.#units += units - (this.#entries.get(id)?.units ?? 0);
    this.#entries.set(id, { entry, units });
    for (const [oldest, held] of this.#entries) {
      if (this.#units <= historyUnits || oldest === id) break;
      this.#entries.delete(oldest);
      this.#units -= held.units;
      this.#isCut = true;
    }
  }

  all(): readonly Entry[] {
    const entries = Array.from(this.#entries.values(), ({ entry }) => entry);
    const at = entries[0]?.at ?? 0;
    const text = "The oldest messages of this session are not shown: it is too long.";
    return this.#isCut ? [{ kind: "notice", id: "cut", at, level: "info", text }, ...entries] : entries;
  }
}

function parse(line: string): z.infer<typeof lineSchema> | undefined {
  // Most of a file is neither: requests, attachments, costs.
  if (!/"type":"(?:user|assistant|custom-title)"/.test(line)) return undefined;
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Torn, or cut off where the reading began.
    return undefined;
  }
}

function linesIn(bytes: Uint8Array): readonly z.infer<typeof lineSchema>[] {
  return Buffer.from(bytes)
    .toString("utf8")
    .split("\n")
    .flatMap((line) => parse(line) ?? []);
}

function blocksOf({ message }: Said): readonly Block[] {
  return typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
}

function isOfUser(said: Said): boolean {
  return said.type === "user" && said.isMeta !== true && said.isSidechain !== true && said.isCompactSummary !== true;
}

function promptOf(line: z.infer<typeof lineSchema>): string | undefined {
  if (line.type === "custom-title" || !isOfUser(line)) return undefined;
  const text = blocksOf(line).flatMap((one) => (one.type === "text" && !ownWords.test(one.text) ? [one.text] : []));
  return text.length === 0 ? undefined : text.join(" ");
}

function answerOf(line: z.infer<typeof lineSchema>): string | undefined {
  if (line.type !== "assistant" || line.isSidechain === true) return undefined;
  return blocksOf(line).findLast((one) => one.type === "text")?.text;
}

/** Takes what was said into the entries; a result of a tool goes to its call. */
function take(entries: NewestEntries, said: Said, folder: string): void {
  if (said.isSidechain === true) return;
  const at = said.timestamp === undefined ? 0 : Date.parse(said.timestamp) || 0;
  const blocks = blocksOf(said);
  if (said.type === "user") {
    for (const one of blocks) if (one.type === "tool_result") takeResult(entries, one);
    const shown = isOfUser(said) ? blocks.flatMap(promptBlocksOf) : [];
    if (shown.length > 0) entries.set(said.uuid, { kind: "prompt", id: said.uuid, at, blocks: shown });
    return;
  }
  for (const [index, one] of blocks.entries()) {
    const id = `${said.uuid}:${index}`;
    if (one.type === "text" && one.text.trim() !== "")
      entries.set(id, { kind: "message", id, at, text: one.text, isComplete: true });
    if (one.type === "thinking" && one.thinking.trim() !== "")
      entries.set(id, { kind: "thought", id, at, text: one.thinking, isComplete: true });
    if (one.type === "tool_use") entries.set(one.id, toolOf(one, at, folder));
  }
}

function toolOf({ id, name, input }: Extract<Block, { type: "tool_use" }>, at: number, folder: string): ToolEntry {
  const locations = locationsOf(input, folder);
  return {
    kind: "tool",
    id,
    at,
    tool: kindOfTool(name),
    name,
    title: titleOf(name, input, folder),
    state: "cancelled",
    ...shownInput(name, input),
    ...(locations.length === 0 ? {} : { locations }),
  };
}

function takeResult(entries: NewestEntries, result: Extract<Block, { type: "tool_result" }>): void {
  const tool = entries.get(result.tool_use_id);
  if (tool?.kind !== "tool") return;
  const { content } = result;
  const output = typeof content === "string" ? content : (content ?? []).flatMap(({ text }) => text ?? []).join("\n");
  const more = output.length - outputUnits;
  entries.set(tool.id, {
    ...tool,
    state: result.is_error === true ? "failed" : "done",
    ...(output === "" ? {} : { output: more > 0 ? output.slice(more) : output }),
    ...(more > 0 ? { outputOmitted: more } : {}),
  });
}

function promptBlocksOf(one: Block): readonly PromptBlock[] {
  if (one.type === "text") return ownWords.test(one.text) ? [] : [{ type: "text", text: one.text }];
  if (one.type === "image") return [{ type: "image", mimeType: one.source.media_type, data: one.source.data }];
  return [];
}
