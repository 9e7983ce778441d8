import { type IncomingMessage, request } from "node:http";
import { errorCodeOf } from "../support/errors.ts";
import { Patience } from "./patience.ts";

/** How a connection as an agent makes it went. */
export type SessionTrial =
  /** It was let in and answered. */
  | "opened"
  /** Somebody answers who does not take the token. */
  | "refused"
  /** It is one of ours, and serves as many agents as it can. */
  | "full"
  /** The connection was accepted and nothing was answered: a stopped process, or a very busy one. */
  | "silent"
  /** Nobody listens. */
  | "nobody"
  /** Somebody answers who is no companion. */
  | "other-program";

export interface TrialOptions {
  readonly port: number;
  readonly token: string | undefined;
  /** `hook`: the agent has no session, and asks by its hook alone. */
  readonly transport: "streamable-http" | "websocket" | "hook";
  /** The header in which the token is shown over a WebSocket; default: `authorization`. */
  readonly tokenHeader?: string | undefined;
  /** How long to wait for the answer, ms. */
  readonly timeoutMs?: number;
}

/**
 * How long to wait for an answer, ms; longer than a busy editor takes. Agents wait longer still (docs/diagnosis.md), and a person who asks
 * is not to wait so long for an editor that hangs.
 */
export const answerMs = 6_000;

/** Who answers on a port. */
export interface PortAnswer {
  readonly state: "answers" | "silent" | "nobody";
  /** How long that took, or was waited for, ms. */
  readonly waitedMs: number;
}
/** An answer to initialize is far shorter, in UTF-16 units. */
const longestAnswer = 262_144;
const host = "127.0.0.1";

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "patchbay-doctor", version: "1.0.0" },
  },
});

/** Opens a session with a companion as an agent does, and ends it. Never rejects. */
export async function trySession(options: TrialOptions): Promise<SessionTrial> {
  if (options.transport === "websocket") return await tryWebSocket(options);
  return options.transport === "hook" ? await tryHook(options) : await tryHttp(options);
}

/** Whether anybody answers a request on a port; a companion refuses this one, as it has no token. Never rejects. */
export async function probePort(port: number, timeoutMs: number = answerMs): Promise<PortAnswer> {
  const answer = await ask({ port, path: "/mcp", method: "GET", headers: {}, body: undefined, timeoutMs });
  const { kind, waitedMs } = answer;
  return { state: kind === "answer" || kind === "nonsense" ? "answers" : kind, waitedMs };
}

type Answer = { readonly waitedMs: number } & Reply;

type Reply =
  | { readonly kind: "answer"; readonly status: number; readonly sessionId: string | undefined; readonly text: string }
  | { readonly kind: "silent" | "nobody" | "nonsense" };

interface Question {
  readonly port: number;
  readonly path: "/mcp" | "/hook";
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly timeoutMs: number;
}

/** An event that says nothing: whoever knows hooks has no opinion. */
async function tryHook({ port, token, timeoutMs = answerMs }: TrialOptions): Promise<SessionTrial> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    "content-type": "application/json",
  };
  const answer = await ask({ port, path: "/hook", method: "POST", headers, body: "{}", timeoutMs });
  if (answer.kind !== "answer") return answer.kind === "nonsense" ? "other-program" : answer.kind;
  const { status, text } = answer;
  return status === 200 && /"state"\s*:\s*"none"/u.test(text) ? "opened" : verdictOn(status);
}

async function tryHttp({ port, token, timeoutMs = answerMs }: TrialOptions): Promise<SessionTrial> {
  const authorization: Readonly<Record<string, string>> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = {
    ...authorization,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  const answer = await ask({ port, path: "/mcp", method: "POST", headers, body: initialize, timeoutMs });
  if (answer.kind !== "answer") return answer.kind === "nonsense" ? "other-program" : answer.kind;
  const { status, sessionId, text } = answer;
  if (sessionId !== undefined) {
    const ended = { ...authorization, "mcp-session-id": sessionId, "mcp-protocol-version": "2025-06-18" };
    await ask({ port, path: "/mcp", method: "DELETE", headers: ended, body: undefined, timeoutMs });
  }
  if (status === 200 && isWelcome(text)) return "opened";
  return verdictOn(status);
}

async function tryWebSocket(options: TrialOptions): Promise<SessionTrial> {
  const { port, token, tokenHeader, timeoutMs = answerMs } = options;
  const shown = (shownToken: string): Readonly<Record<string, string>> =>
    tokenHeader === undefined ? { authorization: `Bearer ${shownToken}` } : { [tokenHeader]: shownToken };
  const { WebSocket } = await import("ws");
  return await new Promise((resolve) => {
    const socket = new WebSocket(`ws://${host}:${port}/`, ["mcp"], {
      headers: token === undefined ? {} : shown(token),
      perMessageDeflate: false,
      maxPayload: longestAnswer,
    });
    const end = (trial: SessionTrial): void => {
      patience.dispose();
      resolve(trial);
      socket.close();
      // Whoever does not answer the goodbye is left.
      setTimeout(() => socket.terminate(), 200).unref();
    };
    const patience = new Patience(timeoutMs, () => end("silent"));
    socket.on("open", () => socket.send(initialize));
    socket.on("message", (data, isBinary) => {
      if (!isBinary && Buffer.isBuffer(data) && isWelcome(data.toString("utf8"))) end("opened");
    });
    socket.on("unexpected-response", (_request, response) => end(verdictOn(response.statusCode ?? 0)));
    socket.on("close", (code) => end(code === 1013 ? "full" : "other-program"));
    socket.on("error", (error) => end(errorCodeOf(error) === "ECONNREFUSED" ? "nobody" : "other-program"));
  });
}

function verdictOn(status: number): SessionTrial {
  if (status === 401 || status === 403) return "refused";
  return status === 503 ? "full" : "other-program";
}

/** Whether a text, plain or as an event of a stream, holds the answer to initialize. */
function isWelcome(text: string): boolean {
  return /"serverInfo"\s*:/u.test(text) && /"protocolVersion"\s*:/u.test(text);
}

async function ask(question: Question): Promise<Answer> {
  const { port, path, method, headers, body, timeoutMs } = question;
  return await new Promise((resolve) => {
    const end = (reply: Reply): void => {
      patience.dispose();
      resolve({ ...reply, waitedMs: patience.waitedMs });
      outgoing.destroy();
    };
    const outgoing = request({ host, port, method, path, headers, agent: false });
    const patience = new Patience(timeoutMs, () => end({ kind: "silent" }));
    outgoing.on("response", (response) => {
      const status = response.statusCode ?? 0;
      const told = response.headers["mcp-session-id"];
      const sessionId = typeof told === "string" ? told : undefined;
      readAnswer(response, (text) => end({ kind: "answer", status, sessionId, text }));
    });
    outgoing.on("error", (error) => {
      const code = errorCodeOf(error);
      end({ kind: code === "ECONNREFUSED" ? "nobody" : "nonsense" });
    });
    outgoing.end(body);
  });
}

/** A stream of events stays open behind the answer: what has come is looked at with each piece. */
function readAnswer(response: IncomingMessage, done: (text: string) => void): void {
  let text = "";
  response.setEncoding("utf8");
  response.on("data", (piece: string) => {
    text += piece;
    if (isWelcome(text) || text.length > longestAnswer) done(text);
  });
  response.on("end", () => done(text));
  response.on("error", () => done(text));
}
