import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kindOf } from "./agents/index.ts";
import { findPackage } from "./editors/find-package.ts";
import type { EditorDriver } from "./editors/editor-driver.ts";
import { PageDriver } from "./editors/page/page.ts";
import { TheiaDriver } from "./editors/theia/theia.ts";
import { VsCodeDriver } from "./editors/vscode/vscode.ts";
import { ScenarioWorld } from "./runner/world.ts";
import { waitForEnd, withHook } from "./scenarios/hooked.ts";
import { proposeInPanel } from "./scenarios/panel-review.ts";
import { diffTitle, propose } from "./scenarios/propose.ts";
import { createLab, type Lab } from "./support/lab.ts";
import { pause } from "./support/poll.ts";

const example = `export interface Greeting {
  readonly name: string;
  readonly language: "en" | "de";
}

export function greet(greeting: Greeting): string {
  return "Hello, " + greeting.name;
}
`;

const loop = `  let sum = 0;
  for (const item of items) {
    sum += item.price * item.count;
  }
  return sum;`;

const cart = `export interface Item {
  readonly name: string;
  readonly price: number;
  readonly count: number;
}

export function total(items: readonly Item[]): number {
${loop}
}
`;

const shop = `${cart}
/** What is shown beside the price. */
export function label(item: Item): string {
  return item.count + " x " + item.name;
}

export function isEmpty(items: readonly Item[]): boolean {
  return items.length == 0;
}
`;

const tidyShop = shop
  .replace(loop, "  return items.reduce((sum, { price, count }) => sum + price * count, 0);")
  .replace('item.count + " x " + item.name', "`${item.count} × ${item.name}`")
  .replace("items.length == 0", "items.length === 0");

/** Makes the pictures of the documentation: a proposal under review, who is connected, and a conversation. */
export async function takeScreenshots(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const code = new VsCodeDriver(findPackage("vscode", ".vsix"));
  // Its path is in the pictures: it must not be one of the machine's own.
  await reviewOneProposal(code, await createLab(join(tmpdir(), "demo")), async () => {
    await code.screenshot(join(into, "vscode-diff.png"));
    await code.showConnections(["Gemini CLI", "Claude Code"]);
    await code.screenshot(join(into, "vscode-connections.png"));
  });
  await converse(code, await createLab(join(tmpdir(), "demo")), () => code.screenshot(join(into, "vscode-panel.png")));
  await decideHunks(code, await createLab(join(tmpdir(), "demo")), () =>
    code.screenshot(join(into, "vscode-hunks.png")),
  );
  await changeUnasked(code, await createLab(join(tmpdir(), "demo")), () =>
    code.screenshot(join(into, "vscode-agent-changes.png")),
  );
  await tryOut(code, await createLab(join(tmpdir(), "demo")), () => code.screenshot(join(into, "vscode-trial.png")));
  await takePagePictures(into);
  const theia = new TheiaDriver(findPackage("theia", ".tgz"));
  await reviewOneProposal(theia, await createLab(join(tmpdir(), "demo")), async () => {
    await theia.screenshot(join(into, "theia-diff.png"));
  });
}

/** Pictures of the page by itself: a conversation that asks for a change, and the review of it. */
export async function takePagePictures(into: string): Promise<void> {
  const page = new PageDriver();
  const lab = await createLab(join(tmpdir(), "demo"));
  const world = new ScenarioWorld(page, lab, undefined);
  try {
    await world.writeFile("shop.ts", shop);
    await page.start(lab);
    const talk = await world.converse("claude");
    await proposeInPanel(world, talk, { file: "shop.ts", from: shop.trim(), to: tidyShop.trim() });
    await page.screenshot(join(into, "page-panel.png"));
    await page.showDiff(diffTitle(talk.agent, "shop.ts"));
    await page.screenshot(join(into, "page-review.png"));
  } finally {
    await world.dispose();
    await page.stop();
    await lab.dispose();
  }
}

/** Runs `take` while two agents are connected and the diff of one's proposal is in front. */
async function reviewOneProposal(editor: EditorDriver, lab: Lab, take: () => Promise<void>): Promise<void> {
  const world = new ScenarioWorld(editor, lab, undefined);
  try {
    await editor.start(lab);
    await world.writeFile("greeting.ts", example);
    await editor.openFile("greeting.ts");
    const gemini = await world.startAgent("gemini");
    await gemini.agent.waitForConnection();
    const claude = await world.startAgent("claude");
    await claude.agent.waitForConnection();
    const change = { file: "greeting.ts", from: '"Hello, " + greeting.name', to: "`Hello, ${greeting.name}!`" };
    await propose(world, claude, change);
    await editor.showDiff(diffTitle(claude.agent, change.file));
    await take();
  } finally {
    await world.dispose();
    await editor.stop();
    await lab.dispose();
  }
}

/** Settings of the workspace, which nobody sees in its folder. */
async function settle(world: ScenarioWorld, settings: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(join(world.lab.workspace, ".vscode"));
  await world.writeFile(".vscode/settings.json", JSON.stringify({ ...settings, "files.exclude": { ".vscode": true } }));
}

