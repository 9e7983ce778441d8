import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport, StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import { type AgentView, readToolResult } from "../agent-driver.ts";
import type { CompanionAddress } from "../records.ts";

export interface CompanionSpecConnectionOptions extends CompanionSpecHandlers {
  readonly address: CompanionAddress;
  readonly clientName: string;
  readonly clientVersion: string;
  /** The MCP revision that the client asks for. */
  readonly protocolVersion: string;
  /** The client gives the connection up. */
  readonly onProblem: (problem: string) => void;
}

/** One connection of Gemini CLI or Qwen Code: the official SDK's client, used in the order in which they use it. */
export class CompanionSpecConnection {
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #fetch: CuttableFetch;
  #ended = false;

  private constructor(client: Client, transport: StreamableHTTPClientTransport, cuttable: CuttableFetch) {
    this.#client = client;
    this.#transport = transport;
    this.#fetch = cuttable;
  }

  static async open(options: CompanionSpecConnectionOptions): Promise<CompanionSpecConnection> {
    const client = new Client({ name: options.clientName, version: options.clientVersion }, { capabilities: {} });
    const cuttable = createCuttableFetch();
    const { port, token } = options.address;
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
      fetch: cuttable.fetch,
      requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
    });
    const connection = new CompanionSpecConnection(client, transport, cuttable);
    client.onerror = (error) => connection.#onError(error, options.onProblem);
    await client.connect(asking(transport, options.protocolVersion));
    // The real clients subscribe only now: what came before is lost.
    subscribe(client, options);
    return connection;
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  async listTools(): Promise<readonly string[]> {
    const { tools } = await this.#client.listTools();
    return tools.map((tool) => tool.name);
  }

  /** Text parts of the answer; rejects with the text of an `isError` answer. */
  async callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    return readToolResult(await this.#client.callTool({ name, arguments: { ...args } }));
  }

  cut(how: "clean" | "reset"): void {
    this.#fetch.cut(how);
  }

  /** Ends as the process would: no DELETE, open requests broken. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#client.close();
  }

  #onError(error: Error, onProblem: (problem: string) => void): void {
    if (this.#ended) return;
    // Where the port is away, the stream's few retries fail without the client noticing: it stays connected, and deaf.
    const retry =
      this.#fetch.isStreamRefusal(error) || /^(Failed to reconnect|Maximum reconnection)/.test(error.message);
    const unknownSession = error instanceof StreamableHTTPError && error.code === 404;
    if (!retry || unknownSession) onProblem(error.message);
  }
}

/** The transport, asking for the given revision where the SDK would ask for its newest. */
function asking(transport: StreamableHTTPClientTransport, protocolVersion: string): Transport {
  const wrapped: Transport = {
    start: async () => {
      transport.onclose = () => wrapped.onclose?.();
      transport.onerror = (error) => wrapped.onerror?.(error);
      transport.onmessage = (message) => wrapped.onmessage?.(message);
      await transport.start();
    },
    send: async (message, options) => {
      const { resumptionToken, onresumptiontoken } = options ?? {};
      await transport.send(withRevision(message, protocolVersion), {
        ...(resumptionToken === undefined ? {} : { resumptionToken }),
        ...(onresumptiontoken === undefined ? {} : { onresumptiontoken }),
      });
    },
    close: async () => await transport.close(),
    setProtocolVersion: (version) => transport.setProtocolVersion(version),
  };
  return wrapped;
}

function withRevision(message: JSONRPCMessage, protocolVersion: string): JSONRPCMessage {
  if (!("method" in message) || message.method !== "initialize") return message;
  return { ...message, params: { ...message.params, protocolVersion } };
}

/** A fetch whose open event streams a test can break. */
export interface CuttableFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Ends the event streams that are open now: `clean` as a server would, `reset` as a broken network would. */
  cut(how: "clean" | "reset"): void;
  /** Whether this error says that an event stream could not be opened (the port is away). */
  isStreamRefusal(error: unknown): boolean;
}

function createCuttableFetch(): CuttableFetch {
  const open = new Set<(how: "clean" | "reset") => void>();
  const refusals = new WeakSet<object>();
  return {
    fetch: async (url, init) => {
      if (init?.method !== "GET") return await fetch(url, init);
      const abort = new AbortController();
      const signal = init.signal == null ? abort.signal : AbortSignal.any([init.signal, abort.signal]);
      const response = await fetch(url, { ...init, signal }).catch((error: unknown) => {
        if (typeof error === "object" && error !== null) refusals.add(error);
        throw error;
      });
      return response.body === null || !response.ok ? response : cuttable(response, response.body, abort, open);
    },
    cut: (how) => {
      for (const end of Array.from(open)) end(how);
    },
    isStreamRefusal: (error) => typeof error === "object" && error !== null && refusals.has(error),
  };
}

