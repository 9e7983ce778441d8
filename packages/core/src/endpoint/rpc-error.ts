/** Codes of JSON-RPC 2.0 and the one that MCP uses for a connection that is not there. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  invalidParams: -32_602,
  internalError: -32_603,
  refused: -32_000,
} as const;

/** The JSON text of an error answer. */
export function rpcError(id: string | number | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
}
