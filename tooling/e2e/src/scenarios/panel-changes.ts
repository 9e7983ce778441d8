import { execFile } from "node:child_process";
import { lstat, mkdir, readdir, readFile, readlink, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import type { Locator } from "playwright-core";
import { commandLine } from "../agents/agent.ts";
import { panelAgents } from "../agents/index.ts";
import { nodeBinary } from "../prerequisites/components.ts";
import type { ConversationPanel } from "../editors/vscode/conversation-panel.ts";
import { poll } from "../support/poll.ts";
import { inPanel, must, mustEqual, type Scenario, type World } from "./scenario.ts";
import { editorListOf, hasEditorList } from "./turn-lists.ts";

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
    "printf 'ignored\\n' > new.local",
  ].join(" && ");

/** What that leaves, beside the edited file, in the order of the lists. */
const byCommand = ["gone.txt", "link", "made.txt", "new-name.txt", "new.bin", "new.local", "old.bin", "run.sh"];

/** Things that happen between the turn and the last undo. */
type Between = "reload" | "kill";

/** In what the scenarios differ. */
interface Way {
  readonly name: string;
  readonly agents: Scenario["agents"];
  readonly hasGit: boolean;
  /** A line that the user adds to the edited file once the turn is over. */
  readonly ownLine?: string;
  /** Before anything is undone, and once more before the rest is. */
  readonly between?: Between;
  /** A file is undone in the editor's own list, and the rest in the terminal; else all of it in the panel. */
  readonly isEverywhere?: boolean;
  readonly isFor?: Scenario["isFor"];
}

/**
 * A turn edits a file, and its command creates, deletes, renames, makes executable, links and writes binary files, and one that git
 * ignores: the panel lists below the turn, and below the command, what `patchbay turns` lists, and the editor's own list. One hunk, one
 * file and then the rest are undone, and the folder is what it was, to the byte, as git sees it, too; but for what the user has written.
 */
function changes({ name, agents, hasGit, ownLine = "", between, isEverywhere = false, isFor }: Way): Scenario {
  return {
    ...inPanel,
    name,
    agents,
    ...(isFor === undefined ? {} : { isFor }),
    // VS Code's own list says what it has undone.
    ...(isEverywhere ? { mayTell: /Undone\./u } : {}),
    run: async (world, id) => {
      const folder = await Folder.make(world, name, hasGit);
      try {
        const { agent, panel: begun } = await world.converse(id);
        const { kind, model } = agent;
        model.play(
          ...kind.editTurns(join(folder.at, "edit.txt"), "two", "TWO"),
          ...kind.editTurns(join(folder.at, "edit.txt"), "six", "SIX"),
          ...kind.commandTurns(commandIn(name)),
          { kind: "text", text: "It has run." },
        );
        await begun.send("Change all of it");
        for (const what of ["TWO", "SIX", "chmod"]) {
          // oxlint-disable-next-line no-await-in-loop -- one question after the other
          must(`the question is about ${what}`, (await begun.waitForQuestion()).includes(what));
          // oxlint-disable-next-line no-await-in-loop
          await begun.answer("yes");
        }
        await begun.waitForText(/It has run\./);
        await begun.waitUntilIdle();

        const bar = new ChangesBar(begun);
        await bar.waitForFiles(["edit.txt", ...byCommand]);
        mustEqual("the files below the command", await bar.names(".command-files"), byCommand.join(" "));
        if (between !== undefined) {
          bar.panel = await goneOver(world, between, begun);
          await bar.waitForFiles(["edit.txt", ...byCommand]);
        }
        const rows = await bar.rows();
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
        const told = await turnsIn(world, name);
        mustEqual("what the terminal lists", told.marked.join("\n"), (await bar.marked()).join("\n"));
        if (ownLine !== "") {
          await world.writeFile(`${name}/edit.txt`, text.replace("two", "TWO").replace("six", "SIX") + ownLine);
        }

        // One hunk, one file, and then the rest.
        const hunk = bar.row("edit.txt").locator(".hunk").first();
        await bar.row("edit.txt").getByRole("button", { name: "Show changed lines" }).click();
        await hunk.getByRole("button", { name: "Undo", exact: true }).click();
        await waitFor(world, `${name}/edit.txt`, text.replace("six", "SIX") + ownLine);
        await hunk.getByRole("button", { name: "Redo", exact: true }).click();
        await waitFor(world, `${name}/edit.txt`, text.replace("two", "TWO").replace("six", "SIX") + ownLine);
        await hunk.getByRole("button", { name: "Undo", exact: true }).click();
        await waitFor(world, `${name}/edit.txt`, text.replace("six", "SIX") + ownLine);
        await bar.says("edit.txt", /Partly/);
        if (isEverywhere) await undoInOtherPlaces(world, name, bar);
        else {
          await bar.row("new-name.txt").getByRole("button", { name: "Undo", exact: true }).click();
          await waitFor(world, `${name}/old-name.txt`, "moved\nas it is\n");
          if (between !== undefined) {
            bar.panel = await goneOver(world, between, bar.panel);
            await bar.waitForFiles(["edit.txt", ...byCommand]);
            await bar.says("edit.txt", /Partly/);
            await bar.says("new-name.txt", /Undone/);
          }
          await bar.panel.button("Undo All").click();
        }
        await folder.mustBeAsBefore(ownLine);
      } finally {
        await rm(join(world.lab.workspace, ".git"), { recursive: true, force: true });
      }
    },
  };
}

