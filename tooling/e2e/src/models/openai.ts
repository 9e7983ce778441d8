import { type ModelProtocol, offersTools, toolCalls, writeEvent, writeJson } from "./model-server.ts";

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } as const;

/** The chat completions service that Qwen Code speaks to. */
export const openaiProtocol: ModelProtocol = {
  isConversation: (path, body) => path.endsWith("/chat/completions") && offersTools(body),
  answer: async (reply, turn, call) => {
    if (turn.kind === "text" || turn.kind === "stream") {
      for await (const content of turn.kind === "text" ? [turn.text] : turn.pieces)
        writeEvent(reply, chunk({ role: "assistant", content }));
      writeEvent(reply, chunk({}, "stop"));
    } else {
      const calls = toolCalls(turn, call).map(({ id, name, input }, index) => ({
        index,
        id: `call_${id}`,
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
      }));
      writeEvent(reply, chunk({ role: "assistant", content: null, tool_calls: calls }));
      writeEvent(reply, chunk({}, "tool_calls"));
    }
    writeEvent(reply, "[DONE]");
    reply.end();
  },
  answerErrand: (reply, _path, body) => {
    if (body["stream"] === true) {
      writeEvent(reply, chunk({ role: "assistant", content: "scripted" }));
      writeEvent(reply, chunk({}, "stop"));
      writeEvent(reply, "[DONE]");
      reply.end();
      return;
    }
    writeJson(reply, {
      ...envelope("chat.completion"),
      choices: [{ index: 0, message: { role: "assistant", content: "scripted" }, finish_reason: "stop" }],
      usage,
    });
  },
};

function envelope(object: string): Readonly<Record<string, unknown>> {
  return { id: "scripted", object, created: 1_700_000_000, model: "fake-model" };
}

function chunk(delta: Readonly<Record<string, unknown>>, finish: string | null = null): unknown {
  return {
    ...envelope("chat.completion.chunk"),
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(finish === null ? {} : { usage }),
  };
}
