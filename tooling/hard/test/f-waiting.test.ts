import { describe, expect, it } from "vitest";
import { type RawConnection, RawConnection as Raw, requestBytes } from "../src/attack/raw-connection.ts";
import type { EditorProcess } from "../src/editor-process.ts";
import * as ask from "../src/host/calls.ts";
import { connectHttp, connectWebSocket, megabytes, mib, pause, startEditor } from "./editor.ts";

const count = 40;

/** The largest resident memory during some work, beyond what there was before, bytes. */
async function growth(editor: EditorProcess, work: () => Promise<void>): Promise<number> {
  const { resident } = await editor.call(ask.weigh);
  await editor.call(ask.watchMemory, { on: true });
  await work();
  return (await editor.call(ask.watchMemory, { on: false })) - resident;
}

function textOf(index: number, bytes: number): string {
  return `${index} `.padEnd(bytes - 1, "x") + "\n";
}

/** Bodies of the answers on a connection, chunked or not, in order. */
function bodiesOf(connection: RawConnection): readonly string[] {
  const bodies: string[] = [];
  let rest = connection.text;
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) break;
    const head = rest.slice(0, end);
    rest = rest.slice(end + 4);
    const length = /^content-length: (\d+)/imu.exec(head)?.[1];
    if (length !== undefined) {
      if (rest.length < Number(length)) break;
      bodies.push(rest.slice(0, Number(length)));
      rest = rest.slice(Number(length));
      continue;
    }
    const parts: string[] = [];
    for (;;) {
      const line = rest.indexOf("\r\n");
      if (line < 0) return bodies;
      const size = Number.parseInt(rest.slice(0, line), 16);
      if (rest.length < line + 2 + size + 2) return bodies;
      parts.push(rest.slice(line + 2, line + 2 + size));
      rest = rest.slice(line + 2 + size + 2);
      if (size === 0) break;
    }
    bodies.push(parts.join(""));
  }
  return bodies;
}

