import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findPackage } from "./editors/find-package.ts";
import { TheiaDriver } from "./editors/theia/theia.ts";
import { ScenarioWorld } from "./runner/world.ts";
import { diffTitle, propose } from "./scenarios/propose.ts";
import { createLab } from "./support/lab.ts";

const example = `export interface Greeting {
  readonly name: string;
  readonly language: "en" | "de";
}

export function greet(greeting: Greeting): string {
  return "Hello, " + greeting.name;
}
`;

/** Makes the picture of a proposal under review in Theia, with two agents connected. */
export async function takeTheiaScreenshots(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const lab = await createLab();
  const editor = new TheiaDriver(findPackage("theia", ".tgz"));
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
    await editor.screenshot(join(into, "theia-diff.png"));
  } finally {
    world.dispose();
    await editor.stop();
    await lab.dispose();
  }
}
