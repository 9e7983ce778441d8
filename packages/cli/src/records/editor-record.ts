import { basename } from "node:path";
import * as z from "zod";
import { type AgentId, type AgentPlace, parseJson, splitFolders } from "./agent-places.ts";

/** What one record tells an agent. */
export interface EditorRecord {
  readonly agent: AgentId;
  readonly path: string;
  readonly port: number;
  readonly folders: readonly string[];
  /** Process that the record names; undefined where it names none. */
  readonly pid: number | undefined;
  readonly editorName: string;
  /** Short machine name of the editor, where the record has one. */
  readonly editorId: string | undefined;
  readonly hasToken: boolean;
  /** Whether Gemini CLI and Qwen Code accept it in any terminal: both names of `ideInfo` are there. */
  readonly hasEditorInfo: boolean;
  /** Process of the companion, where it is Patchbay's record, and what tells it from a later one with its number. */
  readonly companion: { readonly pid: number; readonly start?: string | undefined } | undefined;
}

const port = z.union([z.number().int(), z.string().regex(/^\d+$/u).transform(Number)]);

const jsonRecord = z.object({
  port: port.optional(),
  workspacePath: z.string().optional(),
  workspaceFolders: z.array(z.string()).optional(),
  authToken: z.string().optional(),
  pid: z.number().optional(),
  ppid: z.number().optional(),
  ideName: z.string().optional(),
  ideInfo: z.object({ name: z.string().optional(), displayName: z.string().optional() }).optional(),
  patchbay: z.object({ pid: z.number(), start: z.string().optional() }).optional(),
});

/** Reads a record's text; undefined where it is not one. */
export function parseEditorRecord(place: AgentPlace, path: string, text: string): EditorRecord | undefined {
  const record = jsonRecord.safeParse(parseJson(text)).data;
  if (record === undefined) return undefined;
  const numbers = basename(path).match(/\d+/gu)?.map(Number) ?? [];
  const recordPort = place.agent === "claude" ? numbers[0] : (record.port ?? numbers.at(-1));
  if (recordPort === undefined || recordPort < 1 || recordPort > 65_535) return undefined;
  const { name, displayName } = record.ideInfo ?? {};
  return {
    agent: place.agent,
    path,
    port: recordPort,
    folders: record.workspaceFolders ?? splitFolders(record.workspacePath ?? ""),
    pid: record.pid ?? record.ppid ?? (place.agent === "gemini" ? numbers[0] : undefined),
    editorName: displayName ?? record.ideName ?? "an editor",
    editorId: name,
    hasToken: record.authToken !== undefined && record.authToken !== "",
    hasEditorInfo: name !== undefined && displayName !== undefined,
    companion: record.patchbay,
  };
}