describe("what waits for readers", () => {
  it("F07 40 answers of 5 MB that nobody reads: bounded memory, and none is lost (HTTP)", { timeout: 180_000 }, async ({
    annotate,
  }) => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const paths = Array.from({ length: count }, (_unused, index) => editor.sandbox.file(`f${index}.txt`));
    for (const [index, path] of paths.entries()) await agent.openDiff(path, textOf(index, 5 * mib));
    const connection = await Raw.open(editor.port);
    connection.socket.pause();
    const grown = await growth(editor, async () => {
      const asked = paths.map((path, index) =>
        requestBytes(editor.port, {
          token: agent.token,
          headers: [`mcp-session-id: ${agent.sessionId}`],
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: index,
            method: "tools/call",
            params: { name: "closeDiff", arguments: { filePath: path, suppressNotification: true } },
          }),
        }),
      );
      connection.write(Buffer.concat(asked));
      await pause(8_000);
    });
    // Nobody else waits for it.
    expect(await agent.request("ping")).toEqual({});
    await annotate(megabytes(grown));
    expect(grown).toBeLessThan(150 * mib);
    connection.socket.resume();
    await editor.until("all answers", () => connection.receivedBytes > count * 5 * mib, 60_000);
    await pause(500);
    const bodies = bodiesOf(connection);
    expect(bodies.map((body) => /"id":(\d+)/u.exec(body.slice(0, 40) + body.slice(-40))?.[1])).toEqual(
      paths.map((_path, index) => String(index)),
    );
    expect(bodies.every((body) => body.length > 5 * mib)).toBe(true);
    connection.destroy();
  });

  it("F07 40 answers of 5 MB that nobody reads: bounded memory, and none is lost (WebSocket)", {
    timeout: 180_000,
  }, async ({ annotate }) => {
    const editor = await startEditor();
    const socket = await connectWebSocket(editor);
    const answers = Array.from({ length: count }, async (_unused, index) => {
      const [verdict, text] = await socket.callTool(
        "openDiff",
        {
          old_file_path: editor.sandbox.file(`g${index}.txt`),
          new_file_path: editor.sandbox.file(`g${index}.txt`),
          new_file_contents: textOf(index, 5 * mib),
          tab_name: `tab ${index}`,
        },
        { timeoutMs: 120_000 },
      );
      return verdict === "FILE_SAVED" && text === `${textOf(index, 5 * mib)}\n`;
    });
    const views = await editor.until(
      "all views",
      async () => {
        const open = await editor.openViews();
        return open.length === count && open;
      },
      60_000,
    );
    socket.socket.pause();
    const before = await editor.call(ask.weigh);
    const added: number[] = [];
    const grown = await growth(editor, async () => {
      for (const [index, { id }] of views.entries()) {
        await editor.call(ask.accept, { id });
        // Collects, too: on a busy machine V8 leaves more than 100 MB lying that nobody holds.
        if (index % 5 === 4) added.push((await editor.call(ask.weigh)).total - before.total);
      }
      await pause(8_000);
    });
    await annotate(`${megabytes(grown)}, added ${megabytes(Math.max(...added))}`);
    expect(Math.max(...added)).toBeLessThan(72 * mib);
    expect(grown).toBeLessThan(150 * mib);
    // The texts were there before, each once: they are on disk as soon as it has taken them.
    await editor.call(ask.forgetViews);
    await editor.until(
      "the texts on disk",
      async () => (await editor.call(ask.weigh)).total < before.total - (count * 5 - 72) * mib,
      30_000,
    );
    socket.socket.resume();
    expect(await Promise.all(answers)).toEqual(answers.map(() => true));
  });

  it("F07 40 accepted texts of 5 MB of an agent that is there and does not read its stream", {
    timeout: 180_000,
  }, async ({ annotate }) => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    await agent.request("ping");
    const before = await editor.call(ask.weigh);
    const paths = Array.from({ length: count }, (_unused, index) => editor.sandbox.file(`k${index}.txt`));
    agent.stream?.response.pause();
    for (const [index, path] of paths.entries()) {
      await agent.openDiff(path, textOf(index, 5 * mib));
      const view = await editor.view((one) => one.path === path);
      await editor.call(ask.accept, { id: view.id });
    }
    await pause(3_000);
    await editor.call(ask.forgetViews);
    const after = await editor.call(ask.weigh);
    await annotate(`${megabytes(after.total - before.total)}, resident ${megabytes(after.resident - before.resident)}`);
    expect(after.total - before.total).toBeLessThan(72 * mib);
    agent.stream?.response.resume();
    await editor.until("all outcomes", () => paths.every((path) => agent.outcomes(path).length > 0), 60_000);
    // Each once, and in the order in which they were accepted.
    const told = agent.told.filter(({ method }) => method.startsWith("ide/diff"));
    expect(told.map(({ method, params }) => [method, params["filePath"]])).toEqual(
      paths.map((path) => ["ide/diffAccepted", path]),
    );
    expect(told.every(({ params }, index) => params["content"] === textOf(index, 5 * mib))).toBe(true);
  });

  it("F07 accepted texts of 4 MB of 40 agents that are there and do not read their streams", {
    timeout: 180_000,
  }, async ({ annotate }) => {
    const editor = await startEditor();
    await (await connectHttp(editor)).request("ping");
    const before = await editor.call(ask.weigh);
    const agents: Awaited<ReturnType<typeof connectHttp>>[] = [];
    const pathOf = (index: number): string => editor.sandbox.file(`l${index}.txt`);
    for (let index = 0; index < count; index += 1) {
      const agent = await connectHttp(editor);
      agents.push(agent);
      agent.stream?.response.pause();
      await agent.openDiff(pathOf(index), textOf(index, 4 * mib));
      const view = await editor.view((one) => one.path === pathOf(index));
      await editor.call(ask.accept, { id: view.id });
    }
    await pause(3_000);
    await editor.call(ask.forgetViews);
    const after = await editor.call(ask.weigh);
    await annotate(`${megabytes(after.total - before.total)}, resident ${megabytes(after.resident - before.resident)}`);
    expect(after.total - before.total).toBeLessThan(96 * mib);
    for (const [index, agent] of agents.entries()) {
      agent.stream?.response.resume();
      await editor.until("its outcome", () => agent.outcomes(pathOf(index)).length > 0, 20_000);
    }
    await pause(1_500);
    const told = agents.map((agent, index) => agent.outcomes(pathOf(index)));
    expect(told.map((outcomes) => outcomes.map(({ method }) => method))).toEqual(told.map(() => ["ide/diffAccepted"]));
    expect(told.every(([outcome], index) => outcome?.params["content"] === textOf(index, 4 * mib))).toBe(true);
  });

  it("F07 accepted texts of 40 agents that vanished are on disk (HTTP)", { timeout: 180_000 }, async ({ annotate }) => {
    const editor = await startEditor();
    await (await connectHttp(editor)).request("ping");
    const before = await editor.call(ask.weigh);
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const agent = await connectHttp(editor);
      const path = editor.sandbox.file(`h${index}.txt`);
      await agent.openDiff(path, textOf(index, 4 * mib));
      const view = await editor.view((one) => one.path === path);
      agent.crash();
      await pause(50);
      await editor.call(ask.accept, { id: view.id });
      ids.push(agent.sessionId);
    }
    // They count as missed after ten seconds.
    await pause(15_000);
    await editor.call(ask.forgetViews);
    const after = await editor.call(ask.weigh);
    await annotate(`${megabytes(after.total - before.total)}, resident ${megabytes(after.resident - before.resident)}`);
    expect(after.total - before.total).toBeLessThan(40 * mib);
    // And still there for who comes back.
    for (const index of [0, count - 1]) {
      const back = await connectHttp(editor);
      const text = await back.finalText(editor.sandbox.file(`h${index}.txt`));
      expect(text === textOf(index, 4 * mib)).toBe(true);
    }
  });
});
