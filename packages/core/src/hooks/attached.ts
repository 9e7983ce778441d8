import type { HookCall } from "../endpoint/endpoint.ts";
import type { ProcessFacts } from "../platform/platform.ts";
import type { Session } from "../session/session.ts";

type Ancestry = Pick<ProcessFacts, "parentOf" | "peerOf">;

/** An agent starts its hooks through a shell or two. */
const mostParents = 16;

/**
 * Whether the agent that runs a hook is connected by its own protocol, too: one of the hook's ancestors is at the other end of a session
 * of that agent. Where the system does not tell whose connection a session is, any session of that agent counts.
 */
export async function isAttached(
  call: Pick<HookCall, "tokenName" | "pid" | "ports">,
  sessions: readonly Pick<Session, "dialect" | "pid" | "ports" | "state">[],
  process: Ancestry,
): Promise<boolean> {
  const own = sessions.filter(({ dialect, state }) => dialect.id === call.tokenName && state === "connected");
  if (own.length === 0) return false;
  const ancestors = await ancestorsOf(call, process);
  if (ancestors.size === 0) return true;
  const pids = await Promise.all(own.map(async ({ pid, ports }) => pid ?? (await peerOf(ports, process))));
  return pids.some((pid) => pid === undefined || ancestors.has(pid));
}

/** The process of a hook and those above it, the nearest first. */
export async function ancestorsOf(
  { pid: told, ports }: Pick<HookCall, "pid" | "ports">,
  process: Ancestry,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  let pid = (await peerOf(ports, process)) ?? told;
  while (pid !== undefined && pid > 1 && found.size < mostParents) {
    found.add(pid);
    pid = await process.parentOf(pid);
  }
  return found;
}

async function peerOf(ports: HookCall["ports"], process: Ancestry): Promise<number | undefined> {
  return ports === undefined ? undefined : await process.peerOf?.(ports);
}
