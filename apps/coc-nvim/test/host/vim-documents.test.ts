import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHostUnderTest, type HostUnderTest } from "../simulated/create-host.ts";

let test: HostUnderTest;
let path: string;

beforeEach(() => {
  test = createHostUnderTest();
  path = join(test.folder, "a.txt");
  writeFileSync(path, "one\ntwo\n");
  test.vim.openFile(path);
});

afterEach(() => test.dispose());

const read = async (): Promise<string | undefined> => await test.parts.host.documents?.readText(path, 1_000);

it("a buffer that has not noticed what was written into its file is read as it will be", async () => {
  writeFileSync(path, "ONE\ntwo\n");
  expect(await read()).toBe("ONE\ntwo\n");
  expect(await test.parts.host.documents?.write?.(path, "ONE\ntwo\n", "ONE\nTWO\n")).toBe("written");
});

it("unsaved text is read as it is", async () => {
  test.vim.makeDirty(path, "mine\n");
  writeFileSync(path, "ONE\ntwo\n");
  expect(await read()).toBe("mine\n");
});

it("a file that is in no buffer has no text here", async () => {
  test.vim.closeFile(path);
  expect(await read()).toBeUndefined();
});
