import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agents } from "@patchbay/core";
import { describe, expect, it, vi } from "vitest";
import { gemini, useCommandLab } from "./command-lab.ts";

const lab = useCommandLab();

describe("openAgent", () => {
  it("starts the agent of that name in a shell, in the folder, with the companion's variables", async () => {
    lab.register();
    vi.stubEnv("SHELL", "/bin/a shell");
    await lab.coc.run("patchbay.openAgent", "claude");
    const line = "claude --permission-mode manual; exit $?";
    expect(lab.terminals()).toEqual([
      ["claude", ["/bin/a shell", "-c", line], "botright vertical new", lab.coc.folder, lab.companion.environment],
    ]);
  });

  it("turns on the IDE mode of an agent that has not been told to look for an editor, and of no other", async () => {
    lab.register();
    vi.stubEnv("GEMINI_CLI_HOME", undefined);
    await lab.coc.run("patchbay.openAgent", "gemini");
    mkdirSync(join(lab.coc.home, ".gemini"));
    writeFileSync(join(lab.coc.home, ".gemini", "settings.json"), '{"ide":{"enabled":true}}');
    await lab.coc.run("patchbay.openAgent", "gemini");
    expect(lab.terminals().map(([, words]) => words)).toEqual([
      [expect.any(String), "-c", "gemini --approval-mode default -i '/ide enable'; exit $?"],
      [expect.any(String), "-c", "gemini --approval-mode default; exit $?"],
    ]);
  });

  it("asks which one where none is named: all of the catalogue, and the user's own", async () => {
    lab.register();
    lab.coc.settings.set("agents", { mine: "my-agent 'two words'" });
    lab.coc.choice = "mine";
    await lab.coc.run("patchbay.openAgent");
    expect(lab.coc.offered.get("Start which agent?")).toEqual([...agents.map(({ id }) => id), "mine"]);
    expect(lab.terminals()[0]?.[1]).toEqual([expect.any(String), "-c", "my-agent 'two words'; exit $?"]);
  });

  it.each([undefined, 7, null, {}, ["gemini"]])("takes %j for no name", async (argument) => {
    lab.register();
    await lab.coc.run("patchbay.openAgent", argument);
    expect(lab.coc.offered.size).toBe(1);
    expect([lab.terminals(), lab.coc.said]).toEqual([[], []]);
  });

  it.each(["nobody", "constructor", "gemini; rm -r ."])(
    "starts nothing called %j, and says what there is",
    async (name) => {
      lab.register();
      await lab.coc.run("patchbay.openAgent", name);
      expect(lab.terminals()).toEqual([]);
      expect(lab.coc.said).toEqual([
        expect.stringContaining(`Unknown agent "${name}". Choose one of gemini, qwen, claude`),
      ]);
    },
  );
});

describe("mention", () => {
  let file: string;

  function openFile(): void {
    lab.register();
    file = join(lab.coc.folder, "a.txt");
    writeFileSync(file, "one\ntwo\nthree\n");
    lab.coc.vim.openFile(file);
  }

  it.each([
    [[3, 7], { start: 2, end: 6 }],
    [["3", "7"], { start: 2, end: 6 }],
    [[3], { start: 2, end: 2 }],
    [[3, 1], { start: 2, end: 2 }],
    [[3, "x"], { start: 2, end: 2 }],
    [[0, 2], undefined],
    [[-1], undefined],
    [[1.5], undefined],
    [["all"], undefined],
    [[{}], undefined],
    [[null, null], undefined],
    [[Number.POSITIVE_INFINITY], undefined],
  ])("of the lines %j is about %j", async (given, lines) => {
    openFile();
    await lab.coc.run("patchbay.mention", ...given);
    expect(lab.companion.mentioned).toEqual([[file, lines]]);
  });

  it("is about what is selected where no lines are given", async () => {
    openFile();
    lab.coc.vim.select({ start: { line: 0, character: 1 }, end: { line: 1, character: 2 } });
    await lab.coc.run("patchbay.mention");
    expect(lab.companion.mentioned).toEqual([[file, { start: 0, end: 1 }]]);
  });

  it("says so where no agent takes it, and where there is nothing to mention", async () => {
    lab.register();
    await lab.coc.run("patchbay.mention", 1);
    expect(lab.companion.mentioned).toEqual([]);
    writeFileSync(join(lab.coc.folder, "a.txt"), "");
    lab.coc.vim.openFile(join(lab.coc.folder, "a.txt"));
    lab.companion.listeners = 0;
    await lab.coc.run("patchbay.mention", 1);
    expect(lab.coc.said).toEqual(["No file is open to mention.", "No agent is connected."]);
  });

  it("is put in words into the prompt of an agent in a terminal that takes none", async () => {
    openFile();
    lab.companion.listeners = 0;
    lab.companion.sessions = [gemini];
    lab.coc.vim.answers.set("patchbay#hooks#paste", 1);
    await lab.coc.run("patchbay.mention", 2, 3);
    expect(lab.pasted()).toEqual(["\u001b[200~@a.txt (lines 2-3)\u001b[201~"]);
    expect(lab.coc.said).toEqual(["In the prompt of Gemini CLI, in its terminal. It is not sent."]);
    lab.coc.vim.answers.set("patchbay#hooks#paste", 0);
    await lab.coc.run("patchbay.mention", 2);
    expect(lab.coc.said.at(-1)).toContain("No connected agent supports @-mentions or runs in a terminal");
  });
});

