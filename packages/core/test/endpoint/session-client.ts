import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { onTestFinished } from "vitest";
import { type EndpointUnderTest, token } from "./endpoint-under-test.ts";

export interface SdkAgent {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** Methods of the notifications that came. */
  readonly notifications: { readonly method: string; readonly params?: unknown }[];
  readonly errors: Error[];
}

/** The official SDK's client, connected as the agents of the Gemini family connect. */
export async function connectSdkAgent(under: EndpointUnderTest): Promise<SdkAgent> {
  const transport = new StreamableHTTPClientTransport(under.url, {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  const client = new Client({ name: "streamable-http-client", version: "1.0.0" });
  const notifications: { method: string; params?: unknown }[] = [];
  const errors: Error[] = [];
  client.fallbackNotificationHandler = async ({ method, params }) => {
    notifications.push({ method, params });
  };
  client.onerror = (error) => errors.push(error);
  if (!isTransport(transport)) throw new Error("The SDK's transport is none.");
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport, notifications, errors };
}

/** The SDK's class and its interface disagree on optional members under exactOptionalPropertyTypes. */
function isTransport(value: object): value is Transport {
  return "start" in value && "send" in value && "close" in value;
}