/** A file is undone in the editor's own list, and the rest by `patchbay undo`: each place shows what was done in the others. */
async function undoInOtherPlaces(world: World, name: string, bar: ChangesBar): Promise<void> {
  const list = editorListOf(world.editor, name);
  if (list === undefined) throw new Error("this editor has no list of its own");
  const { marked } = await turnsIn(world, name);
  await list.show();
  await list.mustList(marked);
  await list.undo("new-name.txt");
  await waitFor(world, `${name}/old-name.txt`, "moved\nas it is\n");
  await list.mustList(marked.filter((one) => !one.startsWith("new-name.txt ")));
  bar.panel = await shownAgain(world);
  await bar.waitForFiles(["edit.txt", ...byCommand]);
  await bar.says("edit.txt", /Partly/);
  await bar.says("new-name.txt", /Undone/);
  const { lab } = world;
  const told = await run(nodeBinary(), [commandLine, "undo", "--yes"], {
    cwd: lab.workspace,
    env: { ...process.env, ...lab.env },
  }).catch((error: unknown) => ({ stdout: String(error) }));
  world.tell(told.stdout);
  for (const file of ["edit.txt", ...byCommand]) {
    // oxlint-disable-next-line no-await-in-loop -- one row after the other
    await bar.says(file, /Undone/);
  }
  await list.show();
  await list.mustList([]);
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

/** In the panel, the editor's own list and the terminal. */
export const panelChangesEverywhere: Scenario = changes({
  name: "panel-changes-everywhere",
  agents: panelAgents,
  hasGit: true,
  isEverywhere: true,
  isFor: hasEditorList,
});

/** After a reload, and after another one. */
export const panelChangesReload: Scenario = changes({
  name: "panel-changes-reload",
  agents: panelAgents,
  hasGit: true,
  between: "reload",
});

/** After the process in which Patchbay runs was killed, and once more. */
export const panelChangesKilled: Scenario = changes({
  name: "panel-changes-killed",
  agents: panelAgents,
  hasGit: true,
  between: "kill",
  isFor: (editor) => inPanel.isFor?.(editor) === true && editor.killHost !== undefined,
});

/** What is undone while the agent works waits for the end of the turn, a hunk, too; or does not wait. */
export const panelChangesWorking: Scenario = {
  ...inPanel,
  name: "panel-changes-working",
  agents: panelAgents,
  run: async (world, id) => {
    const name = "panel-changes-working";
    const folder = await Folder.make(world, name, true);
    try {
      const { agent, panel } = await world.converse(id);
      const { kind, model } = agent;
      const go = join(world.lab.workspace, "go");
      model.play(
        ...kind.editTurns(join(folder.at, "edit.txt"), "two", "TWO"),
        ...kind.editTurns(join(folder.at, "edit.txt"), "six", "SIX"),
        ...kind.commandTurns(commandIn(name)),
        ...kind.commandTurns(`while [ ! -e '${go}' ]; do sleep 0.2; done; rm '${go}'`),
        { kind: "text", text: "It has run." },
      );
      await panel.send("Change all of it and wait");
      for (const what of ["TWO", "SIX", "chmod", "while"]) {
        // oxlint-disable-next-line no-await-in-loop -- one question after the other
        must(`the question is about ${what}`, (await panel.waitForQuestion()).includes(what));
        // oxlint-disable-next-line no-await-in-loop
        await panel.answer("yes");
      }
      const bar = new ChangesBar(panel);
      await bar.waitForFiles(["edit.txt", ...byCommand]);
      await bar.row("edit.txt").getByRole("button", { name: "Show changed lines" }).click();
      const hunk = bar.row("edit.txt").locator(".hunk").first();
      await hunk.getByRole("button", { name: "Undo", exact: true }).click();
      await bar.row("gone.txt").getByRole("button", { name: "Undo", exact: true }).click();
      await bar.says("edit.txt", /Undo pending/);
      await bar.says("gone.txt", /Undo pending/);
      const changed = text.replace("two", "TWO").replace("six", "SIX");
      mustEqual("the file while the agent works", await world.readFile(`${name}/edit.txt`), changed);
      await bar.row("gone.txt").getByRole("button", { name: "Undo Now", exact: true }).click();
      await waitFor(world, `${name}/gone.txt`, "gone\n");
      must("the agent works", await panel.isBusy());
      mustEqual("the file while the agent works", await world.readFile(`${name}/edit.txt`), changed);
      await world.writeFile("go", "");
      await panel.waitForText(/It has run\./);
      await panel.waitUntilIdle();
      await waitFor(world, `${name}/edit.txt`, text.replace("six", "SIX"));
      await bar.says("edit.txt", /Partly/);
      await bar.says("gone.txt", /Undone/);
      await panel.button("Undo All").click();
      await folder.mustBeAsBefore();
    } finally {
      await rm(join(world.lab.workspace, ".git"), { recursive: true, force: true });
    }
  },
};

/** The window is loaded anew, or the process in which Patchbay runs is killed: the panel is shown again. */
async function goneOver(world: World, between: Between, panel: ConversationPanel): Promise<ConversationPanel> {
  if (between === "reload") {
    await world.editor.reload?.();
    await panel.waitUntilReady();
    return panel;
  }
  // What is seen is from before until there is another host. Then VS Code and Theia load the page anew; the one in a browser alone draws
  // what it is told.
  const drawn = panel.frame.locator(world.editor.id === "page" ? ".foot .changes" : "#panel");
  await drawn.evaluate((element) => element.setAttribute("data-old", ""));
  await world.editor.killHost?.();
  await poll(
    "the page of the next host",
    async () => (await drawn.count()) === 1 && (await drawn.getAttribute("data-old")) === null,
    { timeout: 60_000 },
  );
  return await shownAgain(world);
}

async function shownAgain(world: World): Promise<ConversationPanel> {
  const panel = await world.editor.openPanel?.();
  if (panel === undefined) throw new Error("there is no panel");
  return panel;
}

/** What the panel shows below the newest turn. */
class ChangesBar {
  panel: ConversationPanel;

  constructor(panel: ConversationPanel) {
    this.panel = panel;
  }

  get #bar(): Locator {
    return this.panel.frame.locator(".foot .changes");
  }

  row(name: string): Locator {
    return this.#bar.locator("li").filter({ hasText: name });
  }

  async names(of: string): Promise<string> {
    return (await this.panel.frame.locator(`${of} .change-path`).allInnerTexts()).join(" ");
  }

  async rows(): Promise<readonly string[]> {
    const rows = await this.#bar.locator(".changed-file").allInnerTexts();
    return rows.map((row) => row.replaceAll(/\s+/gu, " "));
  }

  /** Each with how sure it is whose it is. */
  async marked(): Promise<readonly string[]> {
    const rows = await this.#bar.locator(".changed-file").all();
    return await Promise.all(
      rows.map(async (row) => {
        const badges = (await row.locator(".badge").allInnerTexts()).join(" ");
        const mark = /Likely/u.test(badges) ? "likely" : /May be yours/u.test(badges) ? "unknown" : "exact";
        return `${await row.locator(".change-path").innerText()} ${mark}`;
      }),
    );
  }

  /** Waits for the list, opened, with just these. */
  async waitForFiles(names: readonly string[]): Promise<void> {
    const head = this.#bar.locator(".tool-head");
    await head.waitFor({ timeout: patience });
    if ((await head.getAttribute("aria-expanded")) !== "true") await head.click();
    await poll("the files of the turn", async () => (await this.names(".foot .changes")) === names.join(" "), {
      timeout: patience,
      describe: () => this.names(".foot .changes"),
    });
  }

  /** Waits until the row of a file says something. */
  async says(name: string, words: RegExp): Promise<void> {
    const said = async (): Promise<string> => (await this.row(name).locator(".changed-file").allInnerTexts()).join(" ");
    await poll(`${words} beside ${name}`, async () => words.test(await said()), { timeout: patience, describe: said });
  }
}

