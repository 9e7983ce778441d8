import { recordsOf } from "../agents/records.ts";
import { CocDriver } from "../editors/coc/coc.ts";
import type { EditorDriver } from "../editors/editor-driver.ts";
import { toNormalMode } from "../editors/coc/coc-terminal.ts";
import { pause, poll } from "../support/poll.ts";
import {
  diffTitle,
  propose,
  startContents,
  usualChange,
  waitForContents,
  waitForDiff,
  waitForNoDiff,
} from "./propose.ts";
import { everyAgent } from "../agents/index.ts";
import { must, mustEqual, type Scenario, type World } from "./scenario.ts";

const changed = startContents.replace("first line", "FIRST line");

export function isCoc(editor: EditorDriver): boolean {
  return editor instanceof CocDriver;
}

export function cocOf(world: World): CocDriver {
  if (!(world.editor instanceof CocDriver)) throw new Error("this is about Vim and Neovim");
  return world.editor;
}

/** A hunk that the user drops with `do` is not written; `:wq` accepts the rest. */
export const hunk: Scenario = {
  name: "hunk",
  agents: everyAgent,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    await world.writeFile("hunk.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    const from = "first line\nsecond line\nthird line";
    await propose(world, started, { file: "hunk.txt", from, to: "FIRST line\nsecond line\nTHIRD line" });
    await coc.showDiff(diffTitle(started.agent, "hunk.txt"));
    await coc.pane.type("ggdo");
    await poll("the first line as it was", async () => (await coc.link.read("getline(1)")) === "first line", {
      timeout: 5_000,
    });
    await coc.command("wq");
    await waitForContents(world, "hunk.txt", startContents.replace("third line", "THIRD line"));
    await started.agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, started.agent, "hunk.txt");
  },
};

/** One hunk accepted, one rejected, both seen on the two sides; the rest is accepted with `:w`. A verdict is taken back and given anew. */
export const hunkVerdicts: Scenario = {
  name: "hunk-verdicts",
  agents: everyAgent,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    const file = "hunk-verdicts.txt";
    await world.writeFile(file, "one\ntwo\nthree\nfour\nfive\n");
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await propose(world, started, { file, from: "one\ntwo\nthree\nfour\nfive", to: "ONE\ntwo\nTHREE\nfour\nFIVE" });
    await coc.showDiff(diffTitle(agent, file));
    const sides = "[join(getbufline(winbufnr(1), 1, '$')), join(getbufline(winbufnr(2), 1, '$')), line('.')]";
    const see = (left: string, right: string, line: number): Promise<boolean> =>
      poll(
        `${left} beside ${right}, and the cursor in line ${line}`,
        async () => String(await coc.link.read(sides)) === String([left, right, line]),
        { timeout: 5_000, describe: () => coc.pane.screen() },
      );
    await coc.pane.type("ggdp");
    await see("ONE two three four five", "ONE two THREE four FIVE", 3);
    await coc.pane.type("do");
    await see("ONE two three four five", "ONE two three four FIVE", 5);
    await poll("what is said", async () => /1 hunk is left\./.test(await coc.pane.screen()), { timeout: 5_000 });
    must("the counts are shown", /\[hunks: 1 accepted, 1 rejected\]/.test(await coc.pane.screen()));
    await coc.pane.type("\\pu");
    await see("ONE two three four five", "ONE two THREE four FIVE", 5);
    await coc.pane.type("3Gdo");
    await see("ONE two three four five", "ONE two three four FIVE", 5);
    mustEqual(file, await world.readFile(file), "one\ntwo\nthree\nfour\nfive\n");
    await coc.command("w");
    await waitForContents(world, file, "ONE\ntwo\nthree\nfour\nFIVE\n");
    await agent.waitForScreen(/All done\./);
    await waitForNoDiff(world, agent, file);
  },
};

