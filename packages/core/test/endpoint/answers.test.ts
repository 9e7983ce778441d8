import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerInPieces } from "../../src/endpoint/answers.ts";

/** What a client gets of an answer. */
async function ask(answer: (response: ServerResponse) => Promise<void>): Promise<Response> {
  const server = createServer((_request, response) => void answer(response));
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return await fetch(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
}

describe("an answer in pieces", () => {
  it("is one whole for the client, with its length told before", async () => {
    const response = await ask((one) => answerInPieces(one, 200, ['{"a":"', "é".repeat(100_000), '"}'], "an-id"));
    expect(response.headers.get("content-length")).toBe("200008");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("mcp-session-id")).toBe("an-id");
    expect(await response.json()).toEqual({ a: "é".repeat(100_000) });
  });

  it("asks for one piece at a time, with other work in between", async () => {
    let turn = 0;
    const turns: number[] = [];
    function* pieces(): Generator<string> {
      for (let index = 0; index < 5; index += 1) {
        turns.push(turn);
        yield "piece";
      }
    }
    const response = await ask(async (one) => {
      const count = (): void => {
        turn += 1;
        if (turns.length < 5) setImmediate(count);
      };
      setImmediate(count);
      await answerInPieces(one, 200, pieces());
    });
    expect(await response.text()).toBe("piece".repeat(5));
    expect(new Set(turns).size).toBe(5);
  });

  it("stops when nobody waits for it any more", async () => {
    let asked = 0;
    function* pieces(): Generator<string> {
      for (;;) {
        asked += 1;
        yield "piece";
      }
    }
    let end: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      end = resolve;
    });
    const lost = ask(async (one) => {
      setImmediate(() => one.destroy());
      await answerInPieces(one, 200, pieces());
      end();
    });
    await expect(lost).rejects.toThrow();
    await answered;
    expect(asked).toBeLessThan(100);
  });
});
