import type { ClientFacts } from "../dialects/dialect.ts";

/** Reads what an initialize request says of its client. Hand-narrowed: it runs before the engine, and zod, are loaded. */
export function readClientFacts(
  transport: ClientFacts["transport"],
  headers: Readonly<Record<string, string>>,
  initialize: unknown,
): ClientFacts {
  const params = asRecord(initialize);
  const client = asRecord(params?.get("clientInfo"));
  return {
    transport,
    headers,
    clientName: asText(client?.get("name")),
    clientVersion: asText(client?.get("version")),
    protocolVersion: asText(params?.get("protocolVersion")),
  };
}

function asRecord(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, 200) : undefined;
}
