import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CocDriver } from "./editors/coc/coc.ts";
import { findPackage } from "./editors/find-package.ts";
import { whyNoCoc } from "./prerequisites/coc.ts";
import { ensurePrerequisites } from "./prerequisites/prerequisites.ts";
import { ScenarioWorld } from "./runner/world.ts";
import { diffTitle, propose } from "./scenarios/propose.ts";
import { createLab } from "./support/lab.ts";
import { pause, poll } from "./support/poll.ts";

// Captures the screens of the documentation from the real editors with a real agent: node src/coc-screens.ts [folder]

const example = `package greeting

import "fmt"

// Greet says hello.
func Greet(name string) string {
	return "Hello, " + name
}

func main() {
	fmt.Println(Greet("world"))
}
`;

const into = process.argv[2] ?? join(import.meta.dirname, "..", "..", "..", "docs", "screens");

for (const editor of ["vim", "neovim"] as const) {
  const reason = whyNoCoc(editor);
  if (reason === undefined) await capture(editor);
  else console.log(`skipped ${editor}: ${reason}`);
}

async function capture(editor: "vim" | "neovim"): Promise<void> {
  await ensurePrerequisites(editor === "neovim" ? ["gemini", "neovim"] : ["gemini"], console.log);
  await mkdir(into, { recursive: true });
  const lab = await createLab();
  const coc = new CocDriver(editor === "vim" ? "coc-vim" : "coc-neovim", editor, findPackage("coc-nvim", ".tgz"));
  const world = new ScenarioWorld(coc, lab, undefined);
  const save = async (name: string): Promise<void> => {
    await pause(700);
    const screen = (await coc.pane.screen()).replaceAll(lab.root, "~");
    await writeFile(join(into, `${coc.id}-${name}.txt`), `${screen}\n`);
  };
  try {
    await coc.start(lab);
    await world.writeFile("greeting.go", example);
    await coc.openFile("greeting.go");
    const started = await world.startAgent("gemini");
    await started.agent.waitForConnection();
    const change = { file: "greeting.go", from: '"Hello, " + name', to: 'fmt.Sprintf("Hello, %s!", name)' };
    await propose(world, started, change);
    await save("asking");
    await coc.showDiff(diffTitle(started.agent, change.file));
    await save("review");
    await coc.command("CocList patchbay");
    await save("list");
    // The list reads keys by itself until it is closed.
    await coc.pane.press("Escape");
    await poll("the list's end", async () => (await coc.link.read("bufname('%')")) !== "list:///patchbay", {
      timeout: 5_000,
    });
    await pause(500);
    await coc.command("Patchbay");
    await save("page");
    await coc.command("q");
    await coc.command("Patchbay health");
    await save("health");
    await coc.command("q");
    await coc.showDiff(diffTitle(started.agent, change.file));
    await coc.rejectDiff();
    await pause(1_000);
    await coc.command("call coc#config('patchbay.review.layout', 'vertical')");
    await started.focus();
    await propose(world, started, change);
    await save("vertical");
  } finally {
    await world.dispose();
    await coc.stop();
    await lab.dispose();
  }
}
