import { everyAgent } from "../agents/index.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { poll } from "../support/poll.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoDiff,
} from "./propose.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

const patience = 30_000;

function theiaOf({ editor }: World): TheiaDriver {
  if (editor instanceof TheiaDriver) return editor;
  throw new Error("this scenario is about Theia");
}

/** A review follows the file, says where both changed the same lines, and is accepted only once that is resolved. */
export const theiaFollows: Scenario = {
  name: "follows",
  // The others refuse to write into a file whose lines have changed since they read it, whatever the user has accepted.
  agents: ["gemini"],
  isFor: (editor) => editor instanceof TheiaDriver,
  mayTell: /same lines/,
  run: async (world, id) => {
    const theia = theiaOf(world);
    const { workbench } = theia;
    const lines = "first line\nsecond line\nthird line\nfourth line\n";
    await world.writeFile("follows.txt", lines);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await propose(world, started, usualChange("follows.txt"));
    await theia.showDiff(diffTitle(agent, "follows.txt"));
    const left = workbench.editor.locator(".editor.original .view-line");
    const sides = async (): Promise<string> => [...(await left.allInnerTexts()), await theia.diffText()].join("\n");
    await world.writeFile("follows.txt", lines.replace("fourth line", "FOURTH line"));
    const isOnBoth = async (): Promise<boolean> => /FOURTH.line[^]*FOURTH.line/.test(await sides());
    await poll("the change on both sides", isOnBoth, { timeout: 10_000, describe: sides });

    await world.writeFile("follows.txt", lines.replace("fourth line", "FOURTH line").replace("first line", "1st line"));
    const hasMarkers = async (): Promise<boolean> => /<<<<<<< current file/.test(await theia.diffText());
    await poll("a conflict", hasMarkers, { timeout: 10_000, describe: sides });
    await workbench.toolbarItem("Show Conflict").waitFor({ timeout: 10_000 });
    mustEqual("buttons that accept", String(await workbench.toolbarItems("Accept").count()), "0");
    // The key of "save" would accept.
    await theia.saveDiff();
    await poll(
      "what is said",
      async () => (await workbench.notificationTexts()).some((text) => /same lines/.test(text)),
      {
        timeout: 10_000,
        describe: async () => (await workbench.notificationTexts()).join(" | "),
      },
    );
    must("nothing is written", (await world.readFile("follows.txt")).startsWith("1st line"));

    const resolved = lines.replace("first", "FIRST").replace("fourth", "FOURTH");
    await theia.replaceInDiff(resolved);
    await theia.acceptDiff();
    await waitForContents(world, "follows.txt", resolved);
    await waitForNoDiff(world, agent, "follows.txt");
  },
};

/** A file whose name could be a link, a picture or an icon is its name in the tab, the list, a notification and a dialog. */
export const theiaHostileName: Scenario = {
  name: "hostile-name",
  agents: ["claude"],
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world, id) => {
    const theia = theiaOf(world);
    const { workbench } = theia;
    const { page } = workbench;
    const name = "[details](command:core.about) $(check) <b>.txt";
    const plain = (text: string | null): string => (text ?? "").replaceAll("\u2060", "").replaceAll("\u00a0", " ");
    await world.writeFile(name, startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange(name));
    await theia.showDiff(/details.*Claude Code/);
    const tab = plain(await workbench.currentTab.locator(".lm-TabBar-tabLabel").textContent());
    must(`the tab has the name (${tab})`, tab.includes(name));

    await workbench.runCommand("Patchbay: Show Reviews and Connections");
    const row = page.locator(".patchbay-inbox .theia-TreeNode").filter({ hasText: "details" }).last();
    await row.waitFor({ timeout: patience });
    await page.screenshot({ path: "/tmp/theia-hostile-rows.png" });
    const words = plain(await row.locator(".patchbay-inbox-label").textContent());
    must(`the row has the name (${words})`, words.includes(name));

    await theia.showDiff(/details.*Claude Code/);
    await theia.typeInDiff(" and mine");
    await workbench.runCommand("Patchbay: Accept All Proposals");
    const listed = workbench.dialog.locator("li");
    await listed.waitFor({ timeout: patience });
    await page.screenshot({ path: "/tmp/theia-hostile-dialog.png" });
    const item = plain(await listed.textContent());
    must(`the question has the name (${item})`, item.includes(name));
    await page.keyboard.press("Escape");

    await started.focus();
    await started.agent.acceptInTerminal();
    const message = page.locator(".theia-notification-message").filter({ hasText: "details" }).first();
    await message.waitFor({ timeout: patience });
    await page.screenshot({ path: "/tmp/theia-hostile-message.png" });
    const told = plain(await message.textContent());
    must(`the notification has the name (${told})`, told.includes(name));
    mustEqual("links and pictures in it", String(await message.locator("a, img, b, .codicon").count()), "0");
    const box = await message.boundingBox();
    // Everywhere on the text: a link would be somewhere in it.
    for (let x = 5; box !== null && x < box.width; x += 40) {
      for (let y = 5; y < box.height; y += 10) await message.click({ position: { x, y }, force: true });
    }
    must("no dialog of another command is there", !(await workbench.dialog.isVisible()));
    await workbench.closeNotification();
  },
};

/** A review that nobody typed in is there again after a reload, and is answered in the editor: the agent has noticed nothing. */
export const theiaReloadUntouched: Scenario = {
  name: "reload-untouched",
  agents: everyAgent,
  isFor: (editor) => editor instanceof TheiaDriver,
  run: async (world, id) => {
    const theia = theiaOf(world);
    await world.writeFile("untouched.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await propose(world, started, usualChange("untouched.txt"));
    await theia.reload();
    await waitForDiff(world, agent, "untouched.txt");
    await theia.showDiff(diffTitle(agent, "untouched.txt"));
    mustEqual("untouched.txt", await world.readFile("untouched.txt"), startContents);
    await theia.acceptDiff();
    await waitForContents(world, "untouched.txt", startContents.replace("first line", "FIRST line"));
    await waitForNoDiff(world, agent, "untouched.txt");
    await agent.waitForScreen(/All done\./);
  },
};
