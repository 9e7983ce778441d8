import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { encodeEvent, EventStream } from "../../src/endpoint/event-stream.ts";
import { sendRaw } from "./raw-connection.ts";

it("a write to a connection that is gone is not told of as flushed", async () => {
  let flushed = 0;
  let lost: () => void = () => {};
  const isLost = new Promise<void>((resolve) => {
    lost = resolve;
  });
  const server = createServer((request, response) => {
    const stream = new EventStream(request, response, 0);
    stream.open("session", () => {}, lost);
    request.socket.destroy();
    stream.write(encodeEvent(1, "{}"), () => {
      flushed += 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  await sendRaw(address.port, { method: "GET" });
  await isLost;
  await new Promise((resolve) => setImmediate(resolve));
  expect(flushed).toBe(0);
});