/** In one window: removed lines are seen and are no text, hunks are decided, what is typed is written. */
export const unified: Scenario = {
  name: "unified",
  agents: everyAgent,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    const file = "unified.txt";
    await world.writeFile(file, "one\ntwo\nthree\nfour\nfive\n");
    await coc.command("call coc#config('patchbay.diffLayout', 'unified')");
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    const see = (what: string, pattern: RegExp): Promise<boolean> =>
      poll(what, async () => pattern.test(await coc.pane.screen()), {
        timeout: 5_000,
        describe: () => coc.pane.screen(),
      });
    try {
      await propose(world, started, { file, from: "one\ntwo\nthree\nfour\nfive", to: "ONE\ntwo\nfour\nFIVE" });
      await coc.showDiff(diffTitle(agent, file));
      await see("both texts in one window", /one *\n[+ ] ONE *\n +two *\n +three *\n +four *\n +five *\n[+ ] FIVE/);
      await coc.pane.type("ggdp");
      await see("the accepted hunk", /\n +ONE *\n +two *\n +three *\n/);
      await coc.pane.type("Gdo");
      await see("the rejected hunk", /three *\n +four *\n +five *\n~/);
      await coc.command("Patchbay layout");
      await poll("two windows", async () => (await coc.link.read("winnr('$')")) === 2, { timeout: 5_000 });
      await coc.command("Patchbay layout");
      await poll("one window", async () => (await coc.link.read("winnr('$')")) === 1, { timeout: 5_000 });
      await coc.pane.type("Gotyped");
      await coc.pane.press("Escape");
      await see("what is typed as a line of the proposal", /\+ typed/);
      await coc.command("w");
      await waitForContents(world, file, "ONE\ntwo\nfour\nfive\ntyped\n");
      await agent.waitForScreen(/All done\./);
      await waitForNoDiff(world, agent, file);
    } finally {
      await coc.command("call coc#config('patchbay.diffLayout', 'split')");
    }
  },
};

/** A proposal waits for the end of a command line, and what the user types in Insert mode while it opens goes where it was going. */
export const insert: Scenario = {
  name: "insert",
  agents: everyAgent,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    await world.writeFile("insert.txt", startContents);
    await world.writeFile("other.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    agent.model.play(...agent.kind.editTurns(`${world.lab.workspace}/insert.txt`, "first line", "FIRST line"));
    await agent.ask("Please change insert.txt for me");
    await coc.pane.type("\u001c\u000e:");
    await agent.waitForApproval();
    await pause(1_000);
    mustEqual("the number of proposals shown", String((await coc.openDiffs()).length), "0");
    // In Insert mode that an operator began, too. In one go: a user who rests in Normal mode is shown the proposal.
    await coc.pane.type(`tab drop other.txt\rGo${toNormalMode}cctyped `);
    await waitForDiff(world, agent, "insert.txt");
    await coc.pane.type("text");
    await poll("what was typed", async () => (await coc.link.read("getline('$')")) === "typed text", {
      timeout: 5_000,
    });
    must("Insert mode goes on", (await coc.link.read("mode()")) === "i");
    await coc.pane.press("Escape");
    await coc.showDiff(diffTitle(agent, "insert.txt"));
    await coc.acceptDiff();
    await waitForContents(world, "insert.txt", changed);
    await waitForNoDiff(world, agent, "insert.txt");
    mustEqual("other.txt", await world.readFile("other.txt"), startContents);
  },
};

/** A proposal takes the cursor of a user who rests; the command that was meant for his file decides nothing, and says so. */
export const passing: Scenario = {
  name: "passing",
  agents: everyAgent,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    await world.writeFile("passing.txt", startContents);
    await world.writeFile("mine.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    const release = agent.model.hold();
    agent.model.play(...agent.kind.editTurns(`${world.lab.workspace}/passing.txt`, "first line", "FIRST line"));
    await agent.ask("Please change passing.txt for me");
    await coc.openFile("mine.txt");
    await coc.pane.type("Gomine");
    await coc.pane.press("Escape");
    await pause(2_500);
    release();
    await poll("the cursor in the proposal", async () => (await coc.link.read("&buftype")) === "acwrite", {
      timeout: 30_000,
      interval: 20,
    });
    await coc.pane.type(":w");
    await coc.pane.press("Enter");
    await poll("what is said", async () => /Not accepted: .*just opened/.test(await coc.pane.screen()), {
      timeout: 5_000,
      describe: () => coc.pane.screen(),
    });
    await agent.waitForApproval();
    mustEqual("passing.txt", await world.readFile("passing.txt"), startContents);
    mustEqual("the number of proposals shown", String((await coc.openDiffs()).length), "1");
    await pause(1_200);
    await coc.pane.type(":w");
    await coc.pane.press("Enter");
    await waitForContents(world, "passing.txt", changed);
    await waitForNoDiff(world, agent, "passing.txt");
    mustEqual("mine.txt", await world.readFile("mine.txt"), startContents);
  },
};

