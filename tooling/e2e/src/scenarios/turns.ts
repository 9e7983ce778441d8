import { join } from "node:path";
import type { Locator } from "playwright-core";
import { kindOf } from "../agents/index.ts";
import { CocDriver } from "../editors/coc/coc.ts";
import { TheiaDriver } from "../editors/theia/theia.ts";
import { VsCodeDriver } from "../editors/vscode/vscode.ts";
import { pause, poll } from "../support/poll.ts";
import { unasking, waitForEnd, withHook, withHooks } from "./hooked.ts";
import { startContents, waitForContents } from "./propose.ts";
import { must, mustEqual, type Scenario } from "./scenario.ts";

const patience = 30_000;

/**
 * What a turn changed without asking is listed, also by a shell command; one change is undone in the peek of its gutter while the agent
 * works, waits for the end of the turn, and is told with the next prompt.
 */
export const turnUndo: Scenario = {
  ...withHooks,
  name: "turn-undo",
  agents: ["gemini", "qwen", "claude", "copilot", "pi", "opencode", "kilo"],
  isFor: (editor) => editor instanceof VsCodeDriver,
  mayTell: /is working|^Undone/,
  run: async (world, id) => {
    const { editor, lab } = world;
    if (!(editor instanceof VsCodeDriver)) throw new Error("this scenario is about VS Code");
    const { workbench } = editor;
    const { page } = workbench;
    const kind = kindOf(id);
    const at = (name: string): string => join(lab.workspace, name);
    for (const name of ["turn-a.txt", "turn-shell.txt"]) await world.writeFile(name, startContents);
    await editor.setReviews({ "*": "never" });
    await pause(3_000);
    try {
      await withHook(world, id, async () => {
        const { agent, focus } = await world.startAgent(id, unasking(id));
        const go = at("go");
        await workbench.openFile("turn-shell.txt");
        agent.model.play(
          ...kind.editTurns(at("turn-a.txt"), "first line", "FIRST line"),
          ...kind.editTurns(at("turn-a.txt"), "third line", "THIRD line"),
          ...kind.writeTurns(at("turn-new.txt"), "new\n"),
          ...kind.commandTurns("printf 'from the shell\\n' >> turn-shell.txt"),
          ...kind.commandTurns(`while [ ! -e '${go}' ]; do sleep 0.2; done; rm '${go}'`),
        );
        await focus();
        await agent.ask("Please change the files of this turn");
        // With its first prompt it does much for the first time.
        await agent.waitUntilAsking(agent.terminal);
        await waitForContents(world, "turn-shell.txt", `${startContents}from the shell\n`);
        await workbench.openFile("turn-a.txt");
        await workbench.runCommand("Source Control: Focus on Changes View");
        const view = page.locator(".sidebar .scm-view");
        const listed = async (): Promise<string> => (await view.innerText()).replaceAll("\n", " ");
        await poll("the files of the turn in the list", async () => /turn-a.*turn-new/.test(await listed()), {
          timeout: patience,
          describe: listed,
        });
        await page.locator(".monaco-editor .view-lines").first().click();
        await workbench.runCommand("Show Next Change");
        const peek = page.locator(".peekview-widget").first();
        await peek.waitFor({ timeout: patience });
        await peek.locator(".action-label.codicon-discard").first().click();
        await pause(1_000);
        mustEqual(
          "the file while the agent works",
          await world.readFile("turn-a.txt"),
          "FIRST line\nsecond line\nTHIRD line\n",
        );
        await world.writeFile("go", "");
        await waitForEnd(agent);
        const undone = async (): Promise<boolean> =>
          ["first line\nsecond line\nTHIRD line\n", "FIRST line\nsecond line\nthird line\n"].includes(
            await world.readFile("turn-a.txt"),
          );
        await poll("the undo at the end of the turn", undone, { timeout: patience, describe: listed });
        await poll("the file of the shell in the list", async () => (await listed()).includes("turn-shell.txt"), {
          timeout: patience,
          describe: listed,
        });
        agent.model.play();
        await focus();
        await agent.ask("And what now, then");
        await poll(
          "another answer",
          async () => (agent.model.conversation.at(-1) ?? "").includes("And what now, then"),
          {
            timeout: patience,
            describe: () => agent.terminal.screen(),
          },
        );
        const told = agent.model.conversation.at(-1) ?? "";
        must("the model is told what was undone", told.includes("took back changes of yours in turn-a.txt"));
      });
    } finally {
      await editor.setReviews({ "*": "always" });
      await pause(3_000);
    }
  },
};