function cuttable(
  response: Response,
  body: ReadableStream<Uint8Array>,
  abort: AbortController,
  open: Set<(how: "clean" | "reset") => void>,
): Response {
  const reader = body.getReader();
  let cut: ((how: "clean" | "reset") => void) | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      cut = (how) => {
        if (cut !== undefined) open.delete(cut);
        if (how === "clean") controller.close();
        else controller.error(new TypeError("terminated"));
        abort.abort();
      };
      open.add(cut);
    },
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (cut === undefined || !open.has(cut)) return;
        if (!done) return controller.enqueue(value);
        open.delete(cut);
        controller.close();
      } catch (error) {
        if (cut === undefined || !open.delete(cut)) return;
        controller.error(error);
      }
    },
    cancel: async (reason) => {
      if (cut !== undefined) open.delete(cut);
      await reader.cancel(reason);
    },
  });
  return new Response(stream, { status: response.status, headers: response.headers });
}

/** An open file as `ide/contextUpdate` has it: 1-based. */
interface ContextFile {
  readonly path: string;
  readonly timestamp: number;
  readonly isActive?: boolean | undefined;
  readonly selectedText?: string | undefined;
  readonly cursor?: { readonly line: number; readonly character: number } | undefined;
}

export interface ContextUpdate {
  readonly workspaceState?:
    | { readonly openFiles?: readonly ContextFile[] | undefined; readonly isTrusted?: boolean | undefined }
    | undefined;
}

interface CompanionSpecHandlers {
  readonly onContext: (update: ContextUpdate) => void;
  readonly onDiffAccepted: (path: string, content: string) => void;
  readonly onDiffRejected: (path: string) => void;
}

const contextUpdateSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.literal("ide/contextUpdate"),
  params: z.object({
    workspaceState: z
      .object({
        openFiles: z
          .array(
            z.object({
              path: z.string(),
              timestamp: z.number(),
              isActive: z.boolean().optional(),
              selectedText: z.string().optional(),
              cursor: z.object({ line: z.number(), character: z.number() }).optional(),
            }),
          )
          .optional(),
        isTrusted: z.boolean().optional(),
      })
      .optional(),
  }),
});

const diffAcceptedSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.literal("ide/diffAccepted"),
  params: z.object({ filePath: z.string(), content: z.string() }),
});

const diffRejectedSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.literal("ide/diffRejected"),
  params: z.object({ filePath: z.string() }),
});

/** The older name of a rejection. */
const diffClosedSchema = z.object({
  jsonrpc: z.literal("2.0"),
  method: z.literal("ide/diffClosed"),
  params: z.object({ filePath: z.string() }),
});

const finalTextSchema = z.object({ content: z.string() });

/**
 * Subscribes to the notifications of the companion interface, parsed as strictly as the real clients do: absent is absent,
 * never null, and one that does not fit reaches `client.onerror` (docs/protocols/gemini.md).
 */
function subscribe(client: Client, handlers: CompanionSpecHandlers): void {
  client.setNotificationHandler(contextUpdateSchema, ({ params }) => handlers.onContext(params));
  client.setNotificationHandler(diffAcceptedSchema, ({ params }) =>
    handlers.onDiffAccepted(params.filePath, params.content),
  );
  client.setNotificationHandler(diffRejectedSchema, ({ params }) => handlers.onDiffRejected(params.filePath));
  client.setNotificationHandler(diffClosedSchema, ({ params }) => handlers.onDiffRejected(params.filePath));
}

/** The final text in closeDiff's answer; throws where it is not the JSON that the clients want. */
export function parseFinalText(text: string): string {
  return finalTextSchema.parse(JSON.parse(text)).content;
}

const keptFiles = 10;
const keptUnits = 16_384;

/** What the client makes of an update: newest first, only the newest is active and only if it says so, ten files, a cut selection. */
export function toAgentView(update: ContextUpdate): AgentView {
  const files = Array.from(update.workspaceState?.openFiles ?? [])
    .sort((a, b) => b.timestamp - a.timestamp)
    .slice(0, keptFiles);
  const newest = files[0];
  const active = newest?.isActive === true ? newest : undefined;
  const trusted = update.workspaceState?.isTrusted;
  return {
    openFiles: files.map((file) => file.path),
    ...(active === undefined ? {} : { active: active.path }),
    ...(active?.cursor === undefined
      ? {}
      : { cursor: { line: active.cursor.line - 1, character: active.cursor.character - 1 } }),
    ...(active?.selectedText === undefined ? {} : { selectedText: active.selectedText.slice(0, keptUnits) }),
    ...(trusted === undefined ? {} : { trusted }),
  };
}
