import { stdin, stdout } from "node:process";
import { linesOf } from "../../../core/src/support/line-reader.ts";

/** An agent that speaks the Agent Client Protocol: much in each turn, and without an end where it is told to hang. */
interface Heard {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] };
}

function say(message: Readonly<Record<string, unknown>>): void {
  stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function update(what: Readonly<Record<string, unknown>>): void {
  say({ method: "session/update", params: { sessionId: "s", update: what } });
}

function talk(turn: number): void {
  for (let count = 0; count < 100; count += 1) {
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `some words ${count} ` } });
  }
  const toolCallId = `call-${turn}`;
  update({ sessionUpdate: "tool_call", toolCallId, title: "Read", kind: "read", status: "in_progress" });
  const content = [{ type: "content", content: { type: "text", text: `${turn} `.repeat(5_000) } }];
  update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", content });
}

let turns = 0;
for await (const line of linesOf(stdin)) {
  const { id, method, params }: Heard = JSON.parse(line);
  if (method === "initialize") say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === "session/new") say({ id, result: { sessionId: "s" } });
  if (method !== "session/prompt") continue;
  turns += 1;
  talk(turns);
  // Goes on when nobody listens any more, as some do in the middle of a turn.
  if (params?.prompt?.some(({ text }) => text === "hang") === true) setInterval(() => undefined, 1_000);
  else say({ id, result: { stopReason: "end_turn" } });
}
