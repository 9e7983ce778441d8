import type {
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { rpcCodes } from "./answers.ts";
import { type LargeJson, parseLargeJson } from "./large-json.ts";

export type IncomingRpc =
  | { readonly kind: "request"; readonly message: JSONRPCRequest }
  | { readonly kind: "notification"; readonly message: JSONRPCNotification }
  | { readonly kind: "response"; readonly message: JSONRPCResponse }
  | { readonly kind: "invalid"; readonly id: RequestId | null; readonly code: number; readonly reason: string };

type Params = NonNullable<JSONRPCRequest["params"]>;
type Result = Extract<JSONRPCResponse, { result: unknown }>["result"];

/**
 * Reads one JSON-RPC message: valid JSON, one object of the right shape. What passes here passes
 * the engine's own schemas; anything else the engine would drop without an answer, so it is answered here.
 */
export function readRpc(text: string | LargeJson): IncomingRpc {
  let value: unknown;
  try {
    value = typeof text === "string" ? JSON.parse(text) : parseLargeJson(text);
  } catch {
    return invalid(null, rpcCodes.parseError, "The message is not valid JSON.");
  }
  return shapeRpc(value);
}

function shapeRpc(value: unknown): IncomingRpc {
  if (Array.isArray(value)) return invalid(null, rpcCodes.invalidRequest, "Batches are not supported.");
  if (!isObject(value)) return invalid(null, rpcCodes.invalidRequest, "The message is not a JSON-RPC object.");
  const { jsonrpc, id, method, params } = value;
  const knownId = isRequestId(id) ? id : undefined;
  if (jsonrpc !== "2.0") return invalid(knownId ?? null, rpcCodes.invalidRequest, 'The "jsonrpc" member is not "2.0".');
  if (id !== undefined && knownId === undefined) {
    return invalid(null, rpcCodes.invalidRequest, "The id is neither a string nor an integer.");
  }
  if (method === undefined) return shapeResponse(value, knownId);
  if (typeof method !== "string") {
    return invalid(knownId ?? null, rpcCodes.invalidRequest, "The method is not a string.");
  }
  if (params !== undefined && !isParams(params)) {
    return invalid(knownId ?? null, rpcCodes.invalidRequest, "The params are not an object of the right shape.");
  }
  if (method === "initialize" && knownId !== undefined && !isInitialize(params)) {
    return invalid(knownId, rpcCodes.invalidParams, "The params lack protocolVersion, capabilities or clientInfo.");
  }
  // Rebuilt from known members, because the engine ignores a message with any further one.
  const given = params === undefined ? undefined : { params };
  return knownId === undefined
    ? { kind: "notification", message: { jsonrpc, method, ...given } }
    : { kind: "request", message: { jsonrpc, id: knownId, method, ...given } };
}

function shapeResponse(value: Record<string, unknown>, id: RequestId | undefined): IncomingRpc {
  const { result, error } = value;
  if (id !== undefined && error === undefined && isResult(result)) {
    return { kind: "response", message: { jsonrpc: "2.0", id, result } };
  }
  if (result === undefined && isObject(error)) {
    const { code, message, data } = error;
    if (typeof code === "number" && Number.isSafeInteger(code) && typeof message === "string") {
      const given = id === undefined ? undefined : { id };
      return { kind: "response", message: { jsonrpc: "2.0", ...given, error: { code, message, data } } };
    }
  }
  return invalid(id ?? null, rpcCodes.invalidRequest, "The message is neither a request nor a response.");
}

function invalid(id: RequestId | null, code: number, reason: string): IncomingRpc {
  return { kind: "invalid", id, code, reason };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value));
}

function isParams(value: unknown): value is Params {
  return isObject(value) && isMeta(value["_meta"]);
}

/** What a session begins with: without it the engine would answer with a dump of its schemas. */
function isInitialize(params: Params | undefined): boolean {
  if (params === undefined) return false;
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string" || !isObject(capabilities) || !isObject(clientInfo)) return false;
  return typeof clientInfo["name"] === "string" && typeof clientInfo["version"] === "string";
}

function isResult(value: unknown): value is Result {
  return isObject(value) && isMeta(value["_meta"]);
}

/** `_meta` as MCP defines it: an object whose progress token is a string or an integer, and whose task has an id. */
function isMeta(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const { progressToken, "io.modelcontextprotocol/related-task": task } = value;
  if (progressToken !== undefined && !isRequestId(progressToken)) return false;
  return task === undefined || (isObject(task) && typeof task["taskId"] === "string");
}
