import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { createTestPlatform } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";
import { findRunningEditors } from "../../src/diagnosis/running-editors.ts";

it("a companion that has ended does not answer, whoever has its port now", async () => {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const stranger = createServer((_request, response) => response.end()).listen(0, "127.0.0.1");
  onTestFinished(() => void stranger.close());
  await once(stranger, "listening");
  const address = stranger.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const directory = join(platform.tmp, "gemini", "ide");
  mkdirSync(directory, { recursive: true });
  const own = { pid: process.pid, start: await platform.process.startMark(process.pid) };
  const answers = async (patchbay: object | undefined): Promise<readonly boolean[]> => {
    const record = { port, workspacePath: platform.workspace, authToken: "t", patchbay };
    writeFileSync(join(directory, `gemini-ide-server-1-${port}.json`), JSON.stringify(record));
    return (await findRunningEditors(platform)).map((editor) => editor.answers);
  };
  expect(await answers(undefined)).toEqual([true]);
  expect(await answers(own)).toEqual([true]);
  expect(await answers({ ...own, start: "before" })).toEqual([false]);
  expect(await answers({ pid: 2 ** 22 + 1 })).toEqual([false]);
});
