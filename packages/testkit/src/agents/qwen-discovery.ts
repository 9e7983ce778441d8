import { existsSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import * as z from "zod";
import type { AgentDriverOptions } from "./agent-driver.ts";
import type { CompanionAddress } from "./companion-address.ts";
import { type DiscoveryFile, isAlive, isWithinReal, readDiscoveryFiles } from "./discovery-file.ts";

const lockSchema = z.object({
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
      const lock = lockSchema.safeParse(file.content).data;
      if (lock?.ideInfo === undefined || !workspaceHolds(lock.workspacePath, options.cwd)) return [];
      const { port, authToken, ideInfo } = lock;
      return [{ port, token: authToken, editorName: ideInfo.displayName, record: file.path }];
    });
}

function workspaceHolds(workspacePath: string, cwd: string): boolean {
  return workspacePath.split(delimiter).some((root) => root !== "" && isWithinReal(root, cwd));
}

function removeWhenStale(file: DiscoveryFile): boolean {
  const lock = lockSchema.safeParse(file.content).data;
  if (lock === undefined) return false;
  const stale = lock.ppid === undefined ? !existsSync(lock.workspacePath) : !isAlive(lock.ppid);
  if (stale) rmSync(file.path, { force: true });
  return stale;
}
