import { describe, expect, it } from "vitest";
import { eventually, startEndpoint } from "./endpoint-under-test.ts";
import { connectSdkAgent } from "./session-client.ts";

describe("Streamable HTTP with the official client", () => {
  it("connects, calls a tool and gets a notification over the stream", async () => {
    const under = await startEndpoint();
    const agent = await connectSdkAgent(under);
    const result = await agent.client.callTool({ name: "echo", arguments: { text: "hello" } });
    expect(result.content).toEqual([{ type: "text", text: "hello" }]);
    await eventually(() => under.last().transport.isOpen).toBe(true);
    under
      .last()
      .transport.pushLatest("context", JSON.stringify({ jsonrpc: "2.0", method: "ide/contextUpdate", params: {} }));
    await eventually(() => agent.notifications.map(({ method }) => method)).toEqual(["ide/contextUpdate"]);
    expect(agent.errors).toEqual([]);
  });
});
