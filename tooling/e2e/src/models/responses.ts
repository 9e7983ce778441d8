import type { ServerResponse } from "node:http";
import { type ModelProtocol, offersTools, toolCalls, type Turn, writeEvent, writeJson } from "./model-server.ts";

/** The Responses service that Codex CLI speaks to. */
export const responsesProtocol: ModelProtocol = {
  isConversation: (path, body) => path.endsWith("/responses") && offersTools(body) && !asksForTitle(body),
  answer,
  answerErrand: async (reply, path) => {
    if (path.endsWith("/responses")) await answer(reply, { kind: "text", text: "A task" }, 0);
    else writeJson(reply, { models: [] });
  },
};

/** A conversation beside that of the user, with the same tools, in which it is given a name. */
function asksForTitle(body: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(body["input"] ?? "").includes("single-line task title");
}

async function answer(reply: ServerResponse, turn: Turn, call: number): Promise<void> {
  const id = `resp_${call}`;
  const say = (type: string, members: Readonly<Record<string, unknown>>): void =>
    writeEvent(reply, { type, ...members }, type);
  const item = (given: Readonly<Record<string, unknown>>): void => {
    say("response.output_item.added", { output_index: 0, item: given });
    say("response.output_item.done", { output_index: 0, item: given });
  };
  say("response.created", { response: { id } });
  if (turn.kind === "text" || turn.kind === "stream") {
    let text = "";
    for await (const piece of turn.kind === "text" ? [turn.text] : turn.pieces) text += piece;
    item({ type: "message", role: "assistant", id: `msg_${call}`, content: [{ type: "output_text", text }] });
  } else {
    for (const { id: name, name: tool, input } of toolCalls(turn, call)) {
      const ids = { id: `item_${name}`, call_id: `call_${name}`, name: tool };
      // A tool whose whole argument is a text.
      const free = input["input"];
      item(
        typeof free === "string"
          ? { type: "custom_tool_call", ...ids, input: free }
          : { type: "function_call", ...ids, arguments: JSON.stringify(input) },
      );
    }
  }
  say("response.completed", { response: { id, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } } });
  reply.end();
}
