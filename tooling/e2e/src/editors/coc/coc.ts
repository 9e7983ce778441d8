import type { Browser } from "playwright-core";
import { areAllAnnounced } from "../../agents/records.ts";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cocDirectory, findProgram, neovimCommand } from "../../prerequisites/coc.ts";
import type { Lab } from "../../support/lab.ts";
import { pause, poll } from "../../support/poll.ts";
import { isAlive, mustRun } from "../../support/processes.ts";
import { TmuxTerminal } from "../../terminals/tmux.ts";
import { launchBrowser } from "../browser.ts";
import { ConversationPanel } from "../vscode/conversation-panel.ts";
import type { EditorDriver, EditorId, EditorTerminal } from "../editor-driver.ts";
import { agentProcesses, configure, logsOf, writeSettings } from "./coc-lab.ts";
import { CocTerminal, toNormalMode } from "./coc-terminal.ts";
import { createNeovimLink, type EditorLink, listenVimLink } from "./editor-link.ts";

/** Vim or Neovim with coc.nvim, in a tmux pane; keys are pressed as a user presses them, and only looking is done otherwise. */
export class CocDriver implements EditorDriver {
  readonly id: EditorId;
  readonly displayName: "Vim" | "Neovim";
  readonly #package: string;
  #pane: TmuxTerminal | undefined;
  #link: EditorLink | undefined;
  #lab: Lab | undefined;
  #processes: readonly number[] = [];
  #browser: Browser | undefined;

  constructor(id: EditorId, editor: "vim" | "neovim", tarball: string) {
    this.id = id;
    this.displayName = editor === "vim" ? "Vim" : "Neovim";
    this.#package = tarball;
  }

