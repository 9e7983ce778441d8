import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPackage } from "./editors/find-package.ts";
import type { EditorDriver } from "./editors/editor-driver.ts";
import { TheiaDriver } from "./editors/theia/theia.ts";
import { VsCodeDriver } from "./editors/vscode/vscode.ts";
import { ScenarioWorld } from "./runner/world.ts";
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

/** Makes the pictures of the documentation: a proposal under review, and who is connected. */
export async function takeScreenshots(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const code = new VsCodeDriver(findPackage("vscode", ".vsix"));
  // Its path is in the pictures: it must not be one of the machine's own.
  await reviewOneProposal(code, await createLab(join(tmpdir(), "demo")), async () => {
    await code.screenshot(join(into, "vscode-diff.png"));
    await code.showConnections(["Gemini CLI", "Claude Code"]);
    await code.screenshot(join(into, "vscode-connections.png"));
  });
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
