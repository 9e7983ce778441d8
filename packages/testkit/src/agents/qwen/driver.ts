import { existsSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as z from "zod";
import { type AgentDriverOptions, prependByteOrderMark, toCrLf } from "../agent-driver.ts";
import { CompanionSpecDriver, familyClientName } from "../gemini-family/driver.ts";
import { type CompanionAddress, type DiscoveryFile, isAlive, isWithinReal, readDiscoveryFiles } from "../records.ts";

/** Speaks as Qwen Code 0.24.4 does, in the approval mode in which it asks (`tools.approvalMode: "default"`). */
export function createQwenDriver(options: AgentDriverOptions): CompanionSpecDriver {
  return new CompanionSpecDriver(
    {
      dialect: "qwen",
      agentName: "Qwen Code",
      clientName: familyClientName,
      clientVersion: "1.0.0",
      protocolVersion: "2025-11-25",
      find: findQwenCompanions,
      failsOnRefusal: false,
      toWire: (text) => text,
      toDisk: (text, file) => {
        const lines = file.usesCrLf ? toCrLf(text) : text;
        return file.hasByteOrderMark ? prependByteOrderMark(lines) : lines;
      },
    },
    options,
  );
}

// Places, names and rules are spelled here and not taken from core: as the client was seen to go by them, so that a driver
// that finds a companion shows that the client would.

const qwenLockSchema = z.object({
  port: z.union([z.number(), z.string().transform(Number)]),
  workspacePath: z.string(),
  authToken: z.string().optional(),
  ppid: z.number().optional(),
  ideInfo: z.object({ name: z.string(), displayName: z.string() }).optional(),
});

/**
 * The companions that Qwen Code 0.24.4 would try, best first (docs/protocols/qwen.md): the lock named by the port in
 * the environment, then the newest lock whose workspace holds the working directory. As the client does, scanned locks
 * of dead processes are deleted.
 */
export function findQwenCompanions(options: AgentDriverOptions): readonly CompanionAddress[] {
  const environment = options.environment ?? {};
  const base = environment["QWEN_HOME"] ?? join(options.home, ".qwen");
  const locks = readDiscoveryFiles(join(base, "ide"), /^\d+\.lock$/).filter((file) => !removeWhenStale(file));
  const named = `${environment["QWEN_CODE_IDE_SERVER_PORT"] ?? ""}.lock`;
  return Array.from(locks)
    .sort((a, b) => Number(b.name === named) - Number(a.name === named) || b.modifiedMs - a.modifiedMs)
    .flatMap((file) => {
      const lock = qwenLockSchema.safeParse(file.content).data;
      if (lock?.ideInfo === undefined || !lockHolds(lock.workspacePath, options.cwd)) return [];
      const { port, authToken, ideInfo } = lock;
      return [{ port, token: authToken, editorName: ideInfo.displayName, record: file.path }];
    });
}

function lockHolds(workspacePath: string, cwd: string): boolean {
  return workspacePath.split(delimiter).some((root) => root !== "" && isWithinReal(root, cwd));
}

function removeWhenStale(file: DiscoveryFile): boolean {
  const lock = qwenLockSchema.safeParse(file.content).data;
  if (lock === undefined) return false;
  const stale = lock.ppid === undefined ? !existsSync(lock.workspacePath) : !isAlive(lock.ppid);
  if (stale) rmSync(file.path, { force: true });
  return stale;
}
