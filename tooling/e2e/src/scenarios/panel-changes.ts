import { execFile } from "node:child_process";
import { lstat, mkdir, readdir, readFile, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { commandLine } from "../agents/agent.ts";
import { panelAgents } from "../agents/index.ts";
import { nodeBinary } from "../prerequisites/components.ts";
import { poll } from "../support/poll.ts";
import { inPanel, must, mustEqual, type Scenario, type World } from "./scenario.ts";

const patience = 30_000;
const run = promisify(execFile);

const text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/** What a command does besides an edit that is asked for: each kind of change once. */
const commandIn = (folder: string): string =>
  [
    `cd ${folder}`,
    "printf 'new\\n' > made.txt",
    "rm gone.txt",
    "mv old-name.txt new-name.txt",
    "chmod 755 run.sh",
    "ln -s edit.txt link",
    "printf '\\000\\001' > new.bin",
    "printf '\\000\\002' > old.bin",
  ].join(" && ");

/** In what the scenarios differ. */
interface Way {
  readonly name: string;
  readonly agents: Scenario["agents"];
  readonly hasGit: boolean;
  /** A line that the user adds to the edited file once the turn is over. */
  readonly ownLine?: string;
  /** The window is loaded anew before anything is undone. */
  readonly isReloaded?: boolean;
}

/**
 * A turn edits a file, and its command creates, deletes, renames, makes executable, links and writes binary files: the panel lists below the
 * turn, and below the command, what `patchbay turns` lists. One hunk, one file and then the rest are undone in the panel, and the folder
 * is what it was, to the byte, as git sees it, too; but for what the user has written.
 */
function changes({ name: folder, agents, hasGit, ownLine = "", isReloaded = false }: Way): Scenario {
  return {
    ...inPanel,
    name: folder,
    agents,
    run: async (world, id) => {
      const { lab } = world;
      const at = join(lab.workspace, folder);
      const git = async (...words: readonly string[]): Promise<string> => {
        if (!hasGit) return "";
        const own = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
        const { stdout } = await run("git", [...own, ...words], {
          cwd: lab.workspace,
          env: { ...process.env, ...lab.env },
        });
        return stdout;
      };
      await rm(at, { recursive: true, force: true });
      await mkdir(at, { recursive: true });
      await world.writeFile(`${folder}/edit.txt`, text);
      await world.writeFile(`${folder}/gone.txt`, "gone\n");
      await world.writeFile(`${folder}/old-name.txt`, "moved\nas it is\n");
      await world.writeFile(`${folder}/run.sh`, "#!/bin/sh\n");
      await world.writeFile(`${folder}/old.bin`, "\0\u0001\u0002");
      await git("init", "-q");
      await git("add", folder);
      await git("commit", "-q", "-m", "before");
      try {
        const [before, status] = [await stateOf(at), await git("status", "--porcelain", folder)];
        const { agent, panel } = await world.converse(id);
        const { kind, model } = agent;
        model.play(
          ...kind.editTurns(join(at, "edit.txt"), "two", "TWO"),
          ...kind.editTurns(join(at, "edit.txt"), "six", "SIX"),
          ...kind.commandTurns(commandIn(folder)),
          { kind: "text", text: "It has run." },
        );
        await panel.send("Change all of it");
        for (const what of ["TWO", "SIX", "chmod"]) {
          // oxlint-disable-next-line no-await-in-loop -- one question after the other
          must(`the question is about ${what}`, (await panel.waitForQuestion()).includes(what));
          // oxlint-disable-next-line no-await-in-loop
          await panel.answer("yes");
        }
        await panel.waitForText(/It has run\./);
        await panel.waitUntilIdle();

        const byCommand = ["gone.txt", "link", "made.txt", "new-name.txt", "new.bin", "old.bin", "run.sh"];
        const bar = panel.frame.locator(".foot .changes");
        const names = async (of: string): Promise<string> =>
          (await panel.frame.locator(`${of} .change-path`).allInnerTexts()).join(" ");
        const waitForFiles = async (): Promise<void> => {
          const head = bar.locator(".tool-head");
          await head.waitFor({ timeout: patience });
          if ((await head.getAttribute("aria-expanded")) !== "true") await head.click();
          await poll(
            "the files of the turn",
            async () => (await names(".foot .changes")) === `edit.txt ${byCommand.join(" ")}`,
            { timeout: patience, describe: () => names(".foot .changes") },
          );
        };
        await waitForFiles();
        mustEqual("the files below the command", await names(".command-files"), byCommand.join(" "));
        if (isReloaded) {
          await world.editor.reload?.();
          await panel.waitUntilReady();
          await waitForFiles();
        }
        const rows = (await bar.locator(".changed-file").allInnerTexts()).map((row) => row.replaceAll(/\s+/gu, " "));
        world.tell(rows.join("\n"));
        for (const words of [
          /gone.*Deleted/,
          /link.*New.*Link/,
          /made.*New/,
          /new-name.*Moved/,
          /new\.bin.*New.*Binary/,
          /old\.bin.*Binary/,
          /run.*Permissions/,
        ])
          must(
            `a row says ${words}`,
            rows.some((row) => words.test(row)),
          );
        const listed = await turnsIn(world, folder);
        mustEqual("what the terminal lists", listed.join(" "), ["edit.txt", ...byCommand].join(" "));
        if (ownLine !== "") {
          await world.writeFile(`${folder}/edit.txt`, text.replace("two", "TWO").replace("six", "SIX") + ownLine);
        }

        // One hunk, one file, and then the rest.
        const row = (name: string): ReturnType<typeof bar.locator> => bar.locator("li").filter({ hasText: name });
        await row("edit.txt").getByRole("button", { name: "Show changed lines" }).click();
        await row("edit.txt").locator(".hunk").first().getByRole("button", { name: "Undo", exact: true }).click();
        await waitFor(world, `${folder}/edit.txt`, text.replace("six", "SIX") + ownLine);
        await row("edit.txt").locator(".hunk").first().getByRole("button", { name: "Redo", exact: true }).click();
        await waitFor(world, `${folder}/edit.txt`, text.replace("two", "TWO").replace("six", "SIX") + ownLine);
        await row("edit.txt").locator(".hunk").first().getByRole("button", { name: "Undo", exact: true }).click();
        await waitFor(world, `${folder}/edit.txt`, text.replace("six", "SIX") + ownLine);
        await row("new-name.txt").getByRole("button", { name: "Undo", exact: true }).click();
        await waitFor(world, `${folder}/old-name.txt`, "moved\nas it is\n");
        await panel.button("Undo All").click();
        const base64 = (held: string): string => Buffer.from(held).toString("base64");
        const wanted = before.replace(base64(text), base64(text + ownLine));
        await poll("everything as it was", async () => (await stateOf(at)) === wanted, {
          timeout: patience,
          describe: async () => `${await stateOf(at)}\nnot\n${wanted}`,
        });
        if (ownLine === "") mustEqual("what git sees", await git("status", "--porcelain", folder), status);
      } finally {
        await rm(join(lab.workspace, ".git"), { recursive: true, force: true });
      }
    },
  };
}

/** In a repository, with each agent. */
export const panelChanges: Scenario = changes({ name: "panel-changes", agents: panelAgents, hasGit: true });

/** In a folder that git does not know. */
export const panelChangesPlain: Scenario = changes({
  name: "panel-changes-plain",
  agents: panelAgents,
  hasGit: false,
});

/** With a line of the user's own in one of the files. */
export const panelChangesOwn: Scenario = changes({
  name: "panel-changes-own",
  agents: ["claude"],
  hasGit: true,
  ownLine: "mine\n",
});

/** After a reload. */
export const panelChangesReload: Scenario = changes({
  name: "panel-changes-reload",
  agents: ["claude"],
  hasGit: true,
  isReloaded: true,
});

async function waitFor(world: World, name: string, contents: string): Promise<void> {
  const read = async (): Promise<string> => await world.readFile(name).catch(() => "nothing");
  await poll(name, async () => (await read()) === contents, { timeout: patience, describe: read });
}

/** Names, permissions, links and bytes. */
async function stateOf(at: string): Promise<string> {
  const lines = await Promise.all(
    (await readdir(at)).toSorted().map(async (name) => {
      const path = join(at, name);
      try {
        const facts = await lstat(path);
        const held = facts.isSymbolicLink() ? await readlink(path) : (await readFile(path)).toString("base64");
        return `${name} ${facts.mode.toString(8)} ${held}`;
      } catch {
        return `${name} is just going`;
      }
    }),
  );
  return lines.join("\n");
}

/** The files of the newest turn as the terminal has them. */
async function turnsIn({ lab }: World, folder: string): Promise<readonly string[]> {
  const env = { ...process.env, ...lab.env };
  const { stdout } = await run(nodeBinary(), [commandLine, "turns", "--json"], { cwd: lab.workspace, env });
  const paths = Array.from(stdout.matchAll(/"path":\s*"([^"]+)"/gu), ([, path = ""]) => path);
  const own = paths.filter((path) => path.includes(`${folder}/`)).map((path) => path.slice(path.lastIndexOf("/") + 1));
  return [...new Set(own)];
}
