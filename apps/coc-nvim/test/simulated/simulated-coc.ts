import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { ExtensionContext } from "coc.nvim";
import { asList, asShape, asText } from "../../src/vim/shape.ts";
import type { Coc } from "../../src/vim/coc-vim.ts";
import { SimulatedVim } from "./simulated-vim.ts";

type Run = (...args: readonly unknown[]) => unknown;

interface Registered {
  readonly dispose: () => void;
}

/** An entry of a registry that can be taken out again. */
function entered<T>(all: Set<T>, one: T): Registered {
  all.add(one);
  return { dispose: () => void all.delete(one) };
}

/**
 * coc.nvim around the simulated Vim, as far as the extension uses it: what is not here does not exist, as in an older coc.
 * It has a home and folders of its own on the disk.
 */
export class SimulatedCoc {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-coc-")));
  readonly home: string = join(this.root, "home");
  readonly temporary: string = join(this.root, "tmp");
  readonly folder: string = join(this.root, "workspace");
  readonly vim: SimulatedVim;
  /** Values of `patchbay.*` by their names below it. */
  readonly settings: Map<string, unknown> = new Map();
  readonly log: string[] = [];
  /** Commands of Vim's command line that were run. */
  readonly vimCommands: string[] = [];
  /** What a list offered, by its title; and what is chosen in it next. */
  readonly offered: Map<string, readonly string[]> = new Map();
  choice: string | undefined;
  /** Which button of the next notices is clicked; -1: they are closed. Undefined: nobody answers. */
  clickNext: number | undefined;
  failNextNotice: string | undefined;
  /** Which scripts `globpath()` finds. */
  scripts: readonly string[] = ["/runtime/autoload/patchbay/review.vim"];
  /** Name of the function that takes a service: it has changed between versions. */
  serviceFunction: "register" | "regist" | undefined = "register";
  readonly services: Set<unknown> = new Set();
  readonly lists: Set<unknown> = new Set();
  /** coc's item in the status line, as it is shown. */
  status: string | undefined;
  readonly #commands: Map<string, Run> = new Map();
  readonly #autocommands: Set<{ readonly event: string; readonly run: Run }> = new Set();
  readonly #configuration: Set<(change: { affectsConfiguration(name: string): boolean }) => void> = new Set();

  constructor() {
    for (const folder of [this.home, this.temporary, this.folder]) mkdirSync(folder, { mode: 0o700 });
    this.vim = new SimulatedVim(this.folder);
    this.vim.onTell = (kind, subject, detail) => void this.run("patchbay.event", kind, subject, detail);
  }