/** Runs `take` while a conversation asks for a change, and the diff of it is beside. */
async function converse(code: VsCodeDriver, lab: Lab, take: () => Promise<void>): Promise<void> {
  const world = new ScenarioWorld(code, lab, undefined);
  try {
    await settle(world, { "patchbay.panel.place": "secondarySideBar" });
    await world.writeFile("cart.ts", cart);
    await code.start(lab);
    await code.workbench.page.setViewportSize({ width: 1480, height: 860 });
    const talk = await world.converse("claude");
    const to = "  return items.reduce((sum, { price, count }) => sum + price * count, 0);";
    await proposeInPanel(world, talk, { file: "cart.ts", from: loop, to });
    await code.showDiff(diffTitle(talk.agent, "cart.ts"));
    await take();
  } finally {
    await world.dispose();
    await code.stop();
    await lab.dispose();
  }
}

/** Runs `take` while a proposal of three hunks is under review, the first one accepted, beside the list of all that waits. */
async function decideHunks(code: VsCodeDriver, lab: Lab, take: () => Promise<void>): Promise<void> {
  const world = new ScenarioWorld(code, lab, undefined);
  try {
    await settle(world, { "editor.stickyScroll.enabled": false });
    await code.start(lab);
    await code.workbench.page.setViewportSize({ width: 1480, height: 860 });
    await world.writeFile("shop.ts", shop);
    await world.writeFile("greeting.ts", example);
    const gemini = await world.startAgent("gemini");
    await gemini.agent.waitForConnection();
    await propose(world, gemini, { file: "greeting.ts", from: '"Hello, "', to: '"Hi, "' });
    const claude = await world.startAgent("claude");
    await claude.agent.waitForConnection();
    await propose(world, claude, { file: "shop.ts", from: shop.trim(), to: tidyShop.trim() });
    // All of the file is to be seen.
    await code.workbench.runCommand("View: Hide Panel");
    await code.showDiff(diffTitle(claude.agent, "shop.ts"));
    await code.decideHunk("accept", 8);
    await code.workbench.runCommand("Patchbay: Show Reviews");
    await pause(1_500);
    await take();
  } finally {
    await world.dispose();
    await code.stop();
    await lab.dispose();
  }
}

/** Runs `take` while the made-up review of a newcomer is open, in a small window: the picture is for the walkthrough. */
export async function tryOut(code: VsCodeDriver, lab: Lab, take: () => Promise<void>): Promise<void> {
  try {
    await code.start(lab);
    await code.workbench.page.setViewportSize({ width: 1060, height: 420 });
    await code.workbench.runCommand("View: Toggle Primary Side Bar Visibility");
    await code.tryReview();
    await code.showDiff(/sample\.js/u);
    // Its explanation would lie over the proposal.
    await code.workbench.runCommand("Notifications: Clear All Notifications");
    await pause(1_500);
    await take();
  } finally {
    await code.stop();
    await lab.dispose();
  }
}

/** Runs `take` after a turn in a mode that never asks: its files are listed, and one change of it is looked at in the file. */
async function changeUnasked(code: VsCodeDriver, lab: Lab, take: () => Promise<void>): Promise<void> {
  const world = new ScenarioWorld(code, lab, undefined);
  const kind = kindOf("claude");
  try {
    await settle(world, { "editor.stickyScroll.enabled": false });
    await code.start(lab);
    await code.workbench.page.setViewportSize({ width: 1480, height: 860 });
    await world.writeFile("shop.ts", shop);
    await code.setReviews({ "*": "never" });
    await withHook(world, "claude", async () => {
      const [mode] = kind.quietModes;
      const started = await world.startAgent("claude", { isHooked: true, ...(mode === undefined ? {} : { mode }) });
      const { agent, focus } = started;
      const at = (name: string): string => join(lab.workspace, name);
      agent.model.play(
        ...kind.editTurns(
          at("shop.ts"),
          loop,
          "  return items.reduce((sum, { price, count }) => sum + price * count, 0);",
        ),
        ...kind.editTurns(at("shop.ts"), "items.length == 0", "items.length === 0"),
        ...kind.writeTurns(at("shop.test.ts"), 'import { total } from "./shop";\n'),
      );
      await focus();
      await agent.ask("Tidy up the shop, and begin a test");
      await waitForEnd(agent);
      await code.workbench.openFile("shop.ts");
      await code.workbench.runCommand("Source Control: Focus on Changes View");
      await code.workbench.runCommand("View: Hide Panel");
      await code.workbench.page.locator(".monaco-editor .view-lines").first().click();
      await code.workbench.runCommand("Show Next Change");
      await code.workbench.page.locator(".peekview-widget").first().waitFor();
      await pause(1_500);
      await take();
    });
  } finally {
    await world.dispose();
    await code.stop();
    await lab.dispose();
  }
}
