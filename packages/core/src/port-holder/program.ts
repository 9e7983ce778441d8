import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { GuardOrder, HeldProposal, HolderVerdict, HoldOrder } from "./order.ts";

/** Modules of Node that the program is given. */
export interface HolderModules {
  readonly http: typeof import("node:http");
  readonly crypto: typeof import("node:crypto");
  readonly files: typeof import("node:fs");
  readonly exit: () => void;
}

/**
 * The program of a port holder. It goes on listening where a companion that went away listened, so that nobody else ever has the
 * port, and holds the streams of its agents open. The next companion asks for the port and has it at once; when none came, agents learn that nobody will
 * decide their proposals, and the port holder ends.
 *
 * Its source text is sent to a process of its own, so that it runs from every bundle: it uses its arguments and Node's
 * globals alone, nothing of this or another module, and no syntax that a bundler replaces by a helper.
 */
export function holdPort(modules: HolderModules, order: HoldOrder): void {
  const { http, crypto, files, exit } = modules;
  const handOverRetryMs = 500;
  const takeRetryMs = 50;
  const lastWordsMs = 1_000;
  const maximumBodyBytes = 1024 * 1024;
  const maximumHeld = 256;
  const hosts = new Set(
    ["127.0.0.1", "localhost", "[::1]", "host.docker.internal"].map((name) => `${name}:${order.address.port}`),
  );
  const waiting = new Map<string, HeldProposal[]>(
    order.sessions.map(({ sessionId, proposals }) => [sessionId, Array.from(proposals)]),
  );
  const streams = new Map<string, ServerResponse>();
  /** Attempts of agents that speak WebSocket. */
  const held = new Set<Duplex>();
  const told: HolderVerdict[] = [];
  let isTelling = false;
  /** Agents that wait for nothing are held longer, and the others with them. */
  let isStaying = order.idleUntil > order.tellAt;
  let isGivenBack = false;
  /** Nobody else had the port since the run that went away. */
  let isWithoutGap = order.descriptor !== undefined || process.platform === "win32";
  let lastEventId = 0;

  const digest = (text: string): Buffer => crypto.createHash("sha256").update(text).digest();
  const tokenDigests = order.tokens.map(digest);
  /** All are compared, so that the time does not tell which one it was. */
  const isToken = (shown: Buffer): boolean =>
    tokenDigests.filter((known) => crypto.timingSafeEqual(shown, known)).length > 0;
  const giveBackDigest = digest(order.giveBackSecret);

  const isOurs = (): boolean => {
    try {
      const note: unknown = JSON.parse(files.readFileSync(order.noteFile, "utf8"));
      return typeof note === "object" && note !== null && "ticket" in note && note.ticket === order.ticket;
    } catch {
      // The next run has taken the note away.
      return false;
    }
  };

  /** Written before the agent is told: what is told must never be open again. */
  const note = (verdicts: readonly HolderVerdict[]): boolean => {
    if (!isOurs()) return false;
    told.push(...verdicts);
    const random = crypto.randomBytes(16).toString("hex");
    const temporary = `${order.noteFile.replace(/[^/\\]*$/, "")}.patchbay-${process.pid}-${random}.tmp`;
    try {
      files.writeFileSync(temporary, JSON.stringify({ ticket: order.ticket, told, sessions: order.sessions }), {
        mode: 0o600,
        flag: "wx",
      });
      files.renameSync(temporary, order.noteFile);
      return true;
    } catch {
      // Without a note nothing is told: a proposal that the next run shows must not have been rejected.
      return false;
    }
  };

  const endStream = (sessionId: string, retryMs: number): void => {
    const stream = streams.get(sessionId);
    streams.delete(sessionId);
    stream?.end(`retry: ${retryMs}\n\n`);
  };

  const letGo = (): void => {
    for (const socket of Array.from(held)) socket.destroy();
  };

  const finish = (): void => {
    server.close(exit);
    letGo();
    // A reader that is stuck does not keep the process in being.
    setTimeout(exit, 500);
  };

  const tell = (sessionId: string): void => {
    const proposals = waiting.get(sessionId) ?? [];
    const stream = streams.get(sessionId);
    if (stream === undefined) return;
    if (isStaying) waiting.set(sessionId, []);
    else waiting.delete(sessionId);
    const events = proposals.map(({ id, rejection }) => {
      lastEventId = Math.max(lastEventId + 1, Date.now() * 1000);
      return { verdict: { proposalId: id, eventId: lastEventId }, text: `id: ${lastEventId}\ndata: ${rejection}\n\n` };
    });
    if (events.length > 0 && note(events.map(({ verdict }) => verdict)))
      for (const { text } of events) stream.write(text);
    if (!isStaying) endStream(sessionId, order.comeBackMs);
  };

  const tellAll = (): void => {
    isTelling = true;
    // A run that has taken the note and not the port listens elsewhere.
    isStaying &&= isOurs();
    for (const sessionId of Array.from(streams.keys())) tell(sessionId);
    if (!isStaying && !Array.from(waiting.values()).some((proposals) => proposals.length > 0)) finish();
  };

  const stopStaying = (): void => {
    if (!isStaying) return;
    isStaying = false;
    tellAll();
  };

  const answer = (response: ServerResponse, status: number, body?: unknown): void => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      connection: "close",
    };
    response.writeHead(status, headers).end(text);
  };

  const secretOf = (request: IncomingMessage): "agent" | "next-run" | undefined => {
    const names = request.rawHeaders.filter((_text, index) => index % 2 === 0).map((name) => name.toLowerCase());
    if (["host", "authorization", "mcp-session-id"].some((name) => names.filter((one) => one === name).length > 1))
      return undefined;
    const { authorization, host, origin } = request.headers;
    if (origin !== undefined || host === undefined || !hosts.has(host.toLowerCase())) return undefined;
    if (authorization === undefined || authorization.slice(0, 7).toLowerCase() !== "bearer ") return undefined;
    const shown = digest(authorization.slice(7).trim());
    const isAgent = isToken(shown);
    const isNextRun = crypto.timingSafeEqual(shown, giveBackDigest);
    return isAgent ? "agent" : isNextRun ? "next-run" : undefined;
  };

  const giveBack = (request: IncomingMessage, response: ServerResponse): void => {
    isGivenBack = true;
    const challenge = request.headers["patchbay-challenge"];
    if (isWithoutGap && typeof challenge === "string") {
      const proof = crypto.createHmac("sha256", order.proofKey).update(challenge, "utf8").digest("base64url");
      response.setHeader("patchbay-proof", proof);
    }
    const ended = (): void => {
      for (const sessionId of Array.from(streams.keys())) endStream(sessionId, handOverRetryMs);
      letGo();
      answer(response, 204);
    };
    // The listener is closed first: whoever has the answer can have the port. Who is in has a clean end, or would count as cut off.
    server.close(exit);
    setImmediate(ended);
    setTimeout(exit, lastWordsMs);
  };

  const openStream = (request: IncomingMessage, response: ServerResponse, sessionId: string): void => {
    endStream(sessionId, handOverRetryMs);
    response.shouldKeepAlive = false;
    response.on("error", () => undefined);
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "mcp-session-id": sessionId,
    });
    response.write(`retry: ${handOverRetryMs}\n\n`);
    // Clients name the last event of the stream before only: what an agent has must stand on this one too, or the next run tells it again.
    const has = Number(request.headers["last-event-id"]);
    if (Number.isSafeInteger(has) && has > 0 && has < Number.MAX_SAFE_INTEGER / 2) {
      lastEventId = Math.max(lastEventId, has);
      response.write(`id: ${has}\ndata: {"jsonrpc":"2.0","method":"patchbay/away"}\n\n`);
    }
    streams.set(sessionId, response);
    request.socket.once("close", () => {
      if (streams.get(sessionId) === response) streams.delete(sessionId);
    });
    if (isGivenBack) endStream(sessionId, handOverRetryMs);
    else if (isTelling) {
      tell(sessionId);
      tellAll();
    }
  };

  /** The user has answered in the terminal: the agent asks for the text of the view, which is gone, and goes on without. */
  const closeDiff = (sessionId: string, path: unknown): void => {
    const proposals = waiting.get(sessionId) ?? [];
    const decided = proposals.filter((proposal) => proposal.path === path);
    if (decided.length === 0) return;
    waiting.set(
      sessionId,
      proposals.filter((proposal) => proposal.path !== path),
    );
    note(decided.map(({ id }) => ({ proposalId: id, eventId: 0 })));
  };

  const member = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

  const take = (response: ServerResponse, sessionId: string, text: string): void => {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      answer(response, 400);
      return;
    }
    const id = member(message, "id");
    if (id === undefined) {
      answer(response, 202);
      return;
    }
    const parameters = member(message, "params");
    if (member(message, "method") === "tools/call" && member(parameters, "name") === "closeDiff") {
      closeDiff(sessionId, member(member(parameters, "arguments"), "filePath"));
      const content = [{ type: "text", text: "The editor is closed." }];
      answer(response, 200, { jsonrpc: "2.0", id, result: { content, isError: true } });
    } else answer(response, 200, { jsonrpc: "2.0", id, error: { code: -32000, message: "The editor is closed." } });
  };

  const post = (request: IncomingMessage, response: ServerResponse, sessionId: string): void => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maximumBodyBytes) request.destroy();
      else chunks.push(chunk);
    });
    request.on("end", () => take(response, sessionId, Buffer.concat(chunks).toString("utf8")));
    request.on("error", () => undefined);
  };

  const server = http.createServer(
    { requireHostHeader: false, headersTimeout: 2_000, requestTimeout: 5_000 },
    (request, response) => {
      const who = secretOf(request);
      const sessionId = request.headers["mcp-session-id"];
      if (who === undefined) answer(response, 401);
      else if (who === "next-run") {
        if (request.method === "POST" && request.url === "/give-back") giveBack(request, response);
        else answer(response, 404);
      } else if (request.url !== "/mcp" || typeof sessionId !== "string" || !waiting.has(sessionId))
        answer(response, 503);
      else if (request.method === "GET") openStream(request, response, sessionId);
      else if (request.method === "POST") post(request, response, sessionId);
      else answer(response, 405);
    },
  );
  /** Each dialect that speaks WebSocket shows the token in a header of its own. */
  const isAgents = ({ headers: { origin, host, ...others } }: IncomingMessage): boolean =>
    origin === undefined &&
    host !== undefined &&
    hosts.has(host.toLowerCase()) &&
    Object.values(others).some((value) => typeof value === "string" && isToken(digest(value)));

  // Whoever is cut off tries again after longer and longer times, and then no more. An attempt that gets no answer yet costs none of
  // them, and the one after it comes soon after the next run (docs/protocols/claude.md).
  server.on("upgrade", (request, socket) => {
    socket.on("error", () => undefined);
    if (isGivenBack || (isTelling && !isStaying) || held.size >= maximumHeld || !isAgents(request)) {
      socket.destroy();
      return;
    }
    held.add(socket);
    socket.on("close", () => held.delete(socket));
  });
  const takePort = (): void => {
    if (isOurs()) server.listen({ host: "127.0.0.1", port: order.address.port, exclusive: true });
    else exit();
  };
  // Without a descriptor the port is first the run's that is just ending, and then whoever's that is fastest.
  server.on("error", () => {
    if (order.descriptor !== undefined) isWithoutGap = false;
    setTimeout(takePort, takeRetryMs);
  });
  if (!isOurs()) exit();
  else if (order.descriptor === undefined) takePort();
  else server.listen({ fd: order.descriptor });
  // Node warns of a time that has passed.
  const until = (time: number): number => Math.max(0, time - Date.now());
  setTimeout(tellAll, until(order.tellAt));
  setTimeout(stopStaying, until(order.idleUntil));
  setTimeout(exit, until(order.endAt));
}

