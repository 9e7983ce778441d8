import process from "node:process";
import { attachTo } from "@patchbay/core/hook";

// Pi with our extension in its process and its user at its terminal, as far as the extension can tell: `pi-process.ts <folder> <file>`. It writes a
// file, prints what it is told about that, and ends as a program ends that has nothing left to do.
const [folder = "", file = ""] = process.argv.slice(2);

type Handler = (event: unknown, context: unknown) => Promise<unknown>;
const handlers = new Map<string, Handler>();
attachTo("pi", { on: (name: string, handler: Handler) => void handlers.set(name, handler) }, folder);

const context = {
  cwd: folder,
  hasUI: true,
  ui: { setStatus: () => {} },
  signal: undefined,
  sessionManager: { getSessionId: () => "s1" },
};
await handlers.get("session_start")?.({ reason: "startup" }, context);
const call = { toolName: "write", toolCallId: "c1", input: { path: file, content: "new\n" } };
const answer = await handlers.get("tool_call")?.(call, context);
process.stdout.write(JSON.stringify(answer ?? null));