/**
 * The same in Vim and Neovim: lines that a turn changed without asking have signs in the real file, also those of a shell command; one is
 * undone while the agent works, with a reason, another one by `do` beside the file as it was, and the rest is kept.
 */
export const turnSigns: Scenario = {
  ...withHooks,
  name: "turn-signs",
  agents: ["claude"],
  isFor: (editor) => editor instanceof CocDriver,
  run: async (world, id) => {
    const { editor: coc, lab } = world;
    if (!(coc instanceof CocDriver)) throw new Error("this scenario is about Vim and Neovim");
    const kind = kindOf(id);
    const at = (name: string): string => join(lab.workspace, name);
    for (const name of ["turn-a.txt", "turn-shell.txt"]) await world.writeFile(name, startContents);
    const see = async (what: string, expression: string, wanted: unknown): Promise<void> => {
      const read = async (): Promise<string> => JSON.stringify(await coc.link.read(expression));
      await poll(what, async () => (await read()) === JSON.stringify(wanted), {
        timeout: patience,
        describe: async () => `${await read()}\n${await coc.pane.screen()}`,
      });
    };
    const signs = "map(sign_getplaced(bufnr('%'), {'group': 'patchbay'})[0].signs, 'v:val.lnum')";
    await coc.setReviews({ "*": "never" });
    await pause(1_000);
    try {
      await withHook(world, id, async () => {
        await coc.openFile("turn-shell.txt");
        const { agent, focus } = await world.startAgent(id, unasking(id));
        agent.model.play(
          ...kind.editTurns(at("turn-a.txt"), "first line", "FIRST line"),
          ...kind.editTurns(at("turn-a.txt"), "third line", "THIRD line"),
          ...kind.writeTurns(at("turn-new.txt"), "new\n"),
          ...kind.commandTurns("printf 'from the shell\\n' >> turn-shell.txt"),
          ...kind.commandTurns(`while [ ! -e '${at("go")}' ]; do sleep 0.2; done; rm '${at("go")}'`),
        );
        await focus();
        await agent.ask("Please change the files of this turn");
        // With its first prompt it does much for the first time.
        await agent.waitUntilAsking(agent.terminal);
        await waitForContents(world, "turn-shell.txt", `${startContents}from the shell\n`);
        await coc.openFile("turn-a.txt");
        await see("the signs", signs, [1, 3]);
        await coc.command("3");
        await coc.command("Patchbay peek");
        await poll(
          "the third line as it was, and whose it is",
          async () => {
            const screen = await coc.pane.screen();
            return /Claude Code: Please change.*2 of 2/.test(screen) && screen.includes("-third line");
          },
          { timeout: patience, describe: () => coc.pane.screen() },
        );
        await coc.command("1");
        await poll("no popup", async () => !(await coc.pane.screen()).includes("-third line"), { timeout: patience });
        await coc.command("1Patchbay undo keep the first line");
        await poll("that it waits", async () => /is working/.test(await coc.pane.screen()), {
          timeout: patience,
          describe: () => coc.pane.screen(),
        });
        const changed = "FIRST line\nsecond line\nTHIRD line\n";
        mustEqual("the file while the agent works", await world.readFile("turn-a.txt"), changed);
        await world.writeFile("go", "");
        await waitForEnd(agent);
        await waitForContents(world, "turn-a.txt", "first line\nsecond line\nTHIRD line\n");
        await see("the buffer", "getline(1)", "first line");
        await see("the other sign", signs, [3]);
        await coc.openFile("turn-shell.txt");
        await see("the sign of the shell's line", signs, [4]);
        await see("the count", "patchbay#status() =~# '3 changed files'", 1);
        await coc.command("Patchbay turns");
        await poll(
          "the list",
          async () => /turn-a\.txt[\s\S]*turn-new\.txt[\s\S]*turn-shell\.txt/.test(await coc.pane.screen()),
          {
            timeout: patience,
            describe: () => coc.pane.screen(),
          },
        );
        // Drawn, it is still loading: a key that comes then closes it, and on a busy machine one that comes soon after. Both is coc's own doing.
        await see("that the list is complete", "get(get(b:, 'list_status', {}), 'loading', '-')", "");
        await pause(500);
        await coc.pane.type("G");
        await see("the last line of the list", "line('.')", 4);
        // The list reads keys by itself, and not while it goes somewhere.
        await pause(500);
        await coc.pane.press("Enter");
        await see("the file beside what it was", "[winnr('$'), &diff, line('.'), expand('%:t')]", [
          2,
          1,
          4,
          "turn-shell.txt",
        ]);
        await coc.pane.type("do");
        await see("the line taken back by hand", "line('$')", 3);
        await coc.command("w");
        await coc.command("tabclose");
        await waitForContents(world, "turn-shell.txt", startContents);
        await coc.openFile("turn-a.txt");
        await coc.command("%Patchbay keep");
        await see("no sign", signs, []);
        agent.model.play();
        await focus();
        await agent.ask("And what now?");
        await poll("another answer", async () => (agent.model.conversation.at(-1) ?? "").includes("And what now?"), {
          timeout: patience,
          describe: () => agent.terminal.screen(),
        });
        const told = agent.model.conversation.at(-1) ?? "";
        must("the model is told what was undone", told.includes("took back changes of yours in turn-a.txt"));
        must("and why", told.includes("keep the first line"));
      });
    } finally {
      await coc.setReviews({ "*": "always" });
    }
  },
};