const modules = `{http:require("node:http"),crypto:require("node:crypto"),files:require("node:fs"),exit:()=>process.exit()}`;

/** The port holder as a program in one text, for a Node that reads it from its standard input. */
export function portHolderProgram(order: HoldOrder): string {
  return `(${holdPort.toString()})(${modules},${JSON.stringify(order)})\n`;
}

/** The guardian as an expression for `Processes.startAttached`. */
export function guardianProgram(): string {
  return `(${standGuard.toString()})(()=>(${modules}),${holdPort.toString()},()=>process.exit())`;
}

/** Says to a guardian that it has nothing to do any more. */
export const dismissal = "";

/**
 * The program of a guardian: a port holder that waits for the end of the run, which it hears as the end of the pipe. Sent as its
 * source text, like `holdPort`.
 */
function standGuard(
  load: () => HolderModules,
  run: (modules: HolderModules, order: HoldOrder) => void,
  exit: () => void,
): (line: string | undefined) => void {
  let order: GuardOrder | undefined;
  return (line) => {
    if (line === "") exit();
    else if (line !== undefined) order = JSON.parse(line);
    else if (order === undefined) exit();
    else {
      const now = Date.now();
      const idleUntil = now + order.listenMs;
      run(load(), { ...order, tellAt: now + order.holdMs, idleUntil, endAt: idleUntil + order.stragglersMs });
    }
  };
}
