import { isAbsolute, join } from "node:path";
import { messageOf } from "@patchbay/core";
import type { SessionHost } from "../driver.ts";
import { oneSpelling } from "../process/spelling.ts";
import type { McpMessage } from "./requests.ts";

/** The name under which our tools stand in the session: `mcp__companion__…`. */
export const companionName = "companion";

const prefix = `mcp__${companionName}__`;

/** The revision that is spoken where the client asks for none. */
const revision = "2025-06-18";

interface Tool {
  readonly description: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

const path = { type: "string", description: "Absolute path of the file." };

const tools: Readonly<Record<string, Tool>> = {
  getDiagnostics: {
    description: "Problems that the editor knows of a file: errors and warnings of compilers and linters.",
    properties: { path },
    required: ["path"],
  },
  getOpenEditors: { description: "Files that are open in the editor.", properties: {}, required: [] },
  getSelection: { description: "What the user has selected in the editor.", properties: {}, required: [] },
  openFile: {
    description: "Shows a file to the user.",
    properties: { path, line: { type: "integer", minimum: 1, description: "Line to show." } },
    required: ["path"],
  },
};

/** Whether a tool is one of ours: none of them changes anything, so that nobody is asked. */
export function isCompanionTool(name: string): boolean {
  return name.startsWith(prefix) && Object.hasOwn(tools, name.slice(prefix.length));
}

/** The answer to a message of the model's client; for a notification, one that it ignores. */
export async function answerCompanion(
  { message: { id, method, params } }: McpMessage,
  host: SessionHost,
  cwd: string,
): Promise<Readonly<Record<string, unknown>>> {
  if (id === undefined) return { jsonrpc: "2.0", id: 0, result: {} };
  const respond = (result: unknown): Readonly<Record<string, unknown>> => ({ jsonrpc: "2.0", id, result });
  switch (method) {
    case "initialize": {
      const asked = params?.["protocolVersion"];
      return respond({
        protocolVersion: typeof asked === "string" ? asked : revision,
        capabilities: { tools: {} },
        serverInfo: { name: companionName, version: "1" },
      });
    }
    case "ping":
      return respond({});
    case "tools/list":
      return respond({ tools: Object.entries(tools).map(([name, tool]) => listed(name, tool)) });
    case "tools/call":
      return respond(await call(params ?? {}, host, cwd));
    default:
      return { jsonrpc: "2.0", id, error: { code: -32_601, message: `There is no method ${method ?? ""}.` } };
  }
}

function listed(name: string, { description, properties, required }: Tool): Readonly<Record<string, unknown>> {
  return {
    name,
    description,
    inputSchema: { type: "object", properties, required },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

async function call(
  params: Readonly<Record<string, unknown>>,
  host: SessionHost,
  cwd: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { name, arguments: given } = params;
  const input = typeof given === "object" && given !== null ? { ...given } : {};
  try {
    return { content: [{ type: "text", text: await textFor(String(name), input, host, cwd) }] };
  } catch (error) {
    return { content: [{ type: "text", text: messageOf(error) }], isError: true };
  }
}

async function textFor(
  name: string,
  input: Readonly<Record<string, unknown>>,
  host: SessionHost,
  cwd: string,
): Promise<string> {
  switch (name) {
    case "getDiagnostics": {
      const problems = await host.problems(await readable(input, host, cwd));
      return JSON.stringify(problems);
    }
    case "getOpenEditors": {
      const open = (await host.view?.openFiles()) ?? [];
      return JSON.stringify(open.filter((file) => host.mayRead(file.path)));
    }
    case "getSelection": {
      const selection = await host.view?.selection();
      if (selection === undefined || !host.mayRead(selection.path)) return "Nothing is selected.";
      return JSON.stringify(selection);
    }
    case "openFile": {
      const { line } = input;
      const file = await readable(input, host, cwd);
      const isShown = (await host.view?.openFile(file, typeof line === "number" ? line : undefined)) ?? false;
      return isShown ? "The file is shown." : "The file could not be shown.";
    }
    default:
      throw new Error(`There is no tool ${name}.`);
  }
}

/** A file of the workspace that is shared, wherever links lead. Nobody is asked here, so nothing else is shown. */
async function readable(input: Readonly<Record<string, unknown>>, host: SessionHost, cwd: string): Promise<string> {
  const { path: given } = input;
  if (typeof given !== "string" || given === "") throw new Error("The path is missing.");
  const file = oneSpelling(isAbsolute(given) ? given : join(cwd, given));
  const { isInside, isShared } = await host.locate(file);
  if (!isShared) throw new Error("This file is not shared with agents.");
  if (!isInside) throw new Error("This file is outside the workspace.");
  return file;
}
