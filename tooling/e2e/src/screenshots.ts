import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPackage } from "./editors/find-package.ts";
import type { EditorDriver } from "./editors/editor-driver.ts";
import { TheiaDriver } from "./editors/theia/theia.ts";
import { VsCodeDriver } from "./editors/vscode/vscode.ts";
import { ScenarioWorld } from "./runner/world.ts";
import { proposeInPanel } from "./scenarios/panel-review.ts";
import { diffTitle, propose } from "./scenarios/propose.ts";
import { createLab, type Lab } from "./support/lab.ts";

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
  const theia = new TheiaDriver(findPackage("theia", ".tgz"));
  await reviewOneProposal(theia, await createLab(join(tmpdir(), "demo")), async () => {
    await theia.screenshot(join(into, "theia-diff.png"));
  });
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
    world.dispose();
    await editor.stop();
    await lab.dispose();
  }
}

/** Runs `take` while a conversation asks for a change, and the diff of it is beside. */
async function converse(code: VsCodeDriver, lab: Lab, take: () => Promise<void>): Promise<void> {
  const world = new ScenarioWorld(code, lab, undefined);
  try {
    const settings = { "patchbay.panel.place": "secondarySideBar", "files.exclude": { ".vscode": true } };
    await mkdir(join(lab.workspace, ".vscode"));
    await world.writeFile(".vscode/settings.json", JSON.stringify(settings));
    await world.writeFile("cart.ts", cart);
    await code.start(lab);
    await code.workbench.page.setViewportSize({ width: 1480, height: 860 });
    const talk = await world.converse("claude");
    const to = "  return items.reduce((sum, { price, count }) => sum + price * count, 0);";
    await proposeInPanel(world, talk, { file: "cart.ts", from: loop, to });
    await code.showDiff(diffTitle(talk.agent, "cart.ts"));
    await take();
  } finally {
    world.dispose();
    await code.stop();
    await lab.dispose();
  }
}
