import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { configDirectory, PatchbayError, type Platform } from "@patchbay/core";

type Settings = Readonly<Record<string, unknown>>;

/** What the user has set about agents, as in the editors' settings; a folder cannot say it. */
export async function readAgents({ process }: Platform): Promise<unknown> {
  return (await readSettings(pathOf(process)))["agents"];
}

/** Adds one, beside whatever else stands in the file by now. What is set about agents then. */
export async function addAgent({ process }: Platform, id: string, agent: object): Promise<unknown> {
  const path = pathOf(process);
  const settings = await readSettings(path);
  const known = isRecord(settings["agents"]) ? settings["agents"] : {};
  const agents = { ...known, [id]: agent };
  await mkdir(configDirectory(process), { recursive: true, mode: 0o700 });
  // Whoever reads it meanwhile reads all of it.
  const written = `${path}.${randomUUID()}`;
  try {
    await writeFile(written, `${JSON.stringify({ ...settings, agents }, undefined, 2)}\n`, { mode: 0o600, flag: "wx" });
    await rename(written, path);
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
  return agents;
}

const pathOf = (process: Platform["process"]): string => join(configDirectory(process), "panel.json");

async function readSettings(path: string): Promise<Settings> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return {};
  try {
    const set: unknown = JSON.parse(text);
    return isRecord(set) ? set : {};
  } catch (error) {
    throw new PatchbayError("invalid-argument", `${path} is not valid JSON.`, { cause: error });
  }
}

function isRecord(value: unknown): value is Settings {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
