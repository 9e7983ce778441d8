import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../prerequisites/cache.ts";
import type { ScenarioWorld } from "./world.ts";

const stamp = new Date().toISOString().replaceAll(":", "-").slice(0, 19);

/** Lines of each text that are printed: a machine that is gone afterwards keeps no files. */
const printedLines = 40;

/** Saves what explains a failure and returns what to print about it: the files, and the end of each text. Never throws: it must not hide the failure itself. */
export async function saveArtifacts(
  caseId: string,
  error: unknown,
  world: ScenarioWorld | undefined,
): Promise<readonly string[]> {
  const directory = join(cacheDirectory, "artifacts", stamp, caseId.replaceAll(":", "-"));
  const saved: string[] = [];
  const save = async (name: string, contents: string): Promise<void> => {
    await writeFile(join(directory, name), contents);
    saved.push(join(directory, name), ...lastLines(contents));
  };
  try {
    await mkdir(directory, { recursive: true });
    await save("error.txt", error instanceof Error ? (error.stack ?? error.message) : String(error));
    if (world === undefined) return saved;
    for (const [name, contents] of await world.evidence()) await save(name, contents);
    await save("companion.log", await world.editor.logs());
    await world.editor.screenshot(join(directory, "screen.png"));
    saved.push(join(directory, "screen.png"));
  } catch (reason) {
    saved.push(`(not everything could be saved: ${String(reason)})`);
  }
  return saved;
}

function lastLines(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-printedLines).map((line) => `  | ${line.slice(0, 300)}`);
}
