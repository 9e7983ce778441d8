import { agentOf } from "../agents/catalogue.ts";
import type { AgentService, ServiceDesk } from "../agents/service.ts";
import { findService } from "../discovery/find-service.ts";
import { connectToService } from "../endpoint/service-socket.ts";
import type { Platform } from "../platform/platform.ts";
import { splitPath } from "../storage/private-directory.ts";
import { type Disposable, onAbort } from "../support/disposable.ts";
import { nullLogger } from "../support/logger.ts";
import { type AgentSettings, isHooked } from "./examine-editor.ts";
import { type Finding, findingOf } from "./finding.ts";

/** Until it says who it is, ms. */
const answerMs = 3_000;

/** Can editors join the agent's own service? One that is not running says nothing: its agent starts it. */
export async function examineService(settings: AgentSettings, platform: Platform): Promise<readonly Finding[]> {
  const { agent, serviceOff } = settings;
  const service = await agentOf(agent).loadService?.();
  if (service === undefined) return [];
  const isReviewed = isHooked(settings);
  // The hook has everything reviewed without it.
  if (serviceOff !== undefined) return isReviewed ? [] : [findingOf("service-off", "hint", agent, serviceOff)];
  const found = await findService(platform, service).catch(() => undefined);
  if (found === undefined) return [];
  const level = isReviewed ? "hint" : "problem";
  if (found.openToOthers !== undefined) {
    const directory = splitPath(platform, found.openToOthers).parent;
    return [findingOf("directory-open-to-others", level, agent, { directory })];
  }
  return (await isKnown(service, found.path, platform)) === false
    ? [findingOf("service-unknown", level, agent, { path: found.path })]
    : [];
}

/** Nothing is asked of it but who it is. */
const nobody: ServiceDesk = {
  isOurs: async () => false,
  tell: () => {},
  askAboutPatch: async () => ({ kind: "leave" }),
  askAboutCommand: async () => ({ kind: "leave" }),
};

/** Undefined: nobody listens there any more. */
async function isKnown(service: AgentService, path: string, { clock }: Platform): Promise<boolean | undefined> {
  const over = new AbortController();
  const said: unknown[] = [];
  let isUnderstood = false;
  let heard = (message: unknown): void => void said.push(message);
  const socket = await connectToService({
    logger: nullLogger,
    path,
    onMessage: (message) => heard(message),
    onClosed: () => over.abort(),
  });
  if (socket === undefined) return undefined;
  const timer = clock.setTimeout(() => over.abort(), answerMs);
  let following: Disposable | undefined;
  try {
    return await new Promise<boolean>((resolve) => {
      following = onAbort(over.signal, () => resolve(false));
      const talk = service.join(
        {
          send: (message) => {
            if (!isUnderstood) socket.send(message);
          },
          leave: () => resolve(false),
          understood: () => {
            isUnderstood = true;
            resolve(true);
          },
          clientVersion: "0.0.0",
          expected: new Set(),
        },
        nobody,
      );
      heard = (message) => talk.heard(message);
      for (const message of said) heard(message);
    });
  } finally {
    timer.dispose();
    following?.dispose();
    socket.close();
  }
}
