import { mkdirSync, writeFileSync } from "node:fs";
import type { AgentId } from "@patchbay/core";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { WebSocketServer } from "ws";

/** A companion that says what a test tells it to say, right or wrong. */
export interface ScriptedCompanion {
  readonly port: number;
  /** Messages received, in order. */
  readonly received: readonly Message[];
  /** Sends a notification on every open stream and socket. */
  notify(method: string, params: unknown): void;
  /** Writes a record for one agent, as this companion or another would. */
  record(agent: AgentId, content: Readonly<Record<string, unknown>>, name?: string): string;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly arguments?: Readonly<Record<string, unknown>> };
}

export interface ScriptedCompanionOptions {
  readonly home: string;
  readonly tmp: string;
  readonly workspace: string;
  /** Answers to tools/call, by tool: the text parts, an `isError` sentence, or silence. */
  readonly answers?: Readonly<Record<string, readonly string[] | { readonly error: string } | "silence">>;
  /** Tools that are listed. */
  readonly tools?: readonly string[];
  /** Sent over a WebSocket as soon as it opens. */
  readonly onOpen?: readonly { readonly method: string; readonly params: unknown }[];
}

export async function listenScriptedCompanion(options: ScriptedCompanionOptions): Promise<ScriptedCompanion> {
  const { home, tmp, workspace, answers = {}, tools = ["openDiff", "closeDiff"], onOpen = [] } = options;
  const received: Message[] = [];
  const streams = new Set<ServerResponse>();
  const answer = ({ id, method, params }: Message): string | undefined => {
    const result = (value: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result: value });
    if (method === "initialize") {
      const serverInfo = { name: "scripted", version: "1" };
      return result({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
    }
    if (method === "tools/list")
      return result({ tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) });
    if (method !== "tools/call") return result({});
    const given = answers[params?.name ?? ""] ?? [];
    if (given === "silence") return undefined;
    if ("error" in given) return result({ isError: true, content: [{ type: "text", text: given.error }] });
    return result({ content: given.map((text) => ({ type: "text", text })) });
  };
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      streams.add(response);
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const message: Message = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      received.push(message);
      const text = message.id === undefined ? undefined : answer(message);
      response.writeHead(text === undefined ? 202 : 200, {
        "content-type": "application/json",
        "mcp-session-id": "scripted-session",
      });
      response.end(text);
    });
  });
  const sockets = new WebSocketServer({ server, handleProtocols: () => "mcp" });
  sockets.on("connection", (socket) => {
    for (const note of onOpen) socket.send(JSON.stringify({ jsonrpc: "2.0", ...note }));
    socket.on("message", (data: Buffer) => {
      const message: Message = JSON.parse(data.toString("utf8"));
      received.push(message);
      const text = message.id === undefined ? undefined : answer(message);
      if (text !== undefined) socket.send(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    received,
    notify: (method, params) => {
      const text = JSON.stringify({ jsonrpc: "2.0", method, params });
      for (const stream of streams) stream.write(`event: message\ndata: ${text}\n\n`);
      for (const socket of sockets.clients) socket.send(text);
    },
    record: (agent, content, name) => {
      // As real companions write them: a driver that took its places from core would find these all the same.
      const places: Readonly<Partial<Record<AgentId, readonly [directory: string, fileName: string]>>> = {
        gemini: [join(tmp, "gemini", "ide"), `gemini-ide-server-${process.pid}-${port}.json`],
        qwen: [join(home, ".qwen", "ide"), `${port}.lock`],
        claude: [join(home, ".claude", "ide"), `${port}.lock`],
      };
      const [directory, fileName] = places[agent] ?? [];
      if (directory === undefined || fileName === undefined) throw new Error(`Nothing is known of ${agent}'s records.`);
      mkdirSync(directory, { recursive: true });
      const path = join(directory, name ?? fileName);
      const ideInfo = { name: "scripted", displayName: "Scripted" };
      const common = { port, workspacePath: workspace, authToken: "t", ideInfo, ppid: process.pid };
      const claude = {
        pid: process.pid,
        workspaceFolders: [workspace],
        ideName: "Scripted",
        transport: "ws",
        authToken: "t",
      };
      writeFileSync(path, JSON.stringify({ ...(agent === "claude" ? claude : common), ...content }));
      return path;
    },
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