/** A folder with a file for each kind of change, in a commit. */
class Folder {
  readonly at: string;
  readonly #git: (...words: readonly string[]) => Promise<string>;
  #before = "";
  #status = "";

  private constructor(at: string, git: (...words: readonly string[]) => Promise<string>) {
    this.at = at;
    this.#git = git;
  }

  static async make(world: World, name: string, hasGit: boolean): Promise<Folder> {
    const { lab } = world;
    const at = join(lab.workspace, name);
    const git = async (...words: readonly string[]): Promise<string> => {
      if (!hasGit) return "";
      const own = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
      const env = { ...process.env, ...lab.env };
      return (await run("git", [...own, ...words], { cwd: lab.workspace, env })).stdout;
    };
    const folder = new Folder(at, git);
    await rm(at, { recursive: true, force: true });
    await mkdir(at, { recursive: true });
    await world.writeFile(`${name}/.gitignore`, "*.local\n");
    await world.writeFile(`${name}/edit.txt`, text);
    await world.writeFile(`${name}/gone.txt`, "gone\n");
    await world.writeFile(`${name}/old-name.txt`, "moved\nas it is\n");
    await world.writeFile(`${name}/run.sh`, "#!/bin/sh\n");
    await world.writeFile(`${name}/old.bin`, "\0\u0001\u0002");
    await git("init", "-q");
    await git("add", name);
    await git("commit", "-q", "-m", "before");
    folder.#before = await stateOf(at);
    folder.#status = await git("status", "--porcelain", at);
    return folder;
  }

