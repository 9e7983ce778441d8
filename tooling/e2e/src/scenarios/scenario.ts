import type { AgentId } from "@patchbay/core";
import type { Agent, AgentStart } from "../agents/agent.ts";
import type { PanelAgent } from "../agents/panel-agent.ts";
import type { ConversationPanel } from "../editors/vscode/conversation-panel.ts";
import type { EditorDriver } from "../editors/editor-driver.ts";
import type { Lab } from "../support/lab.ts";

/** What a scenario has at hand. */
export interface World {
  readonly editor: EditorDriver;
  readonly lab: Lab;
  /**
   * Starts an agent in a new terminal of the editor and waits until it takes prompts; `earlier`: in the terminal of this one, which has
   * ended.
   */
  startAgent(id: AgentId, start?: AgentStart, earlier?: StartedAgent): Promise<StartedAgent>;
  /** Sets an agent up for the conversation panel, which starts it itself. */
  preparePanel(id: AgentId): Promise<PanelAgent>;
  /** Begins a conversation with an agent in the panel, which starts it. `before`: with the agent, before that. */
  converse(id: AgentId, before?: (agent: PanelAgent) => Promise<void>): Promise<Conversing>;
  /** Writes a file of the workspace and returns its path. */
  writeFile(name: string, contents: string): Promise<string>;
  readFile(name: string): Promise<string>;
  /** Keeps a time for the report of the run, in milliseconds. */
  note(what: string, milliseconds: number): void;
  /** Keeps a line for what is printed if this fails. */
  tell(line: string): void;
}

/** An agent in a terminal of the editor. */
export interface StartedAgent {
  readonly agent: Agent;
  /** Brings its terminal to the front. */
  focus(): Promise<void>;
}

/** A conversation with an agent in the panel. */
export interface Conversing {
  readonly agent: PanelAgent;
  readonly panel: ConversationPanel;
}

/** One thing a user does, and the evidence that it worked. Throws where it did not. */
export interface Scenario {
  readonly name: string;
  /** The agents it exists for; `all` for one run with all of them at once. */
  readonly agents: readonly AgentId[] | "all";
  /** Others that it starts. */
  readonly beside?: readonly AgentId[];
  /** Chosen by this word or by its whole name, not with everything of its editor. */
  readonly group?: "panel" | "hook";
  /** Whether it is run with `patchbay serve`, too, which has a terminal and no editor. */
  readonly inServe?: boolean;
  /** Whether it is run with `patchbay panel`, too, which has a page and no editor. */
  readonly inPage?: boolean;
  /** Absent on editors that lack what it needs. */
  isFor?(editor: EditorDriver): boolean;
  /** What Patchbay may tell the user meanwhile; anything else it says is a failure: users did not ask. */
  readonly mayTell?: RegExp;
  run(world: World, agent: AgentId): Promise<void>;
}

/** What all conversations in the panel have in common. */
export const inPanelOfEditor: Pick<Scenario, "group" | "isFor"> = {
  group: "panel",
  isFor: (editor) => editor.openPanel !== undefined && editor.takeTerminal !== undefined && editor.reload !== undefined,
};

/** The same, where it needs nothing but the panel: also in a page by itself. */
export const inPanel: Pick<Scenario, "group" | "isFor" | "inPage"> = {
  group: "panel",
  inPage: true,
  isFor: (editor) => editor.id === "page" || inPanelOfEditor.isFor?.(editor) === true,
};

/** The same, where the agents of the panel end with the window. */
export const inPanelOfWindow: Pick<Scenario, "group" | "isFor"> = {
  ...inPanelOfEditor,
  isFor: (editor) => editor.keepsConversations !== true && inPanelOfEditor.isFor?.(editor) === true,
};

/** Throws with both values unless they are the same. */
export function mustEqual(what: string, seen: string, wanted: string): void {
  if (seen !== wanted) throw new Error(`${what} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`);
}

/** Throws unless the condition holds. */
export function must(what: string, holds: boolean): void {
  if (!holds) throw new Error(`it should be that ${what}`);
}
