import "@theia/core/shared/reflect-metadata";
import {
  type Clock,
  type Companion,
  type CompanionOptions,
  createNodePlatform,
  LoadOnce,
  type Platform,
} from "@patchbay/core";
import { createFakeClock, type FakeClock } from "@patchbay/testkit";
import { EncodingService } from "@theia/core/lib/common/encoding-service";
import type { PatchbayWindow } from "../../src/common/protocol.ts";
import type { LeftWorkspace } from "../../src/node/workspace-storage.ts";
import { LogFanOut, WindowService } from "../../src/node/window-service.ts";
import { theiaEncodings } from "../../src/node/theia-encodings.ts";
import { WorkspaceTurns } from "../../src/node/turns/workspace-turns.ts";
import { Workspaces, type WorkspacesOptions } from "../../src/node/workspaces.ts";
import { FakeCompanion } from "./fake-companion.ts";

/** The backend's part without Theia around it. */
export interface TestBackend {
  readonly clock: FakeClock;
  readonly workspaces: Workspaces;
  readonly log: LogFanOut;
  /** What the end of it left for the next one. */
  readonly left: LeftWorkspace[];
  /** In the order in which they were made. */
  readonly companions: readonly FakeCompanion[];
  connect(window: PatchbayWindow): WindowService;
}

export interface TestBackendOptions {
  /** Default: companions that listen nowhere. */
  readonly createCompanion?: (options: CompanionOptions) => Companion;
  readonly storageFor?: (key: string) => Promise<string | undefined>;
  readonly clock?: Clock;
  /** Where turns are noted; default: the machine itself. */
  readonly platform?: Platform;
  /** Default: `left`, and nothing to take. */
  readonly handover?: WorkspacesOptions["handover"];
}

export function createTestBackend(options: TestBackendOptions = {}): TestBackend {
  const clock = createFakeClock();
  const companions: FakeCompanion[] = [];
  const left: LeftWorkspace[] = [];
  const fake = (made: CompanionOptions): Companion => {
    const companion = new FakeCompanion(made);
    companions.push(companion);
    return companion;
  };
  const log = new LogFanOut(
    () => {},
    () => clock.now(),
  );
  const workspaces = new Workspaces({
    identity: { name: "theia", displayName: "Theia", version: "0.0.0", pids: [process.pid] },
    createCompanion: options.createCompanion ?? fake,
    storageFor: options.storageFor ?? (async () => undefined),
    handover: options.handover ?? {
      leave: async (workspaces) => void left.push(...workspaces),
      take: async () => [],
    },
    encodings: theiaEncodings(new EncodingService()),
    createTurns: (more) =>
      new WorkspaceTurns({
        ...more,
        platform: options.platform ?? createNodePlatform(),
        clock: options.clock ?? clock,
        logger: log,
      }),
    openPanel: async (host, companion, facts, turns) => {
      const { createWorkspacePanel } = await import("../../src/node/panel/workspace-panel.ts");
      return createWorkspacePanel({
        host,
        companion,
        facts,
        turns,
        platform: createNodePlatform(),
        logger: log,
        version: "0.0.0",
      });
    },
    clock: options.clock ?? clock,
    logger: log,
  });
  const hooks = new LoadOnce(async () => {
    const { AgentHooks } = await import("../../src/node/agent-hooks.ts");
    const runtime = { program: process.execPath, isElectron: false };
    return new AgentHooks({ platform: createNodePlatform(), runtime, program: "// the program" });
  });
  return {
    clock,
    workspaces,
    log,
    left,
    companions,
    connect: (window) => new WindowService(window, workspaces, log, async () => [], hooks),
  };
}

/** Lets everything that has been handed over be handled. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