/** The user types into the file itself while the agent proposes a change of it: an accept brings both into file and buffer. */
export const unsaved: Scenario = {
  name: "unsaved",
  agents: everyAgent,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    await world.writeFile("unsaved.txt", startContents);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await coc.openFile("unsaved.txt");
    await coc.pane.type("Gounsaved text");
    await coc.pane.press("Escape");
    await started.focus();
    await propose(world, started, usualChange("unsaved.txt"));
    await coc.showDiff(diffTitle(agent, "unsaved.txt"));
    await coc.acceptDiff();
    await waitForContents(world, "unsaved.txt", `${changed}unsaved text\n`);
    await agent.waitForScreen(/All done\./);
    const buffer = "bufnr('unsaved.txt')";
    await poll("the agent's text", async () => (await firstLineOf(coc, "unsaved.txt")) === "FIRST line", {
      timeout: 8_000,
    });
    mustEqual("the last line", String(await coc.link.read(`getbufline(${buffer}, '$')[0]`)), "unsaved text");
    mustEqual("whether it is unsaved", String(await coc.link.read(`getbufvar(${buffer}, '&modified')`)), "0");
    await coc.command(`call win_gotoid(win_findbuf(${buffer})[0])`);
    await coc.command("checktime");
    await coc.pane.type("u");
    await poll("the old text", async () => (await coc.link.read("getline(1)")) === "first line", { timeout: 5_000 });
    mustEqual("the last line", String(await coc.link.read("getline('$')")), "unsaved text");
  },
};

/** The file changes on disk while its review is open: no change is lost, and where the same lines change, the user says which one stays. */
export const follows: Scenario = {
  name: "follows",
  // The others refuse to write into a file whose lines have changed since they read it, whatever the user has accepted.
  agents: ["gemini"],
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    const lines = "first line\nsecond line\nthird line\nfourth line\n";
    await world.writeFile("follows.txt", lines);
    const started = await world.startAgent(id);
    const { agent } = started;
    await agent.waitForConnection();
    await propose(world, started, usualChange("follows.txt"));
    await coc.showDiff(diffTitle(agent, "follows.txt"));
    await world.writeFile("follows.txt", lines.replace("fourth line", "FOURTH line"));
    await poll("the change on both sides", async () => /FOURTH line.*FOURTH line/.test(await coc.pane.screen()), {
      timeout: 8_000,
      describe: () => coc.pane.screen(),
    });
    await world.writeFile("follows.txt", lines.replace("fourth line", "FOURTH line").replace("first line", "1st line"));
    await poll("a conflict", async () => /<<<<<<< current file/.test(await coc.pane.screen()), {
      timeout: 8_000,
      describe: () => coc.pane.screen(),
    });
    await coc.command("w");
    await poll("what is said", async () => /Not accepted: .*same lines/.test(await coc.pane.screen()), {
      timeout: 5_000,
      describe: () => coc.pane.screen(),
    });
    await coc.command("g/^[<=>]\\{7}/d");
    await coc.command("g/^1st/d");
    await coc.command("w");
    await waitForContents(world, "follows.txt", lines.replace("first", "FIRST").replace("fourth", "FOURTH"));
    await waitForNoDiff(world, agent, "follows.txt");
  },
};

