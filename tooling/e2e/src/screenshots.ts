import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLab } from "./support/lab.ts";
import { ScenarioWorld } from "./runner/world.ts";
import { diffTitle, propose } from "./scenarios/propose.ts";
import { findPackage } from "./editors/find-package.ts";
import { VsCodeDriver } from "./editors/vscode/vscode.ts";

const example = `export interface Greeting {
  readonly name: string;
  readonly language: "en" | "de";
}

export function greet(greeting: Greeting): string {
  return "Hello, " + greeting.name;
}
`;

/** Makes the pictures of the documentation: a proposal under review, and who is connected. */
export async function takeScreenshots(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  // Its path is in the pictures: it must not be one of the machine's own.
  const lab = await createLab(join(tmpdir(), "demo"));
  const editor = new VsCodeDriver(findPackage("vscode", ".vsix"));
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
    await editor.screenshot(join(into, "vscode-diff.png"));
    await editor.showConnections(["Gemini CLI", "Claude Code"]);
    await editor.screenshot(join(into, "vscode-connections.png"));
  } finally {
    world.dispose();
    await editor.stop();
    await lab.dispose();
  }
}