  /** Waits until all is as it was, but for a line of the user's. */
  async mustBeAsBefore(ownLine = ""): Promise<void> {
    const base64 = (held: string): string => Buffer.from(held).toString("base64");
    const wanted = this.#before.replace(base64(text), base64(text + ownLine));
    await poll("everything as it was", async () => (await stateOf(this.at)) === wanted, {
      timeout: patience,
      describe: async () => `${await stateOf(this.at)}\nnot\n${wanted}`,
    });
    if (ownLine === "") mustEqual("what git sees", await this.#git("status", "--porcelain", this.at), this.#status);
  }
}

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

/** The files of the turn as the terminal has them, each with how sure it is whose it is. */
async function turnsIn({ lab }: World, folder: string): Promise<{ readonly marked: readonly string[] }> {
  const env = { ...process.env, ...lab.env };
  const { stdout } = await run(nodeBinary(), [commandLine, "turns", "--json"], { cwd: lab.workspace, env });
  const turns: unknown = JSON.parse(stdout);
  const found = (Array.isArray(turns) ? turns : [])
    .filter(isTurn)
    .find(({ undoes, files }) => undoes === undefined && files.some(({ path }) => path.includes(`${folder}/`)));
  return { marked: (found?.files ?? []).map(({ path, attribution }) => `${basename(path)} ${attribution}`) };
}

interface ListedTurn {
  readonly undoes?: string;
  readonly files: readonly { readonly path: string; readonly attribution: string }[];
}

function isTurn(value: unknown): value is ListedTurn {
  return typeof value === "object" && value !== null && Array.isArray(Reflect.get(value, "files"));
}
