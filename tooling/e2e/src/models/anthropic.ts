import type { ServerResponse } from "node:http";
import { type ModelProtocol, offersTools, toolCalls, type Turn, writeEvent, writeJson } from "./model-server.ts";

/** The Messages service that Claude Code speaks to. */
export const anthropicProtocol: ModelProtocol = {
  isConversation: (path, body) =>
    path.startsWith("/v1/messages") && !path.includes("count_tokens") && offersTools(body),
  answer: stream,
  answerErrand: (reply, path, body) => {
    if (path.includes("count_tokens")) {
      writeJson(reply, { input_tokens: 10 });
    } else if (body["stream"] === true) {
      void stream(reply, { kind: "text", text: "scripted" }, 0);
    } else {
      writeJson(reply, { ...message(0), content: [{ type: "text", text: "scripted" }], stop_reason: "end_turn" });
    }
  },
};

function message(call: number): Readonly<Record<string, unknown>> {
  return {
    id: `msg_${call}`,
    type: "message",
    role: "assistant",
    model: "claude-scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  };
}

async function stream(reply: ServerResponse, turn: Turn, call: number): Promise<void> {
  const send = (type: string, members: Readonly<Record<string, unknown>>): void =>
    writeEvent(reply, { type, ...members }, type);
  send("message_start", { message: message(call) });
  if (turn.kind === "text" || turn.kind === "stream") {
    send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    for await (const text of turn.kind === "text" ? [turn.text] : turn.pieces)
      send("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
    send("content_block_stop", { index: 0 });
  }
  for (const [index, { id, name, input }] of toolCalls(turn, call).entries()) {
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
    send("content_block_start", { index, content_block: { type: "tool_use", id: `toolu_${id}`, name, input: {} } });
    send("content_block_delta", { index, delta });
    send("content_block_stop", { index });
  }
  const reason = turn.kind === "text" || turn.kind === "stream" ? "end_turn" : "tool_use";
  send("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 5 } });
  send("message_stop", {});
  reply.end();
}
