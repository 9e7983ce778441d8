import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentId } from "@patchbay/core";
import { type Agent, type AgentStart, prepareAgent } from "../agents/agent.ts";
import { kindOf } from "../agents/index.ts";
import type { EditorDriver, EditorTerminal } from "../editors/editor-driver.ts";
import type { Recorder } from "../record/recorder.ts";
import { type PanelAgent, preparePanelAgent } from "../agents/panel-agent.ts";
import type { Conversing, StartedAgent, World } from "../scenarios/scenario.ts";
import type { Lab } from "../support/lab.ts";
import { TmuxTerminal } from "../terminals/tmux.ts";
import { waitForScreen } from "../terminals/wait-for-screen.ts";

/** The world of one scenario; keeps what it started so that it can be reported on and ended. */
export class ScenarioWorld implements World {
  readonly editor: EditorDriver;
  readonly lab: Lab;
  /** Times that were noted, in milliseconds. */
  readonly figures: Record<string, number> = {};
  /** What the scenario said of itself: it explains a failure, and stands in the report. */
  readonly told: string[] = [];
  readonly #recorder: Recorder | undefined;
  readonly #started: { readonly agent: Agent; readonly terminal: EditorTerminal }[] = [];

  readonly #inPanel: PanelAgent[] = [];
  readonly #outside: TmuxTerminal[] = [];

  constructor(editor: EditorDriver, lab: Lab, recorder: Recorder | undefined) {
    this.editor = editor;
    this.lab = lab;
    this.#recorder = recorder;
  }

  async startAgent(id: AgentId, start: AgentStart = {}, earlier?: StartedAgent): Promise<StartedAgent> {
    const extra = await this.#recorder?.environmentFor(id);
    const used = this.#started.find(({ agent }) => agent === earlier?.agent)?.terminal;
    const terminal = used ?? (start.isOutside === true ? await this.#openOutside() : await this.editor.openTerminal());
    // Its model listens from now on, so nothing may fail before somebody is to end it.
    const agent = await prepareAgent(kindOf(id), this.lab, extra, start);
    this.#started.push({ agent, terminal });
    await terminal.type(agent.launcher);
    await terminal.press("Enter");
    if (start.headless === undefined) await agent.waitUntilReady(terminal);
    else await agent.waitUntilAsking(terminal);
    return { agent, focus: () => terminal.focus() };
  }

  async #openOutside(): Promise<EditorTerminal> {
    const pane = new TmuxTerminal();
    this.#outside.push(pane);
    await pane.start({ directory: this.lab.workspace, env: this.lab.env, command: ["true"] });
    await waitForScreen(pane, /[$#]\s*$/, 10_000);
    return {
      screen: () => pane.screen(),
      type: (text) => pane.type(text),
      press: (key) => pane.press(key),
      focus: async () => {},
    };
  }

  async preparePanel(id: AgentId): Promise<PanelAgent> {
    const agent = await preparePanelAgent(kindOf(id), this.lab);
    this.#inPanel.push(agent);
    return agent;
  }

  async converse(id: AgentId, before?: (agent: PanelAgent) => Promise<void>): Promise<Conversing> {
    const agent = await this.preparePanel(id);
    await before?.(agent);
    const panel = await this.editor.openPanel?.();
    if (panel === undefined) throw new Error(`${this.editor.displayName} has no conversation panel`);
    await panel.begin(agent.kind.displayName);
    return { agent, panel };
  }

  async writeFile(name: string, contents: string): Promise<string> {
    const path = join(this.lab.workspace, name);
    await writeFile(path, contents);
    return path;
  }

  async readFile(name: string): Promise<string> {
    return await readFile(join(this.lab.workspace, name), "utf8");
  }

  note(what: string, milliseconds: number): void {
    this.figures[what] = Math.round(milliseconds);
  }

  tell(line: string): void {
    this.told.push(line);
  }

  /** What every agent showed last and what its model was asked, by file name. */
  async evidence(): Promise<ReadonlyMap<string, string>> {
    const files = new Map<string, string>();
    for (const { agent, terminal } of this.#started) {
      files.set(`${agent.kind.id}-screen.txt`, await terminal.screen().catch(String));
      files.set(`${agent.kind.id}-model.jsonl`, agent.model.requests.map((request) => `${request.text}\n`).join(""));
    }
    for (const { kind, model } of this.#inPanel)
      files.set(`${kind.id}-panel-model.jsonl`, model.requests.map((request) => `${request.text}\n`).join(""));
    return files;
  }

  /** Ends the agents' models; terminals in the editor are the editor's to close. */
  async dispose(): Promise<void> {
    for (const { agent } of this.#started) agent.dispose();
    for (const { model } of this.#inPanel) model.close();
    for (const pane of this.#outside) await pane.dispose();
  }
}
