import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  ErrorCode,
  ListToolsRequestSchema,
  LoggingLevelSchema,
  McpError,
  type Tool as ToolDescription,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { Clock } from "../support/time.ts";
import { messageOf, PatchbayError } from "../support/errors.ts";
import { jsonPieces } from "../support/json-pieces.ts";
import type { SessionServices } from "./dialect.ts";

/** `arguments` may be left out (MCP, tools/call), which `unknown` alone does not allow. */
const callParams = z.object({ name: z.string(), arguments: z.custom(isObject, "expected an object").optional() });
/** The engine answers what its own schemas refuse with an internal error and a dump: the parameters are looked at here. */
const anySetLevel = z.object({ method: z.literal("logging/setLevel"), params: z.unknown().optional() });
const setLevelParams = z.object({ level: LoggingLevelSchema });

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new McpError(ErrorCode.InvalidParams, `Wrong parameters: ${z.prettifyError(parsed.error)}`);
}

/** One tool of a dialect: what tools/list says, and what a call does with arguments that were parsed once, here. */
export interface Tool {
  readonly description: ToolDescription;
  call(args: unknown, signal: AbortSignal): Promise<TextResult>;
}

/** Builds a tool whose arguments are checked by a zod schema; wrong ones become an `isError` sentence that names the field. */
export function defineTool<T>(options: {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolDescription["inputSchema"];
  readonly parse: z.ZodType<T>;
  readonly run: (args: T, signal: AbortSignal) => Promise<TextResult>;
}): Tool {
  const { name, description, inputSchema, parse, run } = options;
  return {
    description: { name, description, inputSchema },
    call: async (args, signal) => {
      const parsed = parse.safeParse(args ?? {});
      if (!parsed.success) return errorResult(`Wrong arguments for ${name}: ${z.prettifyError(parsed.error)}`);
      return run(parsed.data, signal);
    },
  };
}

/**
 * Only what a server asks its client is checked against a JSON Schema, and we ask nothing. The engine would make a validator
 * for each session, which takes a new session longer than everything else together.
 */
const noSchemaValidator = {
  getValidator: () => {
    throw new PatchbayError("invalid-argument", "Requests to agents are not supported.");
  },
};

/** Connects nothing yet: a low-level MCP server for one session with these tools. Errors of a tool become `isError` sentences. */
export function createToolServer(
  services: SessionServices,
  tools: readonly Tool[],
  onDidListTools: () => void,
): Server {
  const byName = new Map(tools.map((tool) => [tool.description.name, tool]));
  const descriptions = tools.map((tool) => tool.description);
  const server = new Server(
    { ...services.serverInfo },
    { capabilities: { tools: {}, logging: {} }, jsonSchemaValidator: noSchemaValidator },
  );
  server.onerror = (error) =>
    services.logger.debug("An agent sent a message that could not be parsed", {
      session: services.sessionId,
      reason: error.message,
    });
  server.setRequestHandler(ListToolsRequestSchema, () => {
    // After the answer has left: what follows may assume that the agent knows the tools.
    queueMicrotask(onDidListTools);
    return { tools: [...descriptions] };
  });
  server.setRequestHandler(anySetLevel, (request) => {
    // Nothing is logged to agents, so the level decides nothing.
    parseParams(setLevelParams, request.params);
    return {};
  });
  // A handler of its own would have each call and each result checked three times more by the engine's schemas: with what
  // stands in `callParams` and in a tool's own schema nothing is left for these to find, and they cost as much as the tool.
  server.fallbackRequestHandler = async (request, extra) => {
    if (request.method !== "tools/call") throw new McpError(ErrorCode.MethodNotFound, "Method not found.");
    const { name, arguments: args } = parseParams(callParams, request.params);
    const tool = byName.get(name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, "Unknown tool.");
    try {
      return await tool.call(args, extra.signal);
    } catch (error) {
      if (error instanceof PatchbayError && error.code !== "host-failed") return errorResult(error.message);
      const sentence = messageOf(error);
      services.logger.error("A tool failed", {
        tool: tool.description.name,
        session: services.sessionId,
        reason: sentence,
      });
      return errorResult(error instanceof PatchbayError ? sentence : `The editor failed: ${sentence}`);
    }
  };
  return server;
}

/** A tool's answer with texts, as MCP has it. */
export interface TextResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

export function textResult(...texts: readonly string[]): TextResult {
  return { content: texts.map((text) => ({ type: "text", text })) };
}

/** Data as a JSON text; that of some megabytes is written piece by piece, with other work in between. */
export async function jsonText(value: unknown, clock: Clock): Promise<string> {
  let text = "";
  for (const piece of jsonPieces(value).pieces()) {
    if (text !== "") await new Promise<void>((resolve) => void clock.setTimeout(resolve, 0));
    text += piece;
  }
  return text;
}

/** A tool's failure as a sentence the agent and its user can act on. */
export function errorResult(sentence: string): TextResult {
  return { content: [{ type: "text", text: sentence }], isError: true };
}
