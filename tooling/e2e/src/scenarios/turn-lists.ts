import type { Locator } from "playwright-core";
import type { EditorDriver } from "../editors/editor-driver.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { VsCodeDriver } from "../editors/vscode/vscode.ts";
import { poll } from "../support/poll.ts";

const patience = 30_000;

/** The list in which an editor itself shows what agents changed. */
export interface EditorList {
  show(): Promise<void>;
  /** Waits until it has just these files, each behind its name with how sure it is whose change it is. */
  mustList(files: readonly string[]): Promise<void>;
  /** Presses what takes a file back, beside its row. */
  undo(name: string): Promise<void>;
}

/** Whether an editor has one. */
export function hasEditorList(editor: EditorDriver): boolean {
  return editor instanceof VsCodeDriver || editor instanceof TheiaDriver;
}

/** What the list has of a folder: turns of before stay in it, in folders of their own. Undefined where the editor has none. */
export function editorListOf(editor: EditorDriver, folder: string): EditorList | undefined {
  if (editor instanceof VsCodeDriver) return new SourceControlList(editor, folder);
  return editor instanceof TheiaDriver ? new ReviewList(editor, folder) : undefined;
}

async function waitForFiles(
  what: string,
  wanted: readonly string[],
  read: () => Promise<readonly string[]>,
): Promise<void> {
  const sorted = (names: readonly string[]): string => names.toSorted().join("\n");
  await poll(what, async () => sorted(await read()) === sorted(wanted), {
    timeout: patience,
    describe: async () => `${sorted(await read())}\nnot\n${sorted(wanted)}`,
  });
}

function markOf(words: string): string {
  if (/Likely changed by/u.test(words)) return "likely";
  return /Changed by/u.test(words) ? "exact" : "unknown";
}

/** "Agent Changes" in VS Code's view of source control. */
class SourceControlList implements EditorList {
  readonly #editor: VsCodeDriver;
  readonly #folder: string;

  constructor(editor: VsCodeDriver, folder: string) {
    this.#editor = editor;
    this.#folder = folder;
  }

  async show(): Promise<void> {
    await this.#editor.workbench.runCommand("Source Control: Focus on Changes View");
    // Where nobody has anything to show there, the view is there without its list.
    const title = this.#editor.workbench.page.locator(".part.sidebar .composite.title");
    await title.filter({ hasText: /source control/iu }).waitFor({ timeout: patience });
  }

  async mustList(files: readonly string[]): Promise<void> {
    await waitForFiles("the list of Agent Changes", files, async () => await this.#read());
  }

  async undo(name: string): Promise<void> {
    const row = this.#rows.filter({ hasText: name });
    await row.hover();
    await row.locator(".action-label.codicon-discard").click({ timeout: patience });
  }

  async #read(): Promise<readonly string[]> {
    const labels = await this.#rows.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label") ?? ""));
    return labels.map((label) => `${label.split(",")[0] ?? ""} ${markOf(label)}`);
  }

  get #rows(): Locator {
    const { page } = this.#editor.workbench;
    // Git has a list of its own beside it.
    return page
      .locator(".sidebar .scm-view .monaco-list-row")
      .filter({ has: page.locator(".resource") })
      .and(page.locator(`[aria-label*='hanged'][aria-label*='${this.#folder}/']`));
  }
}

/** The view "Review" of Theia. */
class ReviewList implements EditorList {
  readonly #editor: TheiaDriver;
  readonly #folder: string;

  constructor(editor: TheiaDriver, folder: string) {
    this.#editor = editor;
    this.#folder = folder;
  }

  async show(): Promise<void> {
    await this.#editor.workbench.runCommand("Patchbay: Show Reviews and Connections");
    await this.#editor.workbench.page.locator(".patchbay-inbox").waitFor({ timeout: patience });
  }

  async mustList(files: readonly string[]): Promise<void> {
    await waitForFiles("the list of Review", files, async () => await this.#read());
  }

  async undo(name: string): Promise<void> {
    const row = this.#editor.workbench.page.locator(".patchbay-inbox .theia-TreeNode").filter({ hasText: name });
    await row.hover();
    await row.getByRole("button", { name: `Undo: ${name}` }).click({ timeout: patience });
  }

  async #read(): Promise<readonly string[]> {
    return (
      await this.#rows.evaluateAll((rows) =>
        rows.map((row) => [
          row.querySelector(".patchbay-inbox-label")?.textContent ?? "",
          row.getAttribute("title") ?? "",
        ]),
      )
    ).map(([name = "", told = ""]) => `${name} ${markOf(told)}`);
  }

  /** Those of files say whose change it is. */
  get #rows(): Locator {
    return this.#editor.workbench.page
      .locator(`.patchbay-inbox .patchbay-inbox-caption[title*='hanged '][title*='${this.#folder}/']`)
      .and(this.#editor.workbench.page.locator("[title*=' by '], [title*=' worked;']"));
  }
}
