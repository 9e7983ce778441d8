import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import {
  type AgentDriver,
  type AgentDriverOptions,
  createGeminiDriver,
  createMemoryEditor,
  createTestPlatform,
  type MemoryEditor,
  type TestPlatform,
  type TestPlatformOptions,
} from "@patchbay/testkit";
import { onTestFinished } from "vitest";
import type { Companion } from "../src/companion.ts";
import { createCompanion } from "../src/create-companion.ts";
import type { TurnWitness } from "../src/hooks/turn-witness.ts";

/** One run of the editor: an editor in memory and its companion. */
export interface EditorRun {
  readonly editor: MemoryEditor;
  readonly companion: Companion;
}

/** A workspace on the real machine, with editors and agents that come and go; everything ends with the test. */
export interface WorkspaceLab {
  readonly platform: TestPlatform;
  /** A file of the workspace. */
  readonly file: string;
  /** Another run for this workspace and its storage, not started. */
  build(folders?: readonly string[], port?: number, turns?: TurnWitness): EditorRun;
  /** An agent that is connected, Gemini CLI by default. */
  agent(create?: (options: AgentDriverOptions) => AgentDriver): Promise<AgentDriver>;
}

/** Makes the workspace, with `text` in its file. */
export function createWorkspaceLab(text: string = "one\ntwo\n", options: TestPlatformOptions = {}): WorkspaceLab {
  const platform = createTestPlatform(options);
  onTestFinished(() => platform.dispose());
  const file = join(platform.workspace, "main.ts");
  writeFileSync(file, text);
  return {
    platform,
    file,
    build: (folders = [platform.workspace], port, turns) => {
      const editor = createMemoryEditor({
        folders,
        storageDirectory: join(platform.root, "storage"),
        readDisk: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
      });
      const companion = createCompanion({
        host: editor,
        platform,
        ...(port === undefined ? {} : { port }),
        ...(turns === undefined ? {} : { turns }),
      });
      onTestFinished(() => companion.stop());
      return { editor, companion };
    },
    agent: async (create = createGeminiDriver) => {
      const driver = create({ cwd: platform.workspace, home: platform.home, temporaryDirectory: platform.tmp });
      onTestFinished(() => driver.end());
      await driver.connect();
      return driver;
    },
  };
}

/** The port a companion listens on; 0 where it does not. */
export const portOf = ({ state }: Companion): number => (state.kind === "listening" ? state.port : 0);

/** Whether anybody listens on a port. */
export async function answers(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
