import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A program that speaks the Agent Client Protocol: asks before it runs `make`, and says what it was started with. It is no
 * agent that Patchbay knows: settings name it.
 */
export function writeNova(folder: string): string {
  const path = join(folder, "nova");
  writeFileSync(path, `#!${process.execPath}\n${source}`, { mode: 0o755 });
  return path;
}

const source = `
let rest = "";
let prompt;
const modes = [{ id: "careful", name: "Careful" }, { id: "bold", name: "Bold" }];
let mode = "careful";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const say = (text) => send({ method: "session/update", params: { sessionId: "s1", update: {
  sessionUpdate: "agent_message_chunk", content: { type: "text", text } } } });
const answer = (id, result) => send({ id, result });
const handle = ({ id, method, params, result }) => {
  if (method === "initialize") answer(id, { protocolVersion: 1, agentCapabilities: {}, authMethods: [] });
  else if (method === "session/new") answer(id, { sessionId: "s1", modes: { currentModeId: mode, availableModes: modes } });
  else if (method === "session/set_mode") { mode = params.modeId; answer(id, {}); }
  else if (method === "session/prompt") {
    prompt = id;
    say([mode, process.env.NOVA, ...process.argv.slice(2)].join(" "));
    send({ id: 900, method: "session/request_permission", params: { sessionId: "s1",
      toolCall: { toolCallId: "t1", title: "make", kind: "execute", rawInput: { command: "make" } },
      options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }, { optionId: "no", name: "No", kind: "reject_once" }] } });
  } else if (id === 900) { say(JSON.stringify(result)); answer(prompt, { stopReason: "end_turn" }); }
  else if (id !== undefined && method !== undefined) send({ id, error: { code: -32601, message: "no" } });
};
process.stdin.on("data", (chunk) => {
  rest += chunk;
  const lines = rest.split("\\n");
  rest = lines.pop();
  for (const line of lines) if (line !== "") handle(JSON.parse(line));
});
process.stdin.on("end", () => process.exit(0));
`;
