import type { PrivateStorage } from "../discovery/private-storage.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Clock } from "../platform/platform.ts";
import type { Session } from "../session/session.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

/** Key under which a run that is about to come back says that agents were connected to it. */
const attachedKey = "attached";
/** Agents of a run that ended longer ago have ended with their terminals, or were connected again, ms. */
const worthTellingMs = 10 * 60_000;

/** Notes for the next run which agents were connected to this one. */
export async function noteAttached(
  storage: PrivateStorage,
  sessions: readonly Session[],
  clock: Pick<Clock, "now">,
): Promise<void> {
  const agentNames = sessions.filter(({ isOpen }) => isOpen).map(({ dialect }) => dialect.agentName);
  if (agentNames.length > 0) await storage.write(attachedKey, `${clock.now()} ${[...new Set(agentNames)].join(", ")}`);
  else await storage.remove(attachedKey);
}

/**
 * Tells the user once what to type where agents were left without their port or their token: they only ever dial the old
 * one (docs/protocols/gemini.md, claude.md), and nothing on our side can reach them.
 */
export async function tellPortLost(
  host: Pick<EditorHost, "messages">,
  storage: PrivateStorage,
  { clock, logger }: { readonly clock: Pick<Clock, "now">; readonly logger: Logger },
): Promise<void> {
  try {
    const [, at, agents] = /^(\d+) (.+)$/u.exec((await storage.read(attachedKey)) ?? "") ?? [];
    if (at === undefined || agents === undefined) return;
    await storage.remove(attachedKey);
    if (clock.now() - Number(at) > worthTellingMs) return;
    const text = `${agents} cannot come back without your help: while this editor was away, another program could have its port. Connect again: type "/ide enable" in Gemini CLI and Qwen Code, "/ide" in Claude Code.`;
    await host.messages.show({ code: "port-lost", severity: "warning", text, actions: [], values: { agents } });
  } catch (error) {
    logger.warn("It could not be told that agents have to connect again", { reason: messageOf(error) });
  }
}
