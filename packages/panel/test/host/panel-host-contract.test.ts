import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { ConversationLibrary, ConversationStore, nodeLineFiles } from "@patchbay/conversations";
import { createCompanion, createNodePlatform, Emitter, type Logger } from "@patchbay/core";
import {
  createMemoryEditor,
  createTestPlatform,
  type PanelHostContractOptions,
  type PanelHostControls,
  panelHostContract,
} from "@patchbay/testkit";
import { AgentPrograms } from "../../src/agents/index.ts";
import { createSessionHost, PanelHost } from "../../src/host/index.ts";
import { openLedger } from "./open-ledger.ts";
import { panelEditor } from "./panel-lab.ts";

/** The host itself, with real programs on a real disk and an editor that only notes. */
const create: PanelHostContractOptions["create"] = async ({ id, name, program }): Promise<PanelHostControls> => {
  const machine = createTestPlatform();
  const platform = createNodePlatform();
  const { clock, files, random } = platform;
  const folder = machine.workspace;
  mkdirSync(folder, { recursive: true });
  const logged: string[] = [];
  const note = (message: string): void => void logged.push(message);
  const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const editor = createMemoryEditor({
    folders: [folder],
    storageDirectory: join(machine.root, "storage"),
    readDisk: (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  });
  const turns = openLedger(machine, folder, machine.root);
  const companion = createCompanion({ host: editor, platform: machine, turns });
  const programs = new AgentPrograms({
    platform,
    logger,
    version: "0.0.0",
    settings: {
      agents: () => ({ [id]: { name, program } }),
      autosave: () => true,
      reasonNotToStart: () => undefined,
    },
  });
  const directory = join(machine.root, "conversations");
  const panels = new PanelHost({
    companion,
    conversations: new ConversationLibrary({
      store: new ConversationStore({ platform, logger, directory, files: nodeLineFiles }),
      host: createSessionHost({ host: editor, files, clock, isShared: () => true, isWindows: false }),
      connect: (request) => programs.connect(request),
      turns: { witness: turns, ledger: turns.conversations, agentName: () => name },
      files: nodeLineFiles,
      clock,
      random,
      logger,
      listers: [],
    }),
    trials: { tryAgent: async () => ({ kind: "failed", reason: "", words: "" }), added: () => undefined },
    editor: panelEditor({ folders: [folder], chosen: undefined }, [], "en"),
    files,
    clock,
    logger,
    agents: programs.known,
    findAgents: async () => await programs.find(),
  });
  return {
    folder,
    openPage: async () => {
      const messages: unknown[] = [];
      const said = new Emitter<unknown>();
      let isThere = true;
      panels.connect({
        post: async (message) => {
          if (isThere) messages.push(structuredClone(message));
          return isThere;
        },
        onMessage: said.event,
      });
      return {
        messages,
        say: async (message) => said.fire(message),
        leave: async () => void (isThere = false),
        comeBack: async () => void (isThere = true),
      };
    },
    logged: () => logged,
    close: async () => await panels.close(),
    dispose: async () => {
      await panels.close();
      await companion.stop();
      turns.dispose();
      machine.dispose();
    },
  };
};

panelHostContract({ runner: { describe, it }, create });
