import { join } from "node:path";
import { kindOf } from "../agents/index.ts";
import { VsCodeDriver } from "../editors/vscode/vscode.ts";
import { pause, poll } from "../support/poll.ts";
import { waitForEnd, withHook, withHooks } from "./hooked.ts";
import { startContents, waitForContents } from "./propose.ts";
import { must, mustEqual, type Scenario } from "./scenario.ts";

const patience = 30_000;

/** Modes in which agents ask neither before writes nor before commands. */
const asksNothing: ReadonlySet<string> = new Set(["yolo", "bypassPermissions"]);

/**
 * What a turn changed without asking is listed, also by a shell command; one change is undone in the peek of its gutter while the agent
 * works, waits for the end of the turn, and is told with the next prompt.
 */
export const turnUndo: Scenario = {
  ...withHooks,
  name: "turn-undo",
  agents: ["gemini", "qwen", "claude"],
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
        const mode = kind.quietModes.find(({ arguments: [, name] }) => name !== undefined && asksNothing.has(name));
        const { agent, focus } = await world.startAgent(id, {
          isHooked: true,
          ...(mode === undefined ? {} : { mode }),
        });
        const go = at("go");
        // Without a repository, open files are looked at.
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
        await agent.ask("And what now?");
        await poll("another answer", async () => (agent.model.conversation.at(-1) ?? "").includes("And what now?"), {
          timeout: patience,
          describe: () => agent.terminal.screen(),
        });
        const told = agent.model.conversation.at(-1) ?? "";
        must("the model is told what was undone", told.includes("took back changes of yours in turn-a.txt"));
      });
    } finally {
      await editor.setReviews({ "*": "always" });
      await pause(3_000);
    }
  },
};
