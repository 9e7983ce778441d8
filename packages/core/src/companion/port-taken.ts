import type { PrivateStorage } from "../discovery/private-storage.ts";
import type { EditorHost } from "../editor-host.ts";
import type { Session } from "../session/session.ts";
import { messageOf } from "../support/errors.ts";
import type { Logger } from "../support/logger.ts";

/** Key under which a run that is about to come back says that agents were connected to it. */
const attachedKey = "attached";

/** Notes for the next run which agents were connected to this one. */
export async function noteAttached(storage: PrivateStorage, sessions: readonly Session[]): Promise<void> {
  const agentNames = sessions.filter(({ isOpen }) => isOpen).map(({ dialect }) => dialect.agentName);
  if (agentNames.length > 0) await storage.write(attachedKey, [...new Set(agentNames)].join(", "));
  else await storage.remove(attachedKey);
}

/**
 * Tells the user once what to type where agents were left without their port: they only ever dial the old one
 * (docs/protocols/gemini.md, claude.md), and nothing on our side can reach them.
 */
export async function tellPortTaken(
  host: Pick<EditorHost, "messages">,
  storage: PrivateStorage,
  logger: Logger,
): Promise<void> {
  try {
    const agents = await storage.read(attachedKey);
    if (agents === undefined) return;
    await storage.remove(attachedKey);
    const text = `Another program has taken the port on which ${agents} reached this editor. Connect again: type "/ide enable" in Gemini CLI and Qwen Code, "/ide" in Claude Code.`;
    await host.messages.show({ code: "port-taken", severity: "warning", text, actions: [], values: { agents } });
  } catch (error) {
    logger.warn("It could not be told that agents have to connect again", { reason: messageOf(error) });
  }
}
