import { join } from "node:path";
import { nullLogger, type Platform } from "@patchbay/core";
import { createFakeClock, createTestPlatform, type FakeClock } from "@patchbay/testkit";
import { onTestFinished } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import type { ConversationOptions } from "../../src/conversation/conversation-parts.ts";
import type { SessionHost } from "../../src/driver.ts";
import type { PromptBlock } from "../../src/model/entries.ts";
import { ConversationStore } from "../../src/transcript/conversation-store.ts";
import { type LineFiles, nodeLineFiles } from "../../src/transcript/line-files.ts";
import type { About } from "../../src/transcript/line.ts";
import { noHost } from "./no-host.ts";
import { ScriptedSession } from "./scripted-session.ts";

export const textBlock = (text: string): PromptBlock => ({ type: "text", text });

export interface Lab {
  readonly clock: FakeClock;
  readonly platform: Platform;
  readonly directory: string;
  readonly store: ConversationStore;
  readonly sessions: ScriptedSession[];
  /** What each session does when it is started. */
  onStart: (session: ScriptedSession) => Promise<void> | void;
  host: SessionHost;
  open(id?: string, store?: ConversationStore): Promise<Conversation>;
  /** The store as another process sees it. */
  storeOf(pid: number): ConversationStore;
  /** The newest session. */
  readonly session: ScriptedSession;
}

/** Conversations on a real disk, with a clock that stands still and agents that say what the test has them say. */
export function makeLab(
  options: Pick<Partial<ConversationOptions>, "connect" | "storage" | "turns"> & {
    readonly files?: LineFiles;
    /** Where the agent works. */
    readonly folder?: string;
    readonly clock?: FakeClock;
  } = {},
): Lab {
  const clock = options.clock ?? createFakeClock();
  const platform = createTestPlatform({ clock });
  onTestFinished(() => platform.dispose());
  const directory = join(platform.root, "storage", "conversations");
  const files = options.files ?? nodeLineFiles;
  const storeOf = (pid: number): ConversationStore =>
    new ConversationStore({
      platform: {
        ...platform,
        process: { ...platform.process, pid, isAlive: (one) => one < 100_000, startMark: async (one) => `${one}` },
      },
      files,
      directory,
      logger: nullLogger,
    });
  const store = storeOf(1);
  const sessions: ScriptedSession[] = [];
  const lab: Lab = {
    clock,
    platform,
    directory,
    store,
    storeOf,
    sessions,
    onStart: () => {},
    host: noHost,
    open: async (id = "c1", from = store) => {
      const now = clock.now();
      const about: About = {
        id,
        agent: "claude",
        folder: options.folder ?? "/w",
        at: now,
        usedAt: now,
        title: "",
        titleFrom: "nobody",
      };
      return await Conversation.open({
        about,
        clock,
        host: lab.host,
        openFile: () => from.open(id),
        storage: options.storage ?? from.values,
        turns: options.turns,
        connect: (request) => {
          if (options.connect !== undefined) return options.connect(request);
          const session = new ScriptedSession(request, lab.onStart);
          sessions.push(session);
          return session;
        },
        random: platform.random,
        logger: nullLogger,
      });
    },
    get session() {
      const session = sessions.at(-1);
      if (session === undefined) throw new Error("No session was started.");
      return session;
    },
  };
  return lab;
}
