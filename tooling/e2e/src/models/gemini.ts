import { type ModelProtocol, offersTools, toolCalls, writeEvent, writeJson } from "./model-server.ts";

const usage = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 } as const;

/** The answers that Gemini CLI's structured errands look for, in one object: each takes the members it knows. */
const errandAnswer = {
  reasoning: "scripted",
  model_choice: "flash",
  next_speaker: "user",
  complexity_score: 1,
  complexity_reasoning: "scripted",
} as const;

/** Google's generative language service. */
export const geminiProtocol: ModelProtocol = {
  isConversation: (path, body) => path.includes(":streamGenerateContent") && offersTools(body),
  answer: async (reply, turn, call) => {
    if (turn.kind === "stream") {
      for await (const text of turn.pieces) writeEvent(reply, candidate([{ text }], false));
      writeEvent(reply, candidate([{ text: "" }]));
      reply.end();
      return;
    }
    const calls = toolCalls(turn, call).map(({ id, name, input }) => ({
      functionCall: { id: `call-${id}`, name, args: input },
    }));
    writeEvent(reply, candidate(turn.kind === "text" ? [{ text: turn.text }] : calls));
    reply.end();
  },
  answerErrand: (reply, path) => {
    const document = candidate([{ text: JSON.stringify(errandAnswer) }]);
    if (path.includes(":countTokens")) {
      writeJson(reply, { totalTokens: 10 });
    } else if (path.includes(":streamGenerateContent")) {
      writeEvent(reply, document);
      reply.end();
    } else {
      writeJson(reply, document);
    }
  },
};

function candidate(parts: readonly Readonly<Record<string, unknown>>[], isLast = true): unknown {
  const end = isLast ? { finishReason: "STOP" } : {};
  return {
    candidates: [{ index: 0, content: { role: "model", parts }, ...end }],
    usageMetadata: usage,
    modelVersion: "scripted",
  };
}
