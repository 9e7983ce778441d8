import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { everyAgent } from "./agents/index.ts";
import { ServeDriver } from "./editors/serve/serve.ts";
import { ensurePrerequisites } from "./prerequisites/prerequisites.ts";
import { ScenarioWorld } from "./runner/world.ts";
import { diffTitle, propose, waitForContents } from "./scenarios/propose.ts";
import { createLab } from "./support/lab.ts";

// Records into the documentation what stands in both terminals when somebody starts with `patchbay serve` and `patchbay run <agent>`, with the
// real agents and a scripted model: node src/run-screens.ts [folder with a page for each agent]

const example = `export function greet(name) {
  return "Hello, " + name;
}
`;
const change = { file: "greet.js", from: '"Hello, " + name', to: "`Hello, ${name}!`" };
const into = process.argv[2] ?? join(import.meta.dirname, "..", "..", "..", "docs", "getting-started");
const program = join(import.meta.dirname, "..", "..", "..", "packages", "cli", "dist", "patchbay.js");

await ensurePrerequisites([...everyAgent], console.log);
for (const id of everyAgent) await record(id);

async function record(id: (typeof everyAgent)[number]): Promise<void> {
  const lab = await createLab();
  const serve = new ServeDriver(program);
  const world = new ScenarioWorld(serve, lab, undefined);
  try {
    await world.writeFile(change.file, example);
    await serve.start(lab);
    const started = await world.startAgent(id, { run: [] });
    const { agent } = started;
    await serve.waitForAgent(agent.kind.displayName);
    if (id === "gemini") await agent.waitForScreen(agent.kind.connected);
    await propose(world, started, change);
    await serve.showDiff(diffTitle(agent, change.file));
    const review = await serve.readDiff();
    await serve.acceptDiff();
    await waitForContents(world, change.file, example.replace(change.from, change.to));
    await agent.waitForScreen(/All done\./u);
    const first = review.slice(review.indexOf("Patchbay is serving"));
    // From the prompt to the answer: what is around it is the agent's own.
    const second = /^[^\n]*Please change[^]*All done\./mu.exec(await agent.terminal.screen())?.[0] ?? "";
    const plain = (screen: string): string =>
      screen
        .replaceAll(lab.workspace, "~/project")
        .replaceAll(lab.home, "~")
        .replaceAll(`node ${program}`, "patchbay")
        .split("\n")
        .map((line) => line.trimEnd())
        .filter((line) => !/^[▀▄]+$/u.test(line))
        .join("\n")
        .replaceAll(/\n{3,}/gu, "\n\n")
        .trim();
    const recorded = `\`\`\`text\n$ patchbay serve\n${plain(first)}a\n\`\`\`\n\n\`\`\`text\n$ patchbay run ${id}\n…\n\n${plain(second)}\n\`\`\``;
    const page = join(into, `${id}.md`);
    const text = await readFile(page, "utf8");
    const [begin, end] = ["<!-- recorded -->", "<!-- end of the record -->"];
    const [before, after] = [text.indexOf(begin), text.indexOf(end)];
    if (before === -1 || after < before) throw new Error(`${page} has no place for the record`);
    await writeFile(page, `${text.slice(0, before)}${begin}\n\n${recorded}\n\n${text.slice(after)}`);
  } finally {
    await world.dispose();
    await serve.stop();
    await lab.dispose();
  }
}