/** After an accept the buffer shows the new text without a prompt, and undo brings the old one back. */
export const undo: Scenario = {
  name: "undo",
  agents: everyAgent,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    await world.writeFile("undo.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await coc.openFile("undo.txt");
    await started.focus();
    await propose(world, started, usualChange("undo.txt"));
    await coc.showDiff(diffTitle(started.agent, "undo.txt"));
    await coc.acceptDiff();
    await waitForContents(world, "undo.txt", changed);
    await poll("the new text in the buffer", async () => (await firstLineOf(coc, "undo.txt")) === "FIRST line", {
      timeout: 8_000,
    });
    // Not by :drop, with which Neovim reads the file once more.
    await coc.command("call win_gotoid(win_findbuf(bufnr('undo.txt'))[0])");
    await poll("the file's window", async () => (await coc.link.read("expand('%:t')")) === "undo.txt", {
      timeout: 5_000,
    });
    await coc.pane.type("u");
    await poll("the old text", async () => (await coc.link.read("getline(1)")) === "first line", { timeout: 5_000 });
  },
};

async function firstLineOf(coc: CocDriver, name: string): Promise<string> {
  return String(await coc.link.read(`get(getbufline('${name}', 1), 0, '')`));
}

/** A killed editor leaves nothing behind that an agent would try, and the next one starts as if nothing had been. */
export const killed: Scenario = {
  name: "killed",
  agents: everyAgent,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    await world.writeFile("killed.txt", startContents);
    const started = await world.startAgent(id);
    await started.agent.waitForConnection();
    await propose(world, started, usualChange("killed.txt"));
    await coc.kill();
    await poll("the records' end", async () => (await recordsOf(world.lab, id)).length === 0, { timeout: 10_000 });
    mustEqual("killed.txt", await world.readFile("killed.txt"), startContents);
    // The agent lived in the editor's terminal and went with it.
    await coc.stop();
    await coc.launch(world.lab);
    await pause(1_000);
    must("nothing is under review", (await coc.openDiffs()).length === 0);
    const again = await world.startAgent(id);
    await again.agent.waitForConnection();
  },
};

/** In the language of the system, as Vim tells it to its processes: the review, the list of all that waits, and what a finding means. */
export const language: Scenario = {
  name: "language",
  agents: everyAgent,
  isFor: isCoc,
  run: async (world, id) => {
    const coc = cocOf(world);
    const see = (what: string, pattern: RegExp): Promise<boolean> =>
      poll(what, async () => pattern.test(await coc.pane.screen()), {
        timeout: 8_000,
        describe: () => coc.pane.screen(),
      });
    const speak = async (locale: string): Promise<void> => {
      await coc.command(`let $LC_MESSAGES = '${locale}'`);
      await coc.restart();
      // Agents speak it, too, and are read here.
      await coc.command("let $LC_MESSAGES = ''");
    };
    await world.writeFile("language.txt", startContents);
    await speak("de_DE.UTF-8");
    try {
      await coc.command("Patchbay health");
      await see("the report", /OK +Wartet auf 127\.0\.0\.1:\d+/u);
      await see("what is hinted at", /HINWEIS +Kein Agent ist verbunden\./u);
      await coc.command("Patchbay explain no-agent-connected");
      await see("the explanation", /^ *WARUM *$[^]+^ *WAS ZU TUN IST *$/mu);
      await coc.command("tabonly | only | enew");
      const started = await world.startAgent(id);
      const { agent } = started;
      await agent.waitForConnection();
      await propose(world, started, usualChange("language.txt"));
      await coc.showDiff(diffTitle(agent, "language.txt"));
      await see("which keys decide", /:w nimmt an {2}:q lehnt ab/u);
      await coc.command("Patchbay");
      await see("what the keys of the list do", /Enter öffnet, a nimmt an, r lehnt ab/u);
      await see("what waits", /^ +wartet +language\.txt/mu);
      await coc.pane.type("a");
      await waitForContents(world, "language.txt", changed);
      await agent.waitForScreen(/All done\./);
      await waitForNoDiff(world, agent, "language.txt");
      await coc.command("Patchbay next");
      await see("that nothing is open", /Es sind keine Vorschläge offen\. :Patchbay/u);
    } finally {
      await speak("");
    }
    await coc.command("Patchbay next");
    await see("the same in English", /No proposals are open\. :Patchbay/u);
  },
};
