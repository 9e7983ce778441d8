import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Companion, EditorHost, Logger, Platform, ProcessFacts, TurnWitness } from "@patchbay/core";
import { readTexts } from "@patchbay/languages/node";
import { AgentPrograms, type AgentProgramSettings } from "../agents/index.ts";
import { createSessionHost, PanelHost, type ReviewDesks } from "../host/index.ts";
import { PageEditor, type PageEditorOptions } from "./page-editor.ts";
import { openLibrary } from "../workspace/index.ts";
import { type PanelServer, type PanelServerOptions, startPanelServer } from "./panel-server.ts";

export interface PagePanelOptions
  extends Pick<PanelServerOptions, "pageDirectory" | "locale" | "port" | "deskSecret" | "beginWith" | "onIdle">,
    Pick<PageEditorOptions, "showFile"> {
  /** The editor in whose process this runs, or what stands for it. */
  readonly host: EditorHost;
  /** Reviews the changes that conversations ask for. It need not have been started. */
  readonly companion: Pick<Companion, "review" | "reveal" | "conversationEnded" | "mayName">;
  /** Reviews that the page shows; absent: the editor does. */
  readonly reviews?: ReviewDesks;
  /** Hears of what agents do to files. */
  readonly turns?: TurnWitness;
  readonly platform: Platform;
  readonly logger: Logger;
  /** Of Patchbay, as agents are told. */
  readonly version: string;
  /** Absolute: where the conversations are kept. */
  readonly storageDirectory: string;
  readonly settings: AgentProgramSettings;
}

/** The panel of a folder in a browser. */
export interface PagePanel extends Pick<PanelServer, "port" | "url"> {
  readonly panels: PanelHost;
  /** Says something in the page in which the user is. */
  readonly tell: PageEditor["tell"];
  /** Whether a process is an agent of this panel, which is not to connect to the companion as well. */
  isOwn(pid: number): boolean;
  /** Ends the server and all agents: what was said is on disk when this resolves. */
  close(): Promise<void>;
  /** The last moment of the process: nothing of the agents stays. */
  endNow(): void;
}

/** Opens the panel as a page on the loopback interface. Nothing is started before the page asks. */
export async function startPagePanel(options: PagePanelOptions): Promise<PagePanel> {
  const { host, companion, reviews, turns, platform, logger, version, settings, locale } = options;
  const { clock, files } = platform;
  const mayName = (path: string): boolean => companion.mayName(path);
  const texts = readTexts(join(options.pageDirectory, "languages"), locale);
  const programs = new AgentPrograms({ platform, logger, version, settings });
  const editor = new PageEditor({
    host,
    locale,
    texts,
    mayName,
    clock,
    tell: (message) => server.tell(message),
    showFile: options.showFile,
    programFor: async (agent) => await programs.inTerminal(agent),
    commandFor: async (agent, command) => await programs.commandInTerminal(agent, command),
  });
  const isWindows = platform.process.platform === "win32";
  const agentName = (agent: string): string => panels.agents.find(({ id }) => id === agent)?.name ?? agent;
  const panels: PanelHost = new PanelHost({
    editor,
    companion,
    ...(reviews === undefined ? {} : { reviews }),
    clock,
    logger,
    agents: programs.known,
    findAgents: async () => await programs.find(),
    conversations: openLibrary({
      platform,
      logger,
      directory: join(options.storageDirectory, "conversations"),
      host: createSessionHost({ host, files, clock, isShared: mayName, isWindows }),
      connect: (request) => programs.connect(request),
      listers: programs.listers,
      ...(turns === undefined ? {} : { turns: { witness: turns, agentName } }),
    }),
  });
  const { pageDirectory, port, deskSecret, beginWith, onIdle } = options;
  const how = { pageDirectory, locale, texts, port, deskSecret, beginWith, onIdle };
  const server = await startPanelServer({ panels, clock, logger, ...how });
  return {
    panels,
    tell: (severity, sentence) => editor.tell(severity, sentence),
    port: server.port,
    url: () => server.url(),
    isOwn: (pid) => programs.isOwn(pid),
    close: async () => {
      await server.close();
      await panels.close();
    },
    endNow: () => programs.endNow(),
  };
}

/**
 * Where the panel of a folder keeps its conversations: below XDG_STATE_HOME, ~/.local/state or %LOCALAPPDATA%. It is the same for the
 * terminal and for editors without a storage of their own for each workspace, so that each finds what was said in the others.
 */
export function panelDirectory(
  { environment, homeDirectory, platform }: Pick<ProcessFacts, "environment" | "homeDirectory" | "platform">,
  folder: string,
): string {
  const configured = environment(platform === "win32" ? "LOCALAPPDATA" : "XDG_STATE_HOME") ?? "";
  const state = configured === "" ? join(homeDirectory, ".local", "state") : configured;
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  return join(state, "patchbay", "panel", name);
}
