import { expect, it } from "vitest";
import { splitCommand } from "../../src/commands/command-words.ts";

it.each([
  ["gemini", ["gemini"]],
  ["  claude   --permission-mode manual ", ["claude", "--permission-mode", "manual"]],
  [`'/opt/my agent/run' --name "a \\"b\\""`, ["/opt/my agent/run", "--name", 'a "b"']],
  [`one\\ word ''`, ["one word", ""]],
  ["", []],
])("splits %j", (line, words) => {
  expect(splitCommand(line)).toEqual(words);
});
