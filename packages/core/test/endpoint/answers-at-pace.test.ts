import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerAtPace, WaitingTexts } from "../../src/endpoint/waiting-texts.ts";
import type { PiecedText } from "../../src/support/json-pieces.ts";
import { nullLogger } from "../../src/support/logger.ts";
import { eventually } from "./endpoint-under-test.ts";

const megabyte = 1024 * 1024;

interface Served {
  readonly port: number;
  readonly waiting: WaitingTexts;
}

/** A server that answers every request with a text at its reader's pace. */
async function serve(
  pieced: (url: string) => PiecedText,
  onAnswering?: (one: ServerResponse) => void,
): Promise<Served> {
  const waiting = new WaitingTexts({ storage: undefined, logger: nullLogger, token: () => "run" });
  const server = createServer((request, response) => {
    void answerAtPace(response, waiting.hold(pieced(request.url ?? "")));
    onAnswering?.(response);
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return { port: typeof address === "object" ? (address?.port ?? 0) : 0, waiting };
}

/** A client that asks for some paths at once and reads nothing until it is told to. */
async function pipeline(port: number, paths: readonly string[]): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  socket.pause();
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  return socket;
}

function counted(pieces: Iterable<string>): PiecedText & { readonly asked: number } {
  let asked = 0;
  return {
    units: 0,
    get asked() {
      return asked;
    },
    *pieces() {
      for (const piece of pieces) {
        asked += 1;
        yield piece;
      }
    },
  };
}

function* endless(piece: string): Generator<string> {
  for (;;) yield piece;
}

describe("an answer at its reader's pace", () => {
  it("is one whole for the client", async () => {
    const { port, waiting } = await serve(() => counted(['{"a":"', "é".repeat(100_000), '"}']));
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ a: "é".repeat(100_000) });
    expect(waiting.heldBytes).toBe(0);
  });

  it("asks for one piece at a time, with other work in between", async () => {
    let turn = 0;
    const turns: number[] = [];
    const count = (): void => {
      turn += 1;
      if (turns.length < 5) setImmediate(count);
    };
    const pieces = function* (): Generator<string> {
      for (let index = 0; index < 5; index += 1) {
        turns.push(turn);
        yield "piece";
      }
    };
    const { port } = await serve(
      () => ({ units: 0, pieces }),
      () => setImmediate(count),
    );
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("piece".repeat(5));
    expect(new Set(turns).size).toBe(5);
  });

  it("is not made before its reader takes it, nor before the answer in front of it is through", async () => {
    const first = counted(Array.from({ length: 64 }, () => "1".repeat(megabyte)));
    const second = counted(["2"]);
    const { port } = await serve((url) => (url === "/first" ? first : second));
    const socket = await pipeline(port, ["/first", "/second"]);
    await eventually(() => first.asked).toBeGreaterThan(1);
    let before = 0;
    // Until the buffers on the way are full.
    await expect
      .poll(
        () => {
          const isQuiet = first.asked === before;
          before = first.asked;
          return isQuiet;
        },
        { interval: 200, timeout: 20_000 },
      )
      .toBe(true);
    expect(first.asked).toBeLessThan(32);
    expect(second.asked).toBe(0);
    socket.resume();
    await eventually(() => second.asked).toBe(1);
    expect(first.asked).toBe(64);
  });

  it("stops when nobody waits for it any more, and is let go of", async () => {
    const pieced = counted(endless("piece"));
    const { port, waiting } = await serve(
      () => Object.assign(pieced, { units: 7 }),
      (one) => setImmediate(() => one.destroy()),
    );
    const lost = fetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
    await expect(lost).rejects.toThrow();
    await eventually(() => waiting.heldBytes).toBe(0);
    expect(pieced.asked).toBeLessThan(100);
  });

  it("is let go of where its reader leaves in the middle, or before its turn", async () => {
    const { port, waiting } = await serve(() => Object.assign(counted(endless("x".repeat(megabyte))), { units: 7 }));
    const socket = await pipeline(port, ["/first", "/second"]);
    await eventually(() => waiting.heldBytes).toBe(28);
    socket.destroy();
    await eventually(() => waiting.heldBytes).toBe(0);
  });
});
