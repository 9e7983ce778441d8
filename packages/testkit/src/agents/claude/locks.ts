import { rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { AgentDriverOptions } from "../agent-driver.ts";
import { type CompanionAddress, type DiscoveryFile, isAlive, isWithin, readDiscoveryFiles } from "../records.ts";

// Places, names and rules are spelled here and not taken from core: as the client was seen to go by them, so that a driver
// that finds a companion shows that the client would.

const lockSchema = z.object({
  pid: z.number().optional(),
  workspaceFolders: z.array(z.string()).default([]),
  ideName: z.string().default("IDE"),
  transport: z.string().optional(),
  authToken: z.string().optional(),
});

/**
 * The companion that Claude Code 2.1.328 connects to by itself, or undefined (docs/protocols/claude.md): the lock of
 * the port in the environment, whatever its folders; else the one lock whose folders hold the working directory, letter
 * by letter. Two such locks: none, the user would be asked. Locks of dead processes are deleted.
 */
export function findClaudeCompanion(options: AgentDriverOptions): CompanionAddress | undefined {
  const environment = options.environment ?? {};
  const configured = environment["CLAUDE_CONFIG_DIR"];
  const bases = configured === undefined ? [] : [configured];
  const found = [...bases, join(options.home, ".claude")]
    .flatMap((base) => readDiscoveryFiles(join(base, "ide"), /^\d+\.lock$/))
    .flatMap((file) => readLock(file));
  const unique = Array.from(new Map(found.map((lock) => [lock.address.port, lock])).values());
  const named = unique.find((lock) => String(lock.address.port) === environment["CLAUDE_CODE_SSE_PORT"]);
  if (named !== undefined) return named.address;
  const matching = unique.filter((lock) => lock.folders.some((folder) => isWithin(folder, options.cwd)));
  return matching.length === 1 ? matching[0]?.address : undefined;
}

interface FoundLock {
  readonly address: CompanionAddress;
  readonly folders: readonly string[];
}

function readLock(file: DiscoveryFile): readonly FoundLock[] {
  const lock = lockSchema.safeParse(file.content).data;
  if (lock === undefined) return [];
  if (lock.pid !== undefined && !isAlive(lock.pid)) {
    rmSync(file.path, { force: true });
    return [];
  }
  if (lock.transport !== "ws") return [];
  const port = Number(file.name.replace(".lock", ""));
  const address = { port, token: lock.authToken, editorName: lock.ideName, record: file.path };
  return [{ address, folders: lock.workspaceFolders }];
}
