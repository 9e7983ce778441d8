import { expect, it } from "vitest";
import { oneSpelling } from "../../src/process/spelling.ts";

it.each([
  ["win32", "C:/work/a.ts", "C:\\work\\a.ts"],
  ["win32", "c:\\work/src/a.ts", "c:\\work\\src\\a.ts"],
  ["win32", "src/a.ts", "src/a.ts"],
  ["win32", "/c/work/a.ts", "/c/work/a.ts"],
  ["linux", "C:/work\\a.ts", "C:/work\\a.ts"],
])("on %s %s is %s", (platform, path, spelled) => {
  expect(oneSpelling(path, platform)).toBe(spelled);
});
