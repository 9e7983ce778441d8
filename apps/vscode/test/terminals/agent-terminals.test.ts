import { describe, expect, it } from "vitest";
import { programOf } from "../../src/terminals/agent-terminals.ts";

describe("the program of a command line", () => {
  it.each([
    ["gemini", "gemini"],
    ["claude --permission-mode manual", "claude"],
    ["DEBUG=1 HTTPS_PROXY=http://x:1 gemini", "gemini"],
    ['"/opt/my tools/gemini" --yes', "/opt/my tools/gemini"],
    ["npx gemini", "npx"],
    ["node_modules/.bin/gemini", "node_modules/.bin/gemini"],
  ])("%s", (line, program) => expect(programOf(line)).toBe(program));

  it.each(["~/bin/gemini", "$HOME/bin/gemini", "(cd x; gemini)", "`which gemini`", "A=$B gemini", "%APPDATA%\\x", ""])(
    "is not guessed where only a shell can tell: %s",
    (line) => expect(programOf(line)).toBeUndefined(),
  );
});
