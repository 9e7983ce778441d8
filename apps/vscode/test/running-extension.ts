import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { AgentDriver, createClaudeDriver, createGeminiDriver } from "@patchbay/testkit";
import { activate, deactivate } from "../src/extension.ts";
import type { EditionContext } from "../src/edition-context.ts";
import { openFakeWindow } from "./fake-vscode/index.ts";
import { TabInputTextDiff } from "./fake-vscode/values.ts";
import { Uri } from "./fake-vscode/uri.ts";
import type { FakeRow, FakeWorkbench } from "./fake-vscode/workbench.ts";
import type { FakeTab } from "./fake-vscode/shapes.ts";

/** The extension as VS Code runs it, in a window without a screen and a home of its own. */
export class RunningExtension {
  readonly bench: FakeWorkbench;
  readonly root: string;
  readonly folder: string;
  readonly variables: Map<string, string> = new Map();
  readonly #subscriptions: { dispose(): unknown }[] = [];
  /** What VS Code keeps for the workspace. */
  readonly state: Map<string, unknown> = new Map();
  readonly #agents: AgentDriver[] = [];

  /** `folderName`: of the window's only folder. */
  constructor(folderName = "workspace") {
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-extension-")));
    this.folder = join(this.root, folderName);
    for (const name of ["home", "tmp", "storage"]) mkdirSync(join(this.root, name), { mode: 0o700 });
    mkdirSync(this.folder, { recursive: true });
    vi.stubEnv("HOME", join(this.root, "home"));
    vi.stubEnv("TMPDIR", join(this.root, "tmp"));
    for (const name of ["QWEN_HOME", "CLAUDE_CONFIG_DIR", "PATCHBAY_NATIVE_EDITION"]) vi.stubEnv(name, undefined);
    this.bench = openFakeWindow();
    this.bench.folders = [this.folder];
  }

  async activate(): Promise<void> {
    await activate(this.#createContext());
  }

  async end(): Promise<void> {
    for (const agent of this.#agents) await agent.end();
    await deactivate();
    for (const part of this.#subscriptions) part.dispose();
    vi.unstubAllEnvs();
    rmSync(this.root, { recursive: true, force: true });
  }

  async connect(
    create: typeof createGeminiDriver | typeof createClaudeDriver,
    facts: { readonly version?: string } = {},
  ): Promise<AgentDriver> {
    const where = { cwd: this.folder, home: join(this.root, "home"), temporaryDirectory: join(this.root, "tmp") };
    const agent = create({ ...where, ...facts });
    this.#agents.push(agent);
    await agent.connect();
    return agent;
  }

  async diffTab(agentName: string): Promise<FakeTab> {
    const find = (): FakeTab | undefined => this.bench.tabs.find((one) => one.label.endsWith(`↔ ${agentName}`));
    await expect.poll(find, { message: `a diff of ${agentName}` }).toBeDefined();
    const tab = find();
    if (tab === undefined) throw new Error("the diff has gone");
    return tab;
  }

  async run(command: string, ...args: readonly unknown[]): Promise<void> {
    // The first call loads the code of all commands and hands on.
    await this.bench.commands.get(command)?.(...args);
  }

  /** Every row of a view as VS Code is given it, parents before their children. */
  async items(view: string, node?: unknown): Promise<readonly FakeRow[]> {
    const tree = this.bench.trees.get(view);
    const found: FakeRow[] = [];
    for (const child of (await tree?.getChildren(node)) ?? []) {
      found.push((await tree?.getTreeItem(child)) ?? {}, ...(await this.items(view, child)));
    }
    return found;
  }

  /** Every row of a view: its label and what stands behind it. */
  async rows(view: string): Promise<readonly string[]> {
    return (await this.items(view)).map(({ label, description }) => `${String(label)} ${String(description)}`);
  }

  /** The rows of the list "Review", parents before their children: as commands get them, and what is shown. */
  async reviewRows(node?: unknown): Promise<readonly ReviewRowUnderTest[]> {
    const tree = this.bench.trees.get("patchbay.proposals");
    const found: ReviewRowUnderTest[] = [];
    for (const row of (await tree?.getChildren(node)) ?? []) {
      const { label, description, contextValue } = (await tree?.getTreeItem(row)) ?? {};
      const kind = String(contextValue);
      found.push({ row, kind, text: `${String(label)} ${String(description)}` }, ...(await this.reviewRows(row)));
    }
    return found;
  }

  /** Those of proposals. */
  async reviews(): Promise<readonly ReviewRowUnderTest[]> {
    return (await this.reviewRows()).filter(({ kind }) => kind !== "agent" && kind !== "session");
  }

  #createContext(): EditionContext {
    const { variables } = this;
    return {
      subscriptions: this.#subscriptions,
      storageUri: Uri.file(join(this.root, "storage")),
      extensionUri: Uri.file(join(this.root, "extension")),
      extension: { packageJSON: { version: "1.2.3" } },
      workspaceState: {
        get: (key) => this.state.get(key),
        update: async (key, value) => void this.state.set(key, value),
      },
      environmentVariableCollection: {
        description: undefined,
        replace: (name, value) => variables.set(name, value),
        get: (name) => {
          const value = variables.get(name);
          return value === undefined ? undefined : { value };
        },
        delete: (name) => variables.delete(name),
        clear: () => variables.clear(),
        forEach: (callback) => variables.forEach((_value, name) => callback(name)),
      },
    };
  }
}

export interface ReviewRowUnderTest {
  readonly row: unknown;
  /** `contextValue`. */
  readonly kind: string;
  readonly text: string;
}

/** The right side of a tab that shows a diff. */
export function modifiedOf(tab: FakeTab): Uri {
  if (!(tab.input instanceof TabInputTextDiff)) throw new Error("no diff");
  return tab.input.modified;
}
