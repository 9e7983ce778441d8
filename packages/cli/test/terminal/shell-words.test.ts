import type { Finding } from "@patchbay/core";
import { expect, it } from "vitest";
import { wordsOf } from "../../src/doctor/finding-words.ts";
import { posixWords, powerShellWords, shellWordsFor } from "../../src/terminal/shell-words.ts";

const editor = { name: "Editor", port: 4321 };

/** What is to be typed, by the system. */
function fixes(finding: Finding): readonly (string | undefined)[] {
  return [posixWords, powerShellWords].map((shell) => wordsOf(finding, shell).fix);
}

it("what a finding has people type is for their shell", () => {
  const { agents, level } = { agents: ["qwen"], level: "problem" } as const;
  const differs = { editor, theirs: "C:\\it's here", ours: "C:\\here" };
  expect(fixes({ code: "home-differs", level, agents, values: differs })).toEqual([
    "HOME='C:\\it'\\''s here' qwen",
    "$env:USERPROFILE = 'C:\\it''s here'; qwen",
  ]);
  expect(fixes({ code: "temporary-directory-differs", level, agents, values: differs })).toEqual([
    "TMPDIR='C:\\it'\\''s here' qwen",
    "$env:TEMP = 'C:\\it''s here'; qwen",
  ]);
  const without = { editor, variable: "QWEN_HOME", file: undefined, theirs: undefined, ours: "/q" };
  expect(fixes({ code: "variable-differs", level, agents, values: without })).toEqual([
    "env -u QWEN_HOME qwen",
    "Remove-Item Env:QWEN_HOME; qwen",
  ]);
  const paths = ["C:\\Users\\u\\.qwen\\ide\\1.lock", "C:\\Users\\u [v]\\2.lock"];
  const leftOver = { paths, editor, isSurelyEnded: true };
  expect(fixes({ code: "record-left-over", level, agents, values: leftOver })).toEqual([
    "rm 'C:\\Users\\u\\.qwen\\ide\\1.lock' 'C:\\Users\\u [v]\\2.lock'",
    "Remove-Item -LiteralPath C:\\Users\\u\\.qwen\\ide\\1.lock, 'C:\\Users\\u [v]\\2.lock'",
  ]);
  expect(fixes({ code: "undecided", level, agents, values: { editors: [editor, editor] } })).toEqual([
    expect.stringContaining('eval "$(patchbay env)"'),
    expect.stringContaining("patchbay env | Out-String | Invoke-Expression"),
  ]);
});

it.each([
  ["it's", "'it''s'"],
  ["it\u2019s", "'it\u2019\u2019s'"],
  ["$(calc)", "'$(calc)'"],
  ["a;b", "'a;b'"],
  ["C:\\a_b\\c.d", "C:\\a_b\\c.d"],
  ["-Recurse", "'-Recurse'"],
  ["@args", "'@args'"],
])("%s is %s for PowerShell", (text, quoted) => {
  expect(powerShellWords.quote(text)).toBe(quoted);
});

it.each([
  ["win32", undefined, powerShellWords],
  ["win32", "", powerShellWords],
  ["win32", "/usr/bin/bash", posixWords],
  ["linux", undefined, posixWords],
  ["darwin", "/bin/zsh", posixWords],
])("on %s with SHELL %s the shell is known", (platform, shell, words) => {
  expect(shellWordsFor(platform, shell)).toBe(words);
});
