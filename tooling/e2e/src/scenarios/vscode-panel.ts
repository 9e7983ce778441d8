import { panelAgents } from "../agents/index.ts";
import { ConversationPanel, webviewIn } from "../editors/vscode/conversation-panel.ts";
import { VsCodeDriver } from "../editors/vscode/vscode.ts";
import { poll } from "../support/poll.ts";
import { must, mustEqual, type Scenario } from "./scenario.ts";
import { vsCodeOf } from "./vscode-ways.ts";

const patience = 60_000;

const inVsCode: Pick<Scenario, "group" | "isFor"> = {
  group: "panel",
  isFor: (editor) => editor instanceof VsCodeDriver,
};

/** Two conversations side by side, one in the side bar and one in a tab; a reload brings both back, with what was being written. */
export const panelTab: Scenario = {
  ...inVsCode,
  name: "panel-tab",
  agents: panelAgents,
  run: async (world, id) => {
    const { workbench } = vsCodeOf(world);
    const { page } = workbench;
    const { agent, panel } = await world.converse(id);
    agent.model.play({ kind: "text", text: "Said in the side bar." });
    await panel.send("Stay in the side bar");
    await panel.waitForText(/Said in the side bar\./);
    await panel.waitUntilIdle();
    await workbench.runCommand("Patchbay: New Conversation in Tab");
    await poll("two panels", async () => (await page.locator("iframe.webview.ready").count()) === 2, {
      timeout: patience,
    });
    const tab = new ConversationPanel(page, webviewIn(page, 1));
    await tab.composer.waitFor({ timeout: patience });
    agent.model.play({ kind: "text", text: "Said in the tab." });
    await tab.send("Go into the tab");
    await tab.waitForText(/Said in the tab\./);
    await tab.waitUntilIdle();
    must("the side bar shows its own", !(await panel.text()).includes("Said in the tab"));
    must(
      "the model reads nothing of the other one",
      !(agent.model.conversation.at(-1) ?? "").includes("Stay in the side"),
    );
    const title = page.locator(".tabs-container .tab").filter({ hasText: "Go into the tab" });
    await title.waitFor({ timeout: patience });
    await tab.write("A draft in the tab");
    await panel.write("A draft in the side bar");

    await world.editor.reload?.();
    await poll("two panels", async () => (await page.locator("iframe.webview.ready").count()) === 2, {
      timeout: patience,
    });
    const panels = [0, 1].map((index) => new ConversationPanel(page, webviewIn(page, index)));
    for (const one of panels) await one.waitUntilReady();
    for (const place of ["tab", "side bar"]) {
      const isThere = async (): Promise<boolean> => {
        for (const one of panels) {
          const draft = await one.composer.inputValue({ timeout: 1_000 }).catch(() => "");
          if ((await one.text()).includes(`Said in the ${place}.`) && draft === `A draft in the ${place}`) return true;
        }
        return false;
      };
      await poll(`what was in the ${place}`, isThere, {
        timeout: patience,
        describe: async () => (await Promise.all(panels.map((one) => one.text()))).join("\n---\n"),
      });
    }
  },
};

/** A second window reads a conversation along; it goes on where the user says so, and the first one says where it is. */
export const panelOtherWindow: Scenario = {
  ...inVsCode,
  name: "panel-other-window",
  agents: panelAgents,
  run: async (world, id) => {
    const vscode = vsCodeOf(world);
    const { agent, panel } = await world.converse(id);
    agent.model.play({ kind: "text", text: "Noted: cedar." });
    await panel.send("Keep the word cedar");
    await panel.waitForText(/Noted: cedar/);
    await panel.waitUntilIdle();
    const other = await vscode.openWindow();
    try {
      const second = await vscode.openPanelIn(other);
      await second.look(/Keep the word cedar/);
      await second.waitForText(/Noted: cedar/);
      await second.waitForText(/open in another window/);
      mustEqual("places to write", String(await second.composer.count()), "0");
      await second.button("Continue Here").click({ timeout: patience });
      await second.composer.waitFor({ timeout: patience });
      await panel.waitForText(/open in another window/);
      agent.model.play({ kind: "text", text: "It was cedar." });
      const before = agent.model.turnsAsked;
      await second.send("Which word was it");
      await second.waitForText(/It was cedar\./);
      await second.waitUntilIdle();
      // One agent loses a session that is loaded in the minute of its beginning: then it starts over, and the panel says so.
      if (!(agent.model.conversation.at(before) ?? "").includes("Keep the word cedar")) {
        mustEqual("who forgets", id, "gemini");
        await second.waitForText(/does not remember what/);
      }
    } finally {
      await other.page.close();
    }
    await panel.button("Continue Here").click({ timeout: patience });
    await panel.composer.waitFor({ timeout: patience });
    await panel.waitForText(/It was cedar\./);
  },
};
