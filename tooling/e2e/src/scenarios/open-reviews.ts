import { join } from "node:path";
import type { Locator } from "playwright-core";
import type { EditorDriver } from "../editors/editor-driver.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { VsCodeDriver } from "../editors/vscode/vscode.ts";
import { pause, poll } from "../support/poll.ts";
import { ReviewTree } from "./inbox.ts";
import {
  diffTitle,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoApproval,
  waitForNoDiff,
} from "./propose.ts";
import { must, mustEqual, type Scenario, type StartedAgent, type World } from "./scenario.ts";
import { ReviewView } from "./theia-all.ts";

const patience = 30_000;
const changed = startContents.replace("first line", "FIRST line");

/** How the list of all that waits is used in an editor. */
interface ListOfReviews {
  /** The number beside it, wherever it is hidden. */
  readonly badge: Locator;
  /** Puts the keys on the row of a file that has these words. */
  goTo(file: string, words: RegExp): Promise<void>;
  set(when: "always" | "whenIdle" | "onDemand"): Promise<void>;
  press(key: string): Promise<void>;
  /** Opens the review of the row that has the keys; resolves when they are in it. */
  open(): Promise<void>;
}

function listIn(editor: EditorDriver): ListOfReviews {
  if (editor instanceof VsCodeDriver) {
    const { workbench } = editor;
    const tree = new ReviewTree(workbench);
    return {
      badge: workbench.page
        .locator(".activitybar .action-item", { has: workbench.page.locator('[aria-label^="Patchbay"]') })
        .locator(".badge-content"),
      goTo: async (file, words) => {
        await tree.focus();
        await tree.row(file);
        await tree.moveTo(file);
        await workbench.page
          .locator(".part.sidebar .monaco-list-row")
          .filter({ hasText: words })
          .first()
          .waitFor({ timeout: patience });
      },
      set: async (when) => editor.setSettings({ "patchbay.openReviews": when }),
      press: async (key) => workbench.page.keyboard.press(key),
      open: async () => openBy(workbench),
    };
  }
  if (editor instanceof TheiaDriver) {
    const { workbench } = editor;
    const view = new ReviewView(editor);
    return {
      badge: workbench.page.locator("#shell-tab-patchbay-review .theia-badge-decorator-sidebar"),
      goTo: async (file, words) => {
        await view.open();
        await view.row(file, words).click({ timeout: patience });
      },
      set: async (when) => editor.setSettings({ "patchbay.openReviews": when }),
      press: async (key) => workbench.page.keyboard.press(key),
      open: async () => openBy(workbench),
    };
  }
  throw new Error("this scenario is about VS Code and Theia");
}

/** A list that is opened before the review has the keys is closed by it. */
async function openBy(workbench: VsCodeDriver["workbench"] | TheiaDriver["workbench"]): Promise<void> {
  await workbench.page.keyboard.press("Enter");
  await poll("focus in the review", () => workbench.isFocusIn(".editor.modified"), { timeout: patience });
}

/** Has the agent ask, and waits until it does in its terminal. */
async function ask(world: World, { agent, focus }: StartedAgent, file: string): Promise<void> {
  await world.writeFile(file, startContents);
  const { from, to } = usualChange(file);
  agent.model.play(...agent.kind.editTurns(join(world.lab.workspace, file), from, to));
  await focus();
  await agent.ask(`Please change ${file} for me`);
}

async function waitForBadge({ badge }: ListOfReviews, count: string): Promise<void> {
  const shown = async (): Promise<string> =>
    (await badge.count()) === 0
      ? ""
      : (
          (await badge
            .first()
            .textContent({ timeout: 1_000 })
            .catch(() => "")) ?? ""
        ).trim();
  await poll(`the number ${JSON.stringify(count)} at the list`, async () => (await shown()) === count, {
    timeout: patience,
    describe: async () => `It shows ${JSON.stringify(await shown())}`,
  });
}

async function mustBeClosed({ editor }: World): Promise<void> {
  must("no review opens", (await editor.openDiffs()).length === 0);
}

/** Nothing opens by itself: the number at the list says that something waits, and there it is found, held, and found again. */
export const openOnDemand: Scenario = {
  name: "open-on-demand",
  agents: ["gemini"],
  isFor: (editor) => editor instanceof VsCodeDriver || editor instanceof TheiaDriver,
  run: async (world, id) => {
    const list = listIn(world.editor);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await list.set("onDemand");
    await pause(3_000);
    try {
      await ask(world, started, "demand.txt");
      await agent.waitForApproval();
      await waitForBadge(list, "1");
      await pause(4_000);
      await mustBeClosed(world);
      await list.goTo("demand.txt", /waits for you/u);
      await list.open();
      await waitForDiff(world, agent, "demand.txt");
      await list.goTo("demand.txt", /waits for you/u);
      await list.press("h");
      await waitForNoDiff(world, agent, "demand.txt");
      await list.goTo("demand.txt", /held/u);
      await waitForBadge(list, "1");
      await started.focus();
      await agent.waitForApproval();
      await list.goTo("demand.txt", /held/u);
      await list.open();
      await waitForDiff(world, agent, "demand.txt");
      await world.editor.showDiff(diffTitle(agent, "demand.txt"));
      await world.editor.acceptDiff();
      await waitForContents(world, "demand.txt", changed);
      await waitForBadge(list, "");
    } finally {
      await list.set("always");
    }
  },
};

/** While the user types, the number at the list is all that changes; a moment after the last key the review opens. */
export const openWhenIdle: Scenario = {
  name: "open-when-idle",
  agents: ["gemini"],
  isFor: (editor) => editor instanceof VsCodeDriver || editor instanceof TheiaDriver,
  run: async (world, id) => {
    const { editor } = world;
    const list = listIn(editor);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await world.writeFile("notes.txt", "notes\n");
    await list.set("whenIdle");
    await pause(3_000);
    try {
      const release = agent.model.hold();
      await ask(world, started, "idle.txt");
      await editor.openFile("notes.txt");
      release();
      const isAsked = async (): Promise<boolean> => (await list.badge.count()) > 0;
      let since = 0;
      // Four seconds beyond the question, a key every half second.
      for (let key = 0; since < 8; key += 1) {
        if (key > 120) throw new Error("the agent does not ask");
        await editor.typeInFile?.("k");
        await pause(500);
        if (await isAsked()) since += 1;
        await mustBeClosed(world);
      }
      await waitForDiff(world, agent, "idle.txt");
      await editor.showDiff(diffTitle(agent, "idle.txt"));
      await editor.rejectDiff();
      await waitForNoDiff(world, agent, "idle.txt");
      await started.focus();
      await waitForNoApproval(agent);
      mustEqual("idle.txt", await world.readFile("idle.txt"), startContents);
      // Else the editor asks what is to become of it when it is closed.
      await editor.openFile("notes.txt");
      await list.press("Control+s");
      await poll("the saved notes", async () => (await world.readFile("notes.txt")).includes("k"), {
        timeout: patience,
      });
      await waitForBadge(list, "");
    } finally {
      await list.set("always");
    }
  },
};
