import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { commandLine } from "../../agents/agent.ts";
import { panelReadersToo } from "../../agents/index.ts";
import { panelProgram } from "../../agents/panel-agent.ts";
import { nodeBinary } from "../../prerequisites/components.ts";
import type { Lab } from "../../support/lab.ts";
import { poll } from "../../support/poll.ts";
import { findProcesses, isAlive } from "../../support/processes.ts";
import { TmuxTerminal } from "../../terminals/tmux.ts";
import { waitForScreen } from "../../terminals/wait-for-screen.ts";
import { launchBrowser } from "../browser.ts";
import { ConversationPanel } from "../vscode/conversation-panel.ts";

/** Longest wait for the program's link, ms. */
const patience = 30_000;

/** `patchbay panel` in a tmux pane, and its page in a browser. */
export class PanelProgram {
  #pane: TmuxTerminal | undefined;
  #browser: Browser | undefined;
  #page: Page | undefined;

  /** The page, once `open` was called. */
  get page(): Page {
    if (this.#page === undefined) throw new Error("the page is not open");
    return this.#page;
  }

  /** Starts the program for the lab's workspace; again after `end`, and a page that is still open finds it. */
  async start(lab: Lab): Promise<void> {
    const configuration = join(lab.home, ".config", "patchbay");
    await mkdir(configuration, { recursive: true });
    const agents = Object.fromEntries(panelReadersToo.map((id) => [id, { program: panelProgram(lab, id) }]));
    await writeFile(join(configuration, "panel.json"), JSON.stringify({ agents }));
    const pane = new TmuxTerminal();
    this.#pane = pane;
    const command = [nodeBinary(), commandLine, "panel", lab.workspace, "--no-open"];
    await pane.start({ directory: lab.workspace, env: lab.env, command });
    await waitForScreen(pane, /Ctrl-C ends it and its agents/u, patience);
  }

  /** Opens the page by the link of the terminal; the same page again where it is open. */
  async open(): Promise<ConversationPanel> {
    if (this.#page === undefined) {
      const link = await this.#link();
      this.#browser = await launchBrowser();
      const context = await this.#browser.newContext({ viewport: { width: 1100, height: 800 } });
      this.#page = await context.newPage();
      await this.#page.goto(link);
    }
    const panel = new ConversationPanel(this.#page, this.#page);
    await panel.waitUntilReady();
    return panel;
  }

  /** Lets the page in that is still open after a restart: by the new link, in another tab of its browser. */
  async letIn(): Promise<void> {
    const tab = await this.page.context().newPage();
    await tab.goto(await this.#link());
    await new ConversationPanel(tab, tab).waitUntilReady();
    await tab.close();
  }

  async #link(): Promise<string> {
    const link = /http:\/\/127\.0\.0\.1:\S+/u.exec(await this.screen())?.[0];
    if (link === undefined) throw new Error(`there is no link:\n${await this.screen()}`);
    return link;
  }

  async screen(): Promise<string> {
    return (await this.#pane?.screen()) ?? "";
  }

  /** Ends the program as its user does, and leaves its page open. */
  async end(): Promise<void> {
    await this.#pane?.press("Control+C");
    if (this.#pane !== undefined) await waitForScreen(this.#pane, /[$#]\s*$/u, patience);
    await this.#pane?.dispose();
    this.#pane = undefined;
  }

  /** Kills the program, and leaves its page open. */
  async kill(lab: Lab): Promise<void> {
    const [pid, ...others] = await findProcesses(lab.root, /patchbay\.js\0panel\0/u);
    if (pid === undefined || others.length > 0) throw new Error(`there are ${others.length} programs, and ${pid}`);
    process.kill(pid, "SIGKILL");
    await poll("the end of the program", () => !isAlive(pid), { timeout: patience });
    await this.#pane?.dispose();
    this.#pane = undefined;
  }

  /** Ends everything. Idempotent. */
  async stop(): Promise<void> {
    await this.#browser?.close();
    this.#browser = undefined;
    this.#page = undefined;
    await this.end();
  }
}