  /** How many commands, autocommands, lists and listeners there are: nothing of an extension that has ended. */
  get registered(): number {
    const all = [this.#autocommands, this.#configuration, this.services, this.lists];
    return this.#commands.size + all.reduce((sum, { size }) => sum + size, 0);
  }

  get commandNames(): readonly string[] {
    return Array.from(this.#commands.keys()).sort();
  }

  /** `:CocCommand`. */
  async run(name: string, ...args: readonly unknown[]): Promise<unknown> {
    const run = this.#commands.get(name);
    if (run === undefined) throw new Error(`There is no command ${name}.`);
    return await run(...args);
  }

  /** Vim asks coc, and waits. */
  async request(event: string): Promise<void> {
    await Promise.all(
      Array.from(this.#autocommands, async (one) => (one.event === event ? await one.run() : undefined)),
    );
  }

  /** What the user was told by a line at the bottom. */
  get said(): readonly string[] {
    return this.vim.calls.flatMap(({ name, args }) => (name === "patchbay#say" ? [asText(args[0])] : []));
  }

  /** The page that was shown last, by its title. */
  page(title: string): readonly string[] | undefined {
    const call = this.vim.calls.findLast(({ name, args }) => name === "patchbay#page" && args[0] === title);
    return call === undefined ? undefined : asList(call.args[1]).map(asText);
  }

  set(name: string, value: unknown): void {
    this.settings.set(name, value);
    for (const listener of this.#configuration) listener({ affectsConfiguration: (one) => one === "patchbay" });
  }

  readonly context: ExtensionContext = this.#context();

  /** What coc gives to an extension. */
  get api(): Coc {
    const api: unknown = {
      commands: {
        registerCommand: (name: string, run: Run) => {
          this.#commands.set(name, run);
          return { dispose: () => void this.#commands.delete(name) };
        },
      },
      workspace: this.#workspace(),
      window: this.#window(),
      services: this.#services(),
      listManager: { registerList: (list: unknown) => entered(this.lists, list) },
      diagnosticManager: {
        getDiagnosticList: async () => [],
        onDidRefresh: (listener: (change: { readonly uri: string }) => void) =>
          this.vim.coc.onDidChangeDiagnostics((uri) => listener({ uri })),
      },
      events: this.#events(),
    };
    if (!isCoc(api)) throw new Error("This is no coc.");
    return api;
  }

  dispose(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #context(): ExtensionContext {
    const write = (line: string): void => void this.log.push(line);
    const context: unknown = {
      extensionPath: join(this.root, "extension, of coc"),
      storagePath: join(this.root, "data"),
      subscriptions: [],
      logger: { debug: () => {}, info: () => {}, warn: write, error: write },
    };
    if (!isContext(context)) throw new Error("This is no context.");
    return context;
  }

  #workspace(): object {
    const { vim, settings } = this;
    const { nvim, coc } = { nvim: this.#nvim(), coc: vim.coc };
    return {
      nvim,
      env: { columns: 120 },
      get folderPaths() {
        return vim.folders;
      },
      getDocument: (buffer: number) => {
        const lines = coc.lines(buffer);
        return lines === undefined ? undefined : { attached: true, textDocument: { lines } };
      },
      getConfiguration: () => ({
        get: (name: string) => settings.get(name),
        inspect: (name: string) => ({ globalValue: settings.get(name) }),
        update: (name: string, value: unknown) => this.set(name, value),
      }),
      onDidChangeConfiguration: (listener: (change: { affectsConfiguration(name: string): boolean }) => void) =>
        entered(this.#configuration, listener),
      onDidChangeWorkspaceFolders: (listener: () => void) => coc.onDidChangeFolders(listener),
      registerAutocmd: (autocommand: unknown) => this.#registerAutocommand(asShape(autocommand)),
    };
  }

  #registerAutocommand(autocommand: Readonly<Record<string, unknown>>): Registered {
    const { event, arglist, callback, pattern } = autocommand;
    const run: Run = (...args) => {
      if (typeof callback !== "function") return undefined;
      const result: unknown = Reflect.apply(callback, undefined, args);
      return result;
    };
    if (autocommand["request"] === true) return entered(this.#autocommands, { event: asText(event), run });
    // coc adds a token.
    const listener: Run = (...values) => void run(...values, {});
    return this.vim.on(asList(event).map(asText), asList(arglist).map(asText), listener, asText(pattern));
  }

  #nvim(): object {
    const { vim } = this;
    return {
      call: (name: string, args: readonly unknown[], isNotification?: boolean) => {
        if (isNotification === true) return vim.notify(name, args);
        if (name === "patchbay#start") return Promise.resolve(this.#start());
        if (name === "fnameescape") return Promise.resolve(asText(args[0]).replaceAll(/[ ]/gu, "\\ "));
        return vim.call(name, args);
      },
      eval: async () => this.scripts,
      command: async (line: string) => void this.vimCommands.push(line),
    };
  }

  #start(): object {
    return { pid: process.pid, nvim: 0, version: "9.0.2142", temporary: this.temporary, cwd: this.folder, buffers: [] };
  }

  #window(): object {
    return {
      showQuickPick: async (lines: readonly string[], { title }: { readonly title: string }) => {
        this.offered.set(title, lines);
        return this.choice;
      },
      createStatusBarItem: () => {
        const item = {
          text: "",
          show: () => void (this.status = item.text),
          hide: () => void (this.status = undefined),
          dispose: () => void (this.status = undefined),
        };
        return item;
      },
      showNotification: async (notice: unknown) => {
        const { content, callback } = asShape(notice);
        if (this.failNextNotice !== undefined) throw new Error(this.failNextNotice);
        this.vim.notices.push(asText(content));
        if (this.clickNext !== undefined && typeof callback === "function") {
          Reflect.apply(callback, undefined, [this.clickNext]);
        }
      },
    };
  }

  #services(): object {
    const { serviceFunction } = this;
    return serviceFunction === undefined
      ? {}
      : { [serviceFunction]: (service: unknown) => entered(this.services, service) };
  }

  #events(): object {
    const { coc } = this.vim;
    return {
      on: (name: unknown, listener: Run) => {
        if (name === "TermOpen") return coc.onDidOpenTerminal((buffer) => void listener(buffer));
        return asList(name).includes("CursorMoved")
          ? coc.onDidMoveCursor((buffer, line, column) => void listener(buffer, [line, column]))
          : coc.onDidType((buffer, lnum, col) => void listener(buffer, { lnum, col }));
      },
    };
  }
}

/** As much of coc as there is here; the compiler knows all of it. */
function isCoc(value: unknown): value is Coc {
  return typeof value === "object";
}

function isContext(value: unknown): value is ExtensionContext {
  return typeof value === "object";
}
