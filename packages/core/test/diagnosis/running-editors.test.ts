import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { createTestPlatform, isMissing } from "@patchbay/testkit";
import { expect, it, onTestFinished } from "vitest";
import { processPlace } from "../../src/storage/claim.ts";
import { findEditorsWith, findRunningEditors } from "../../src/diagnosis/running-editors.ts";

it.skipIf(isMissing("facts about processes"))(
  "a companion that has ended does not answer, whoever has its port now",
  async () => {
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
    // Nothing is known here of processes of another container, but that its port answers.
    expect(await answers({ pid: 2 ** 22 + 1, place: "pid:[1]" })).toEqual([true]);
    expect(await answers({ ...own, start: "before", place: "pid:[1]" })).toEqual([true]);
    const place = await platform.files.readLink(processPlace);
    expect(await answers({ ...own, start: "before", place })).toEqual([false]);
  },
);

it("of the editors of a folder those with others are not asked: one of them may hang", async () => {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  let asked = 0;
  const hanging = createTcpServer(() => (asked += 1)).listen(0, "127.0.0.1");
  const own = createServer((_request, response) => response.end()).listen(0, "127.0.0.1");
  for (const server of [hanging, own]) onTestFinished(() => void server.close());
  await Promise.all([once(hanging, "listening"), once(own, "listening")]);
  const record = (server: typeof hanging | typeof own, folder: string): number => {
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const directory = join(platform.tmp, "gemini", "ide");
    mkdirSync(directory, { recursive: true });
    const text = JSON.stringify({ port, workspacePath: folder, authToken: "t" });
    writeFileSync(join(directory, `gemini-ide-server-1-${port}.json`), text);
    return port;
  };
  record(hanging, "/elsewhere");
  const port = record(own, platform.workspace);
  const below = join(platform.workspace, "below");
  mkdirSync(below);
  expect((await findEditorsWith(platform, below)).map((editor) => editor.port)).toEqual([port]);
  expect(await findEditorsWith(platform, "/nowhere")).toEqual([]);
  expect(asked).toBe(0);
});
