import { expect, it } from "vitest";
import { oneSpelling } from "../../src/process/spelling.ts";

it.each([
  ["win32", "C:/folder/a.ts", "C:\\folder\\a.ts"],
  ["win32", "c:\\folder/src/a.ts", "c:\\folder\\src\\a.ts"],
  ["win32", "src/a.ts", "src/a.ts"],
  ["win32", "/c/folder/a.ts", "/c/folder/a.ts"],
  ["linux", "C:/folder\\a.ts", "C:/folder\\a.ts"],
])("on %s %s is %s", (platform, path, spelled) => {
  expect(oneSpelling(path, platform)).toBe(spelled);
});
