import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished } from "vitest";
import type {
  AgentTransport,
  Endpoint,
  EndpointLimits,
  EndpointOptions,
  HookAcceptor,
  NewConnection,
} from "../../src/endpoint/endpoint.ts";
import { listenEndpoint } from "../../src/endpoint/loopback-endpoint.ts";
import { createNodePlatform } from "../../src/platform/node.ts";
import type { Clock } from "../../src/support/time.ts";
import type { LogFields, Logger } from "../../src/support/logger.ts";

interface ServedSession {
  readonly connection: NewConnection;
  readonly transport: AgentTransport;
  readonly engine: Server;
}

export interface EndpointUnderTest {
  readonly endpoint: Endpoint;
  readonly port: number;
  readonly token: string;
  readonly url: URL;
  /** In the order of their beginning; a revived session stands twice. */
  readonly served: ServedSession[];
  readonly ended: { readonly sessionId: string; readonly why: string }[];
  /** Tool calls of `hold` that wait, by their `name` argument. */
  readonly held: Map<string, () => void>;
  /** Texts of the tool calls that the engine was told to cancel. */
  readonly cancelled: readonly string[];
  readonly logLines: { readonly level: string; readonly message: string; readonly fields: LogFields | undefined }[];
  /** The newest session. */
  last(): ServedSession;
}

export interface UnderTestOptions {
  readonly port?: number;
  readonly limits?: Partial<EndpointLimits>;
  readonly clock?: Clock;
  readonly sessionKey?: string;
  /** Beside `token`, which is one of these, too. */
  readonly tokens?: Readonly<Record<string, string>>;
  readonly hooks?: HookAcceptor;
  readonly mayForget?: (sessionId: string) => boolean;
  readonly beforeAccept?: () => Promise<void>;
  /** Called for each session when its engine is connected. */
  readonly onServed?: (session: ServedSession) => void;
}

/** Waits until a value is as it should be. */
export function eventually<T>(value: () => T): ReturnType<typeof expect.poll<T>> {
  return expect.poll(value, { timeout: 20_000, interval: 5 });
}

export const token = "right-token-0123456789";

/** A real endpoint on a free port with a real engine per session; closed when the test ends. */
export async function startEndpoint(options: UnderTestOptions = {}): Promise<EndpointUnderTest> {
  const served: ServedSession[] = [];
  const ended: { sessionId: string; why: string }[] = [];
  const cancelled: string[] = [];
  const held = new Map<string, () => void>();
  const logLines: { level: string; message: string; fields: LogFields | undefined }[] = [];
  const platform = createNodePlatform();
  const given: EndpointOptions = {
    port: options.port ?? 0,
    tokens: { any: token, ...options.tokens },
    tokenHeaders: ["x-claude-code-ide-authorization"],
    sessionKey: options.sessionKey ?? "key",
    clock: options.clock ?? platform.clock,
    random: platform.random,
    logger: collectLog(logLines),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
    acceptor: {
      recognise: async ({ transport }) => (transport === "websocket" ? "claude" : "gemini"),
      accept: async (connection) => {
        await options.beforeAccept?.();
        const { transport } = connection;
        const engine = createEngine(held, cancelled);
        await engine.connect(transport);
        const session = { connection, transport, engine };
        served.push(session);
        options.onServed?.(session);
      },
      ended: (sessionId, why) => ended.push({ sessionId, why }),
      mayForget: options.mayForget ?? (() => true),
    },
  };
  const endpoint = await listenEndpoint(given);
  onTestFinished(() => endpoint.close());
  return {
    endpoint,
    port: endpoint.address.port,
    token,
    url: new URL(`http://127.0.0.1:${endpoint.address.port}/mcp`),
    served,
    ended,
    held,
    cancelled,
    logLines,
    last: () => {
      const session = served.at(-1);
      if (session === undefined) throw new Error("No session has begun.");
      return session;
    },
  };
}

/** `echo` answers its text at once, `hold` when the test lets it go. */
function createEngine(held: Map<string, () => void>, cancelled: string[]): Server {
  const engine = new Server({ name: "under-test", version: "1.0.0" }, { capabilities: { tools: {} } });
  engine.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
  engine.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const text = String(params.arguments?.["text"]);
    signal.addEventListener("abort", () => cancelled.push(text));
    if (params.name === "throw") throw new Error("The tool broke.");
    if (params.name === "hold") await new Promise<void>((resolve) => held.set(text, resolve));
    return { content: [{ type: "text", text }] };
  });
  return engine;
}

function collectLog(lines: { level: string; message: string; fields: LogFields | undefined }[]): Logger {
  const level =
    (name: string) =>
    (message: string, fields?: LogFields): void => {
      lines.push({ level: name, message, fields });
    };
  return { debug: level("debug"), info: level("info"), warn: level("warn"), error: level("error") };
}