  get #isNeovim(): boolean {
    return this.displayName === "Neovim";
  }

  /** The terminal the editor runs in, for what only this editor's own scenarios do. */
  get pane(): TmuxTerminal {
    if (this.#pane === undefined) throw new Error(`${this.displayName} is not started`);
    return this.#pane;
  }

  get link(): EditorLink {
    if (this.#link === undefined) throw new Error(`${this.displayName} is not started`);
    return this.#link;
  }

  async start(lab: Lab): Promise<void> {
    this.#lab = lab;
    const coc = cocDirectory();
    if (coc === undefined) throw new Error("there is no coc.nvim; see COC_NVIM_DIR");
    const extension = join(lab.root, "coc-patchbay");
    await mkdir(extension, { recursive: true });
    await mustRun("tar", ["-xzf", this.#package, "-C", extension, "--strip-components", "1"]);
    await this.launch(lab, [coc, extension]);
  }

  /** Starts the editor in a pane of its own; again after it has ended. */
  async launch(lab: Lab, runtime?: readonly string[]): Promise<void> {
    const configuration = join(lab.root, "vimrc");
    const socket = join(lab.root, "nvim.sock");
    // One that was killed leaves its socket behind.
    await rm(socket, { force: true });
    const vimLink = this.#isNeovim ? undefined : await listenVimLink();
    if (runtime !== undefined) await configure(lab, runtime);
    await writeFile(join(lab.root, "link.vim"), `${vimLink?.script ?? ""}\n`);
    const program = this.#isNeovim ? neovimCommand() : findProgram("vim");
    if (program === undefined) throw new Error(`${this.displayName} is missing`);
    const listen = this.#isNeovim ? ["--listen", socket] : ["-N"];
    const pane = new TmuxTerminal();
    this.#pane = pane;
    this.#link = vimLink ?? createNeovimLink(program, socket);
    await pane.start({ directory: lab.workspace, env: lab.env, command: [program, ...listen, "-u", configuration] });
    if (this.#isNeovim) await poll("Neovim's server", () => existsSync(socket), { timeout: 10_000 });
    await this.#waitUntilListening(lab);
    const numbers = await this.link.read("[getpid(), get(g:, 'coc_process_pid', 0)]");
    this.#processes = Array.isArray(numbers) ? numbers.filter((one): one is number => typeof one === "number") : [];
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    this.#browser = undefined;
    await this.#pane?.type(`${toNormalMode}:qa!`).catch(() => {});
    await this.#pane?.press("Enter").catch(() => {});
    await poll("the editor's end", () => !this.#processes.some(isAlive), { timeout: 3_000 }).catch(() => {});
    await this.#link?.close();
    await this.#pane?.dispose();
    // coc's process outlives an editor that was killed, and an agent may still be writing into the lab.
    const processes = [...this.#processes, ...(this.#lab === undefined ? [] : await agentProcesses(this.#lab))];
    await poll("the end of all", () => !processes.some(isAlive), { timeout: 2_000 }).catch(() => {});
    for (const pid of processes) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await poll("the end of all", () => !processes.some(isAlive), { timeout: 10_000 });
    this.#processes = [];
    this.#pane = undefined;
    this.#link = undefined;
  }

  /** Types an Ex command, from whatever mode the editor is in. */
  async command(line: string): Promise<void> {
    await this.pane.type(`${toNormalMode}:${line}`);
    await this.pane.press("Enter");
  }

  async openTerminal(): Promise<EditorTerminal> {
    const shell = "bash --norc --noprofile";
    await this.command(this.#isNeovim ? `tabnew | terminal ${shell}` : `tab terminal ++kill=kill ${shell}`);
    await poll("a terminal", async () => (await this.link.read("&buftype")) === "terminal", { timeout: 10_000 });
    const buffer = Number(await this.link.read("bufnr('%')"));
    const terminal = new CocTerminal({ pane: this.pane, link: this.link, isNeovim: this.#isNeovim, buffer });
    await terminal.focus();
    await poll("a shell's prompt", async () => /[$#]\s*$/.test(await terminal.screen()), { timeout: 10_000 });
    return terminal;
  }

  async openFile(name: string): Promise<void> {
    await this.command(`tab drop ${name}`);
    await poll(name, async () => (await this.link.read("expand('%:t')")) === name, { timeout: 10_000 });
  }

  async selectLine(line: number): Promise<void> {
    await this.pane.type(`${toNormalMode}${line}G0v$h`);
    await poll("a selection", async () => (await this.link.read("mode()")) === "v", { timeout: 5_000 });
    // What is selected goes to coc with the next message of the editor.
    await this.link.read("1");
  }

  async sendSelection(): Promise<void> {
    await this.command("CocCommand patchbay.mention");
  }

  async openDiffs(): Promise<readonly string[]> {
    const names = await this.link.read(
      "map(filter(getbufinfo(), {_, b -> getbufvar(b.bufnr, '&buftype') ==# 'acwrite' && has_key(b.variables, 'patchbay_review')}), {_, b -> fnamemodify(b.name, ':t')})",
    );
    return Array.isArray(names) ? names.map(String) : [];
  }

  async showDiff(title: RegExp): Promise<void> {
    await poll(
      `${title} in the foreground`,
      async () => {
        if (title.test(String(await this.link.read("expand('%:t')")))) return true;
        await this.command("CocCommand patchbay.next");
        // Where none was open yet the command is given again.
        const isThere = async (): Promise<boolean> => (await this.link.read("&buftype")) === "acwrite";
        await poll("a proposal", isThere, { timeout: 2_000 }).catch(() => undefined);
        return false;
      },
      { timeout: 15_000, interval: 300 },
    );
  }

  async acceptDiff(): Promise<void> {
    await this.pane.type(`${toNormalMode}\\pa`);
  }

  async rejectDiff(): Promise<void> {
    await this.pane.type(`${toNormalMode}\\pr`);
  }

  async rejectWithReason(reason: string): Promise<void> {
    await this.command(`PatchbayReject ${reason}`);
  }

  /** The page in a browser of its own, by the link that is shown where there is no screen. */
  async openPanel(): Promise<ConversationPanel> {
    await this.command("CocCommand patchbay.openPanel");
    let link: string | undefined;
    await poll(
      "the panel's link",
      async () => {
        link = /http:\/\/127\.0\.0\.1:\S+/.exec(String(await this.link.read("join(getline(1, '$'))")))?.[0];
        return link !== undefined;
      },
      { timeout: 20_000, describe: () => this.pane.screen() },
    );
    await this.command("q");
    this.#browser ??= await launchBrowser();
    const page = await this.#browser.newPage({ viewport: { width: 900, height: 800 } });
    await page.goto(link ?? "");
    const panel = new ConversationPanel(page, page);
    await panel.waitUntilReady();
    return panel;
  }

  async setReviews(reviews: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#lab === undefined) throw new Error(`${this.displayName} is not started`);
    await writeSettings(this.#lab, { "patchbay.reviews": reviews });
  }

  async typeInDiff(text: string): Promise<void> {
    await this.pane.type(`${toNormalMode}ggA${text}`);
    await this.pane.press("Escape");
    await poll("what was typed", async () => String(await this.link.read("getline(1)")).endsWith(text), {
      timeout: 5_000,
    });
  }

  async readDiff(): Promise<string> {
    return (await this.link.read("&buftype")) === "acwrite" ? String(await this.link.read("getline(1)")) : "";
  }

  async diffText(): Promise<string> {
    return (await this.link.read("&buftype")) === "acwrite"
      ? String(await this.link.read('join(getline(1, "$"), "\\n")'))
      : "";
  }

  async typeInFile(text: string): Promise<void> {
    await this.pane.type(`${toNormalMode}ggI${text}`);
    await this.pane.press("Escape");
  }

  /** What the usual plugins do that save by themselves, and as eagerly as any. */
  async setAutoSave(on: boolean): Promise<void> {
    const events = "InsertLeave,TextChanged,BufLeave,FocusLost";
    await this.command(on ? `autocmd ${events} * ++nested silent! wall` : `autocmd! ${events} *`);
  }

  async saveDiff(): Promise<void> {
    await this.command("w");
  }

  async closeDiff(): Promise<void> {
    await this.command("q!");
  }

  async tryReview(): Promise<void> {
    await this.command("Patchbay tour");
    await poll("the review", async () => (await this.link.read("&buftype")) === "acwrite", { timeout: 10_000 });
  }

  async answerTrial(answer: "again" | "leave"): Promise<string> {
    await this.#waitForScreen("what may be done next", /Do this again/);
    const screen = await this.pane.screen();
    if (answer === "again") await this.pane.type("again");
    await this.pane.press(answer === "again" ? "Enter" : "Escape");
    return screen;
  }

  /** From the list, by its key for the action. The list is as it was when it was opened. */
  async saveKept(): Promise<void> {
    await this.#waitForScreen("a review without an agent", /\[not connected: :w keeps your text\]/);
    await this.#saveFromList();
  }

  /** Others may be kept, too: `file` is typed, which leaves its rows. */
  async #saveFromList(file = ""): Promise<void> {
    await this.command("CocList patchbay");
    await this.#waitForScreen("the text in the list", /: save, yank or discard it\]/);
    await this.pane.type(file);
    await this.pane.type("\t");
    await this.#waitForScreen("the list's actions", /\(s\)ave/);
    await this.pane.type("s");
    await this.#waitForScreen("what became of it", /Saved to /);
  }

  /** The list that asks stands on what is meant. */
  async acceptAll(): Promise<void> {
    await this.command("Patchbay all accept");
    await this.#waitForScreen("the question", /Accept all \d+/);
    await this.pane.press("Enter");
  }

  async saveUnwritten(file: string): Promise<string> {
    await this.#waitForScreen("what was not written", /has not written the change/);
    const said = await this.pane.screen();
    await this.#saveFromList(file);
    return said;
  }

  async #waitForScreen(what: string, pattern: RegExp): Promise<void> {
    await poll(what, async () => pattern.test(await this.pane.screen()), {
      timeout: 10_000,
      describe: () => this.pane.screen(),
    });
  }

  /** coc is started anew by its user. */
  async restart(): Promise<void> {
    await this.#restartCoc(await this.link.read("g:coc_process_pid"));
  }

  async reload(): Promise<number> {
    const agents = await this.link.read("patchbay#status()");
    const left = Date.now();
    await this.restart();
    await poll("the agents' return", async () => (await this.link.read("patchbay#status()")) === agents, {
      timeout: 10_000,
    });
    return left;
  }

  /** coc's process is killed, and started again by its user. */
  async killHost(): Promise<void> {
    const before = Number(await this.link.read("g:coc_process_pid"));
    process.kill(before, "SIGKILL");
    await poll("the end of coc's process", () => !isAlive(before), { timeout: 3_000 });
    await this.#restartCoc(before);
    // Until what coc has said is confirmed Vim does nothing else; its prompt may be drawn over.
    await pause(1_000);
    await poll(
      "the end of coc's words",
      async () => {
        const isAsked = String(await this.link.read("mode()")) === "r";
        if (isAsked) await this.pane.press("Enter");
        return !isAsked;
      },
      { timeout: 5_000, interval: 300 },
    );
  }

  async #restartCoc(before: unknown): Promise<void> {
    await this.command("CocRestart");
    await poll(
      "a new process of coc",
      async () => {
        // Vim shows what coc says below its last line and waits for Enter.
        if (/Press ENTER/.test(await this.pane.screen())) await this.pane.press("Enter");
        const now = await this.link.read("get(g:, 'coc_process_pid', 0)");
        return now !== before && now !== 0;
      },
      { timeout: 15_000, interval: 300 },
    );
    if (this.#lab !== undefined) await this.#waitUntilListening(this.#lab);
    this.#processes = [...this.#processes, Number(await this.link.read("g:coc_process_pid"))];
  }

  /** Ends the editor as the system does that runs out of memory. */
  async kill(): Promise<void> {
    const [editor] = this.#processes;
    if (editor === undefined) throw new Error(`${this.displayName} is not started`);
    process.kill(editor, "SIGKILL");
    await poll("the editor's end", () => !isAlive(editor), { timeout: 3_000 });
  }

  async isTerminalFocused(): Promise<boolean> {
    return String(await this.link.read("[&buftype, mode()]")) === "terminal,t";
  }

  async clear(): Promise<void> {
    await this.command("call E2eClear()");
    // coc's own notices are buffers, too, and are none of the user's.
    const left =
      "len(filter(getbufinfo({'bufloaded': 1}), 'v:val.listed || getbufvar(v:val.bufnr, \"&buftype\") ==# \"terminal\"'))";
    await poll("an empty editor", async () => Number(await this.link.read(left)) <= 1, { timeout: 10_000 });
  }

  /** The text of the screen: there is no picture. */
  async screenshot(file: string): Promise<void> {
    await writeFile(file.replace(/\.png$/, ".txt"), `${await this.pane.screen()}\n`);
  }

  async logs(): Promise<string> {
    return this.#lab === undefined ? "" : await logsOf(this.#lab);
  }

  async #waitUntilListening(lab: Lab): Promise<void> {
    await poll(
      "Patchbay's discovery record",
      async () => {
        const ready = await this.link.read("get(g:, 'coc_service_initialized', 0)");
        return ready === 1 && (await areAllAnnounced(lab));
      },
      { timeout: 20_000, describe: () => this.pane.screen() },
    );
  }
}