/**
 * The same in the Review view of Theia, by keys: a file is undone while the agent works and waits for the end of the turn. The others are
 * gone through, each beside what it was; their lines have bars in the editor, also those of a file that the turn created: of them some are
 * undone, and the rest is kept.
 */
export const turnView: Scenario = {
  ...withHooks,
  name: "turn-view",
  agents: ["gemini", "qwen", "claude", "copilot"],
  isFor: (editor) => editor instanceof TheiaDriver,
  mayTell: /is working|^Undone/,
  run: async (world, id) => {
    const { editor: theia, lab } = world;
    if (!(theia instanceof TheiaDriver)) throw new Error("this scenario is about Theia");
    const { workbench } = theia;
    const { page } = workbench;
    const kind = kindOf(id);
    const at = (name: string): string => join(lab.workspace, name);
    const row = (words: RegExp): Locator =>
      page.locator(".patchbay-inbox .theia-TreeNode").filter({ hasText: words }).first();
    const shown = async (words: RegExp): Promise<void> => await row(words).waitFor({ timeout: patience });
    for (const name of ["turn-a.txt", "turn-shell.txt"]) await world.writeFile(name, startContents);
    await theia.setReviews({ "*": "never" });
    await pause(3_000);
    try {
      await withHook(world, id, async () => {
        await workbench.openFile("turn-shell.txt");
        const { agent, focus } = await world.startAgent(id, unasking(id));
        const go = at("go");
        agent.model.play(
          ...kind.editTurns(at("turn-a.txt"), "first line", "FIRST line"),
          ...kind.writeTurns(at("turn-new.txt"), "new one\nnew two\nnew three\n"),
          ...kind.commandTurns("printf 'from the shell\\n' >> turn-shell.txt"),
          ...kind.commandTurns(`while [ ! -e '${go}' ]; do sleep 0.2; done; rm '${go}'`),
        );
        await focus();
        await agent.ask("Please change the files of this turn");
        // With its first prompt it does much for the first time.
        await agent.waitUntilAsking(agent.terminal);
        await waitForContents(world, "turn-shell.txt", `${startContents}from the shell\n`);
        await workbench.runCommand("Patchbay: Show Reviews and Connections");
        await shown(/turn-a\.txt/u);
        await shown(/turn-new\.txt.*new file/u);
        await row(/turn-a\.txt/u).click();
        await page.keyboard.press("r");
        await shown(/turn-a\.txt.*undo waits/u);
        const changed = startContents.replace("first line", "FIRST line");
        mustEqual("the file while the agent works", await world.readFile("turn-a.txt"), changed);
        await world.writeFile("go", "");
        await waitForEnd(agent);
        await waitForContents(world, "turn-a.txt", startContents);
        // The rows below it have moved up.
        await row(/turn-a\.txt/u).waitFor({ state: "detached", timeout: patience });
        await shown(/turn-shell\.txt/u);
        const inFront = async (name: string, position: string): Promise<void> => {
          const title = `${name} (since the turn of ${kind.displayName})`;
          await workbench.currentTab.filter({ hasText: title }).waitFor({ timeout: patience });
          await page.locator(".lm-TabBar-toolbar:visible").filter({ hasText: position }).waitFor({ timeout: patience });
        };
        await shown(/2 changed files/u);
        await row(/2 changed files/u).hover();
        await row(/2 changed files/u)
          .locator(".codicon-go-to-file")
          .click({ timeout: patience });
        await inFront("turn-new.txt", "1 of 2 files");
        await page.keyboard.press("Control+Alt+PageDown");
        await inFront("turn-shell.txt", "2 of 2 files");
        mustEqual(
          "the tabs of the turn",
          String(await page.locator(".lm-TabBar-tab", { hasText: "since the turn" }).count()),
          "1",
        );
        await page.keyboard.press("Control+Alt+PageUp");
        await inFront("turn-new.txt", "1 of 2 files");
        await workbench.openFile("turn-new.txt");
        await page.locator(".patchbay-turn-add:visible").nth(2).waitFor({ timeout: patience });
        await workbench.goToLine(2);
        await page.keyboard.press("Shift+ArrowDown");
        await workbench.runCommand("Patchbay: Undo Change in These Lines");
        await waitForContents(world, "turn-new.txt", "new one\nnew three\n");
        await workbench.goToLine(2);
        await workbench.runCommand("Patchbay: Keep Change in These Lines");
        await row(/turn-new\.txt/u).waitFor({ state: "detached", timeout: patience });
        mustEqual("what was kept", await world.readFile("turn-new.txt"), "new one\nnew three\n");
        await row(/turn-shell\.txt/u).click();
        await page.keyboard.press("Enter");
        await workbench.currentTab
          .filter({ hasText: `turn-shell.txt (since the turn of ${kind.displayName})` })
          .waitFor({ timeout: patience });
        await workbench.openFile("turn-shell.txt");
        await workbench.goToLine(4);
        await page.locator(".patchbay-turn-add:visible").first().waitFor({ timeout: patience });
        await workbench.runCommand("Patchbay: Undo Change in These Lines");
        await waitForContents(world, "turn-shell.txt", startContents);
        await page.locator(".patchbay-turn-mark:visible").waitFor({ state: "detached", timeout: patience });
        agent.model.play();
        await focus();
        await agent.ask("And what now, then");
        await poll(
          "another answer",
          async () => (agent.model.conversation.at(-1) ?? "").includes("And what now, then"),
          { timeout: patience, describe: () => agent.terminal.screen() },
        );
        const told = agent.model.conversation.at(-1) ?? "";
        must(
          "the model is told what was undone",
          /took back changes of yours in turn-a.txt.*turn-new.txt.*turn-shell.txt/su.test(told),
        );
      });
    } finally {
      await theia.setReviews({ "*": "always" });
      await pause(3_000);
    }
  },
};
