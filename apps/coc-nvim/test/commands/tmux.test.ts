import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { paneLine, readPanes, sendLineArguments, setEnvironmentArguments } from "../../src/commands/terminals.ts";
import { unlinkCommand } from "../../src/commands/tmux-unlink.ts";

const variables = { GEMINI_CLI_IDE_SERVER_PORT: "4711", CLAUDE_CODE_SSE_PORT: "4711" };

describe("tmux", () => {
  it("gives each variable to panes that are opened later", () => {
    expect(setEnvironmentArguments(variables)).toEqual([
      ["set-environment", "GEMINI_CLI_IDE_SERVER_PORT", "4711"],
      ["set-environment", "CLAUDE_CODE_SSE_PORT", "4711"],
    ]);
  });

  it("has a line for existing panes that a shell takes, and that takes nothing else from tmux", () => {
    const line = paneLine(variables);
    const fake = `tmux() { printf 'CLAUDE_CODE_SSE_PORT="4711"; export CLAUDE_CODE_SSE_PORT;\\nOTHER="x"; export OTHER;\\n'; }`;
    const output = execFileSync("/bin/sh", ["-c", `${fake}; ${line}; echo "$CLAUDE_CODE_SSE_PORT:$OTHER"`], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "" },
    });
    expect(output.trim()).toBe("4711:");
  });

  it("takes away what it gave when the editor ends, and nothing that others have set since", () => {
    const folder = mkdtempSync(join(tmpdir(), "patchbay-tmux-"));
    try {
      const log = join(folder, "log");
      const answers = 'case $2 in GEMINI*) echo "$2=4711";; *) echo "$2=9999";; esac';
      writeFileSync(
        join(folder, "tmux"),
        `#!/bin/sh\nif [ "$1" = show-environment ]; then ${answers}; else echo "$@" >> ${log}; fi\n`,
        { mode: 0o755 },
      );
      const [shell, args] = unlinkCommand(variables);
      execFileSync(shell, args, { env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` } });
      expect(readFileSync(log, "utf8")).toBe("set-environment -u GEMINI_CLI_IDE_SERVER_PORT\n");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("offers panes with a waiting shell, and not the editor's own", () => {
    const output = "%1\tvim\t0.0\t/w\n%2\tbash\t0.1\t/w\n%3\tnode\t1.0\t/w\n%4\tzsh\t1.1\t/x y\nrubbish\n";
    expect(readPanes(output, "%4").map((pane) => pane.id)).toEqual(["%2"]);
    expect(readPanes(output, undefined).map((pane) => pane.title)).toEqual(["0.1  bash  /w", "1.1  zsh  /x y"]);
  });

  it("types the line as text, so that nothing in it is a key name", () => {
    expect(sendLineArguments("%2", "Enter")[0]).toEqual(["send-keys", "-t", "%2", "-l", "--", " Enter"]);
  });
});
