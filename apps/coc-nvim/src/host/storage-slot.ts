import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A process that may own a slot; two that had one number after another differ in their mark. */
export interface SlotOwner {
  readonly pid: number;
  readonly mark: string;
}

export interface SlotOptions {
  /** Where coc lets this extension keep things. */
  readonly root: string;
  readonly workspace: string;
  readonly editor: SlotOwner;
  /** Whether that very process still runs. */
  readonly isRunning: (owner: SlotOwner) => Promise<boolean>;
}

const ownerSuffix = ".owner";
const maximumSlots = 64;

/**
 * The private directory of this editor for this workspace: the same one after `:CocRestart` (port, token and drafts are
 * found again), another one than that of a second editor in the same workspace, and that of an editor that is gone is
 * taken over. Undefined where none can be had: then nothing is kept.
 */
export async function claimStorageSlot(options: SlotOptions): Promise<string | undefined> {
  const name = createHash("sha256").update(options.workspace).digest("hex").slice(0, 16);
  const directory = join(options.root, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const owners = (await readdir(directory)).filter((file) => file.endsWith(ownerSuffix)).sort(byNumber);
  for (const file of owners) {
    const owner = await readOwner(join(directory, file));
    if (owner?.pid === options.editor.pid && owner.mark === options.editor.mark) return slotOf(directory, file);
  }
  for (const file of owners) {
    const owner = await readOwner(join(directory, file));
    if (owner !== undefined && (await options.isRunning(owner))) continue;
    await rm(join(directory, file), { force: true });
    if (await claim(join(directory, file), options.editor)) return slotOf(directory, file);
  }
  for (let number = 0; number < maximumSlots; number += 1) {
    const file = `${number}${ownerSuffix}`;
    if (await claim(join(directory, file), options.editor)) return slotOf(directory, file);
  }
  return undefined;
}

/** True for the one that made the file: two editors that start together get two slots. */
async function claim(path: string, owner: SlotOwner): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function readOwner(path: string): Promise<SlotOwner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (typeof value !== "object" || value === null || !("pid" in value) || !("mark" in value)) return undefined;
    return typeof value.pid === "number" && typeof value.mark === "string"
      ? { pid: value.pid, mark: value.mark }
      : undefined;
  } catch {
    // Half-written or gone: nobody's.
    return undefined;
  }
}

function slotOf(directory: string, ownerFile: string): string {
  return join(directory, ownerFile.slice(0, -ownerSuffix.length));
}

function byNumber(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10);
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
