import { VsCodeDriver } from "../editors/vscode/vscode.ts";
import { patience, type Workbench } from "../editors/vscode/workbench.ts";
import { poll } from "../support/poll.ts";
import { propose, startContents, waitForContents, waitForDiff, waitForNoApproval, waitForNoDiff } from "./propose.ts";
import { mustEqual, type Scenario } from "./scenario.ts";

/** Three agents ask in one window; the user answers all of them in the tree "Review", by keys alone, and holds one meanwhile. */
export const inbox: Scenario = {
  name: "inbox",
  agents: "all",
  isFor: (editor) => editor instanceof VsCodeDriver,
  run: async (world) => {
    if (!(world.editor instanceof VsCodeDriver)) throw new Error("This is done in VS Code.");
    const { workbench } = world.editor;
    const tree = new ReviewTree(workbench);
    const gemini = { started: await world.startAgent("gemini"), file: "held.txt" };
    const qwen = { started: await world.startAgent("qwen"), file: "rejected.txt" };
    const claude = { started: await world.startAgent("claude"), file: "accepted.txt" };
    for (const { started, file } of [gemini, qwen, claude]) {
      await world.writeFile(file, startContents);
      await started.focus();
      await started.agent.waitForConnection();
    }
    const to = "FIRST line";
    for (const { started, file } of [gemini, qwen, claude]) {
      await started.focus();
      await propose(world, started, { file, from: "first line", to });
    }
    const changed = startContents.replace("first line", to);
    await tree.focus();
    for (const { started, file } of [gemini, qwen, claude]) {
      await tree.row(started.agent.kind.displayName);
      await tree.row(file);
    }

    await tree.moveTo(gemini.file);
    await workbench.page.keyboard.press("h");
    await waitForNoDiff(world, gemini.started.agent, gemini.file);
    await tree.row(`${gemini.file}held by you`);

    await tree.moveTo(claude.file);
    await workbench.page.keyboard.press("a");
    await waitForContents(world, claude.file, changed);
    await tree.moveTo(qwen.file);
    await workbench.page.keyboard.press("r");
    await waitForNoDiff(world, qwen.started.agent, qwen.file);

    for (const { started } of [claude, qwen]) {
      await started.focus();
      await waitForNoApproval(started.agent);
    }
    await gemini.started.focus();
    await gemini.started.agent.waitForApproval();
    mustEqual(gemini.file, await world.readFile(gemini.file), startContents);

    await tree.focus();
    await tree.moveTo(gemini.file);
    await workbench.page.keyboard.press("Enter");
    await waitForDiff(world, gemini.started.agent, gemini.file);
    await tree.focus();
    await tree.moveTo(gemini.file);
    await workbench.page.keyboard.press("a");
    await waitForContents(world, gemini.file, changed);
    await gemini.started.focus();
    await waitForNoApproval(gemini.started.agent);
    mustEqual(qwen.file, await world.readFile(qwen.file), startContents);
  },
};

/** The tree in the side bar, by keys. */
export class ReviewTree {
  readonly #workbench: Workbench;

  constructor(workbench: Workbench) {
    this.#workbench = workbench;
  }

  async focus(): Promise<void> {
    await this.#workbench.runCommand("Patchbay: Show Reviews");
    const isFocused = (): Promise<boolean> => this.#workbench.isFocusIn(".part.sidebar .monaco-list");
    await poll("focus in the list of reviews", isFocused, { timeout: patience });
  }

  /** Waits for a row with a text. */
  async row(text: string): Promise<void> {
    await this.#rows().filter({ hasText: text }).first().waitFor({ timeout: patience });
  }

  /** Presses j, and k where that leads no further, until the keyboard is on the row of a file. */
  async moveTo(file: string): Promise<void> {
    const focused = this.#rows().and(this.#workbench.page.locator(".focused"));
    let key = "j";
    let last = "";
    const isThere = async (): Promise<boolean> => {
      // A tree that changes just now draws its rows anew.
      const text = await focused
        .first()
        .innerText({ timeout: 500 })
        .catch(() => "");
      if (text.includes(file)) return true;
      if (text === last && text !== "") key = key === "j" ? "k" : "j";
      last = text;
      await this.#workbench.page.keyboard.press(key);
      return false;
    };
    const list = async (): Promise<string> => (await this.#rows().allInnerTexts()).join(" | ");
    await poll(`the keyboard on ${file}`, isThere, { timeout: patience, interval: 200, describe: list });
  }

  #rows(): ReturnType<Workbench["tabs"]> {
    return this.#workbench.page.locator(".part.sidebar .monaco-list-row");
  }
}