describe("sendProblem", () => {
  const at = (line: number): object => ({ start: { line, character: 0 }, end: { line, character: 3 } });

  it("puts the worst problem at the cursor into the agent's prompt", async () => {
    lab.register();
    const file = join(lab.coc.folder, "a.txt");
    writeFileSync(file, "one\ntwo\n");
    lab.coc.vim.openFile(file);
    lab.companion.sessions = [gemini];
    lab.coc.vim.answers.set("patchbay#hooks#paste", 1);
    lab.coc.vim.problems = [
      { file, severity: "Warning", message: "Late.", location: { range: at(1) } },
      { file, severity: "Hint", message: "Shorter.", location: { range: at(0) } },
      { file, severity: "Error", message: "Not\na word.", source: "spell", location: { range: at(0) } },
    ];
    await lab.coc.run("patchbay.sendProblem");
    expect(lab.pasted()).toEqual(["\u001b[200~@a.txt (line 1): Not a word. [spell]\u001b[201~"]);
    lab.coc.vim.problems = [];
    await lab.coc.run("patchbay.sendProblem");
    expect(lab.coc.said.at(-1)).toBe("There is no problem at the cursor.");
  });
});

describe("tmux", () => {
  it("is not touched by an editor that does not run in it", async () => {
    lab.register();
    await lab.coc.run("patchbay.linkTmux");
    expect(lab.coc.said).toEqual(["This editor is not running in tmux."]);
  });

  it("gives new panes the variables, and types the line into the pane that is chosen", async () => {
    lab.tmux = 1234;
    lab.register();
    const log = fakeTmux("%2\tbash\t0.1\t/w\n%3\tnode\t1.0\t/w\n");
    lab.coc.choice = "0.1  bash  /w";
    await lab.coc.run("patchbay.linkTmux");
    expect(log()).toEqual([
      "set-environment CLAUDE_CODE_SSE_PORT 4711",
      expect.stringContaining("list-panes"),
      expect.stringContaining("send-keys -t %2 -l --  eval"),
      "send-keys -t %2 Enter",
    ]);
    expect(lab.coc.said).toEqual(["The pane is linked, and so are new panes."]);
  });

  it("types nothing where no pane is chosen, and shows the line where none waits", async () => {
    lab.tmux = 1234;
    lab.register();
    const log = fakeTmux("%2\tbash\t0.1\t/w\n");
    await lab.coc.run("patchbay.linkTmux");
    expect(log().filter((line) => line.startsWith("send-keys"))).toEqual([]);
    fakeTmux("%3\tnode\t1.0\t/w\n");
    await lab.coc.run("patchbay.linkTmux");
    expect(lab.coc.page("Patchbay: tmux")?.at(-1)).toContain('eval "$(tmux show-environment -s');
  });

  /** A tmux that writes down what it is asked, and has these panes. */
  function fakeTmux(panes: string): () => readonly string[] {
    const folder = join(lab.coc.root, "bin");
    const log = join(folder, "log");
    mkdirSync(folder, { recursive: true });
    writeFileSync(log, "");
    writeFileSync(join(folder, "panes"), panes);
    const script = `#!/bin/sh\necho "$@" >> ${log}\n[ "$1" != list-panes ] || /bin/cat ${join(folder, "panes")}\n`;
    writeFileSync(join(folder, "tmux"), script);
    chmodSync(join(folder, "tmux"), 0o755);
    vi.stubEnv("PATH", folder);
    return () => readFileSync(log, "utf8").trim().split("\n");
  }
});
