import type { Dialect } from "../agents/dialect.ts";
import { createNodeFiles } from "../platform/node-files.ts";
import { createNodeProcessFacts } from "../platform/node-process.ts";
import { findCompanions, type HookPlatform } from "./find-companions.ts";

/** The machine without what a hook never needs: each module costs it a millisecond or more. */
export function thisMachine(): HookPlatform {
  return {
    clock: { monotonic: () => performance.now() },
    files: createNodeFiles(),
    process: createNodeProcessFacts(),
  };
}

/** An editor that is started anew takes so long, ms; after that its agent goes on without it. */
const comeBackMs = 20_000;

/** How often a companion is looked for meanwhile, ms. */
const lookAgainMs = 250;

/** A companion that ends so soon after it was asked, ms, may have ended because of that. */
const soonMs = 10_000;

/** So often in a row that is taken for chance. */
const mostSoonCuts = 3;

/** So long in all may those take that do not let it in, ms. */
const shutOutMs = 6_000;

export interface HookRun {
  readonly platform: HookPlatform;
  readonly dialect: Pick<Dialect, "places" | "portVariable">;
  /** What the agent gave on the standard input. */
  readonly event: string;
  /** Where the hook was started. */
  readonly cwd: string;
  /** How long the agent waits, as far as it is known, ms. */
  readonly limitMs: number;
}

/**
 * What the hook of an agent prints for an event; undefined: nothing, and the agent goes on as if there were no hook
 * (docs/decisions/0007-hooks.md). Never rejects.
 */
export async function runHook({ platform, dialect, event, cwd, limitMs }: HookRun): Promise<string | undefined> {
  try {
    const begun = platform.clock.monotonic();
    const folder = folderOf(event) ?? cwd;
    const now = (): number => platform.clock.monotonic();
    let until = begun;
    let shutOut = 0;
    let soonCuts = 0;
    for (;;) {
      const companions = await findCompanions(platform, dialect, folder);
      if (companions.length === 0 && now() >= until) return undefined;
      // What speaks HTTP is loaded where there is somebody to speak to.
      const { askHook } = await import("../endpoint/ask-hook.ts");
      for (const { port, token } of companions) {
        const left = limitMs - (now() - begun);
        if (left <= 0) return undefined;
        const asked = now();
        const reply = await askHook({ port, token, event, pid: platform.process.pid, limitMs: left });
        if (reply.kind === "answered") return reply.output;
        if (reply.kind === "cut") {
          until = now() + comeBackMs;
          soonCuts = now() - asked < soonMs ? soonCuts + 1 : 0;
        } else shutOut += now() - asked;
        if (soonCuts > mostSoonCuts || shutOut >= shutOutMs) return undefined;
      }
      if (now() >= until) return undefined;
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
  } catch {
    // An agent is never made unusable by its hook.
    return undefined;
  }
}

/** Where the agent works, as it says. */
function folderOf(event: string): string | undefined {
  const told: unknown = JSON.parse(event);
  const folder = typeof told === "object" && told !== null && "cwd" in told ? told.cwd : undefined;
  return typeof folder === "string" && folder !== "" ? folder : undefined;
}
