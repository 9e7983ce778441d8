import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentNamePattern, areAllAnnounced } from "../../agents/records.ts";
import { nodeBinary } from "../../prerequisites/components.ts";
import type { Lab } from "../../support/lab.ts";
import { pause, poll } from "../../support/poll.ts";
import { quote, TmuxTerminal } from "../../terminals/tmux.ts";
import { waitForScreen } from "../../terminals/wait-for-screen.ts";
import type { EditorDriver, EditorTerminal } from "../editor-driver.ts";

/** Longest that one thing may take, ms. */
const patience = 30_000;
/** An answer that comes sooner after its question is not used, ms. */
const grace = 1_100;

/** `patchbay serve` in a tmux pane; each agent has a pane of its own, as in another terminal. */
export class ServeDriver implements EditorDriver {
  readonly id = "serve" as const;
  readonly displayName = "Patchbay";
  readonly #program: string;
  #pane: TmuxTerminal | undefined;
  #terminals: readonly TmuxTerminal[] = [];
  #lab: Lab | undefined;

  constructor(program: string) {
    this.#program = program;
  }

  async start(lab: Lab): Promise<void> {
    this.#lab = lab;
    this.#pane = new TmuxTerminal();
    await this.#pane.start({ directory: lab.workspace, env: lab.env, command: this.#command() });
    await this.#untilAnnounced();
  }

  /** As its user does it: what counts for all in the folder's file, and a serve that reviews no more than that. */
  async setReviews(reviews: Readonly<Record<string, unknown>>): Promise<void> {
    const lab = this.#startedLab;
    const file = join(lab.workspace, ".patchbay.json");
    const isAll = reviews["*"] === "always";
    if (isAll) await rm(file, { force: true });
    else await writeFile(file, JSON.stringify({ reviews }));
    await this.#line("quit");
    await poll("the end of serve", () => this.#hasEnded(), { timeout: patience, describe: () => this.logs() });
    await this.#startAgain(isAll ? [] : ["--reviews", "asks-itself"]);
  }

  /** The next one is started by hand. */
  async killHost(): Promise<void> {
    process.kill(Number(await readFile(this.#pidFile, "utf8")), "SIGKILL");
    await poll("the end of serve", () => this.#hasEnded(), { timeout: patience, describe: () => this.logs() });
    await this.#startAgain([]);
  }

  async stop(): Promise<void> {
    await this.clear();
    await this.#pane?.dispose();
    this.#pane = undefined;
  }

  async openTerminal(): Promise<EditorTerminal> {
    const lab = this.#startedLab;
    const pane = new TmuxTerminal();
    this.#terminals = [...this.#terminals, pane];
    await pane.start({ directory: lab.workspace, env: lab.env, command: ["true"] });
    await waitForScreen(pane, /[$#]\s*$/, patience);
    return {
      screen: () => pane.screen(),
      type: (text) => pane.type(text),
      press: (key) => pane.press(key),
      focus: async () => {},
    };
  }

  async openFile(name: string): Promise<void> {
    await this.#line(`open ${name}`);
  }

  async selectLine(): Promise<void> {
    throw new Error("a terminal has no selection");
  }

  async sendSelection(): Promise<void> {
    throw new Error("a terminal has no selection");
  }

  /** The one that is asked about: its heading, as the agent's wish. */
  async openDiffs(): Promise<readonly string[]> {
    const lines = (await this.#screen()).split("\n");
    const [, name] = /^(.+): \[a\]ccept \[r\]eject .*> ?$/u.exec(lines.at(-1) ?? "") ?? [];
    if (name === undefined) return [];
    const heading = lines.findLast((line) => agentNamePattern.test(line) && line.includes(` ${name}  `));
    return heading === undefined ? [] : [heading];
  }

  async showDiff(title: RegExp): Promise<void> {
    await poll(`${title} in front`, async () => (await this.openDiffs()).some((one) => title.test(one)), {
      timeout: patience,
      describe: () => this.#screen(),
    });
  }

  async acceptDiff(): Promise<void> {
    await pause(grace);
    await this.#type("a");
  }

  async rejectDiff(): Promise<void> {
    await this.#line("reject");
  }

  async rejectWithReason(reason: string): Promise<void> {
    await this.#line(`r ${reason}`);
  }

  async typeInDiff(): Promise<void> {
    throw new Error("what is proposed is edited in another program");
  }

  async readDiff(): Promise<string> {
    return await this.#screen();
  }

  async answerNotification(button: string): Promise<string> {
    const key = new RegExp(`\\[(\\d)\\] ${button}\\b.*> ?$`, "u");
    const shown = await waitForScreen(this.#serving, key, patience);
    await pause(grace);
    await this.#type(key.exec(shown)?.[1] ?? "");
    return shown;
  }

  async rejectCommand(reason: string): Promise<void> {
    await waitForScreen(this.#serving, /\[2\] Reject > ?$/u, patience);
    await this.#line(`r ${reason}`);
  }

  async waitForAgent(displayName: string): Promise<void> {
    await waitForScreen(this.#serving, new RegExp(`${displayName}.* has connected\\.`, "u"), patience);
  }

  async isTerminalFocused(): Promise<boolean> {
    return true;
  }

  async clear(): Promise<void> {
    for (const terminal of this.#terminals) await terminal.dispose();
    this.#terminals = [];
  }

  async screenshot(file: string): Promise<void> {
    await writeFile(file.replace(/\.png$/u, ".txt"), `${await this.#screen()}\n`);
  }

  async logs(): Promise<string> {
    return await this.#screen();
  }

  #command(options: readonly string[] = []): readonly string[] {
    const serve = [nodeBinary(), this.#program, "serve", this.#startedLab.workspace, ...options];
    // The shell's own line says where the program is, and when it has ended.
    return ["sh", "-c", 'echo $$ > "$0"; exec "$@"', this.#pidFile, ...serve];
  }

  async #startAgain(options: readonly string[]): Promise<void> {
    await this.#serving.type(`clear; ${this.#command(options).map(quote).join(" ")}`);
    await this.#serving.press("Enter");
    await waitForScreen(this.#serving, /is serving/u, patience);
    await this.#untilAnnounced();
  }

  async #untilAnnounced(): Promise<void> {
    await poll("Patchbay's discovery record", () => areAllAnnounced(this.#startedLab), {
      timeout: 60_000,
      describe: () => this.logs(),
    });
  }

  async #hasEnded(): Promise<boolean> {
    return /[$#]$/u.test(await this.#screen());
  }

  get #pidFile(): string {
    return join(this.#startedLab.root, "serve-pid");
  }

  get #startedLab(): Lab {
    if (this.#lab === undefined) throw new Error("Patchbay is not started");
    return this.#lab;
  }

  get #serving(): TmuxTerminal {
    if (this.#pane === undefined) throw new Error("Patchbay is not started");
    return this.#pane;
  }

  async #screen(): Promise<string> {
    return await this.#serving.screen();
  }

  async #type(text: string): Promise<void> {
    await this.#serving.type(text);
  }

  async #line(text: string): Promise<void> {
    await pause(grace);
    await this.#type(text);
    await this.#serving.press("Enter");
  }
}
