import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { AgentId } from "@patchbay/core";
import type { Agent, QuietMode } from "../agents/agent.ts";
import { everyHooked, kindOf } from "../agents/index.ts";
import { poll } from "../support/poll.ts";
import { waitForEnd, withHook, withHooks } from "./hooked.ts";
import { startContents } from "./propose.ts";
import { must, type Scenario, type World } from "./scenario.ts";

/** A way to name a file; `file` is a name that nothing has yet. */
type Form = (workspace: string, file: string) => string;

/** With these, agents have written past their hook. */
const found: Readonly<Record<string, Form>> = {
  "double slash": (workspace, file) => `/${workspace}/${file}`,
  "back from a link out": (workspace, file) => `${workspace}/link-out/../${file}`,
  "a link that dangles": (workspace) => `${workspace}/dangling`,
  "a file with a slash": (workspace) => `${workspace}/old.txt/`,
  "/proc/self/cwd": (_workspace, file) => `/proc/self/cwd/${file}`,
  "percent signs": (workspace, file) => `${workspace}/${file.replace(".", "%2e")}`,
};

const forms: Readonly<Record<string, Form>> = {
  ...found,
  plain: (workspace, file) => `${workspace}/${file}`,
  slashes: (workspace, file) => `//${workspace}//${file}`,
  dot: (workspace, file) => `${workspace}/./${file}`,
  "dot dot": (workspace, file) => `${workspace}/dir/../${file}`,
  "dot dot from nowhere": (workspace, file) => `${workspace}/missing/../${file}`,
  "back from a link in": (workspace, file) => `${workspace}/link-in/../${file}`,
  "a link out": (workspace, file) => `${workspace}/link-out/${file}`,
  "a link that dangles outside": (workspace) => `${workspace}/dangling-out`,
  "a link that dangles behind a link": (workspace) => `${workspace}/link-in/dangling-up`,
  "a link to /proc": (workspace, file) => `${workspace}/link-proc/${file}`,
  "a new file with a slash": (workspace, file) => `${workspace}/${file}/`,
  case: (workspace) => `${workspace}/OLD.TXT`,
  relative: (_workspace, file) => `./dir/../${file}`,
  "a mention": (_workspace, file) => `@${file}`,
  outside: (workspace, file) => `${workspace}/../elsewhere/${file}`,
  home: (_workspace, file) => `~/${file}`,
  NUL: (workspace, file) => `${workspace}/${file}\0`,
  newline: (workspace, file) => `${workspace}/${file}\nx`,
  "a long name": (workspace) => `${workspace}/${"n".repeat(300)}`,
  "a long path": (workspace, file) => `${workspace}/${"./".repeat(2_100)}${file}`,
  "an escape": (workspace, file) => `${workspace}/\\ ${file}`,
};

/** In no form of a path, and no mode that does not ask, does an agent write a file of the workspace that nobody was shown. */
export const hookForms: Scenario = {
  ...withHooks,
  name: "hook-forms",
  agents: everyHooked,
  inServe: true,
  isFor: ({ id }) => id === "serve",
  run: async (world, id) => {
    await layOut(world);
    const modes = kindOf(id).quietModes.filter(({ asksElsewhere }) => asksElsewhere !== true);
    await withHook(world, id, async () => {
      // The last is the one that lets an agent do most, or as much as any.
      for (const [index, mode] of modes.entries()) {
        await tryForms(world, id, mode, { names: `m${index}`, forms: index === modes.length - 1 ? forms : found });
      }
    });
  },
};

async function layOut(world: World): Promise<void> {
  const { workspace, root } = world.lab;
  const elsewhere = join(root, "elsewhere");
  await mkdir(join(elsewhere, "deep"), { recursive: true });
  await mkdir(join(workspace, "dir", "deep"), { recursive: true });
  await world.writeFile("old.txt", startContents);
  await symlink(join(elsewhere, "deep"), join(workspace, "link-out"));
  await symlink("dir/deep", join(workspace, "link-in"));
  await symlink("target.txt", join(workspace, "dangling"));
  await symlink(join(elsewhere, "target.txt"), join(workspace, "dangling-out"));
  await symlink("../../target-up.txt", join(workspace, "dir", "deep", "dangling-up"));
  await symlink("/proc/self/cwd", join(workspace, "link-proc"));
}

/** Has an agent write by each of the forms, says yes to what is shown, and looks what has become of each. */
async function tryForms(
  world: World,
  id: AgentId,
  mode: QuietMode,
  { names, forms: tried }: { readonly names: string; readonly forms: Readonly<Record<string, Form>> },
): Promise<void> {
  const { lab } = world;
  const kind = kindOf(id);
  const all = Object.entries(tried).map(([name, form], index) => {
    const text = `${names}, form ${index}.\n`;
    return { name, text, path: form(lab.workspace, `${names}-${index}.txt`) };
  });
  const prompt = "Please write the files";
  const turns = all.flatMap(({ path, text }) => kind.writeTurns(path, text));
  const { agent } = await world.startAgent(id, { isHooked: true, mode, headless: { prompt, turns } });
  for (const [index, { name, text }] of all.entries()) {
    const what = `${names}, ${name}`;
    const heading = await answered(world, agent, index + 2, what);
    const written = await holding(lab.root, text);
    const inside = written.map((file) => relative(lab.workspace, file)).filter((file) => !file.startsWith(".."));
    world.tell(`${what}: ${heading === undefined ? "not shown" : "shown"}, ${written.join() || "not written"}`);
    for (const file of inside) {
      must(`${file} is not written unseen (${what})`, heading !== undefined);
      must(`what was shown is ${file} (${what}): ${heading}`, heading?.includes(file.replaceAll("\n", "\\n")) === true);
    }
    must(`${what} writes one file at most`, written.length <= 1);
    if (name === "plain") must("a plain path is shown and written", inside.length === 1);
    // The next one is to find everything as it was: a link that dangled dangles again.
    for (const file of written) await (file.endsWith("/old.txt") ? writeFile(file, startContents) : rm(file));
  }
  const told = await waitForEnd(agent);
  must("the model reads why", told.includes("it cannot be told which file"));
}

/** Until the agent has the result of a call and asks its model again; gives what was shown of it, and accepted. */
async function answered({ editor }: World, agent: Agent, asked: number, what: string): Promise<string | undefined> {
  let heading: string | undefined;
  const goesOn = async (): Promise<boolean> => {
    if (agent.model.turnsAsked >= asked) return true;
    const [shown] = heading === undefined ? await editor.openDiffs() : [];
    if (shown === undefined) return false;
    heading = shown;
    await editor.acceptDiff();
    return false;
  };
  await poll(`what becomes of ${what}`, goesOn, { timeout: 30_000, describe: () => agent.terminal.screen() });
  return heading;
}

/** The files below a folder that hold a text, without what agents keep for themselves; links are not followed. */
async function holding(folder: string, text: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = entries.map(async (entry): Promise<readonly string[]> => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith(".") ? [] : await holding(path, text);
    return entry.isFile() && (await readFile(path, "utf8").catch(() => "")) === text ? [path] : [];
  });
  return (await Promise.all(found)).flat();
}
