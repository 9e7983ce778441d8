import { join } from "node:path";
import { AgentClient } from "../client/agent-client.ts";
import { MessageSocket, readLockFile } from "../client/web-socket-message.ts";
import { ownSubject } from "../report/results.ts";
import { blocked, ms, part } from "./ledger-rows.ts";
import { type Measurement, pause } from "./row.ts";

/** A proposal is written down a fifth of a second after it came; what that costs belongs to it, ms. */
const aftermathMs = 1_000;

/** A little below the most that is taken. */
const messageBytes = 65_000_000;

const members = 400_000;

/** For how long odd and long inputs keep the editor's event loop; no other companion takes most of them. */
export const blockRows: readonly Measurement[] = [
  part("blocks", {
    acceptMs: ms("4 MB of empty CRLF lines, edited: accepted"),
    acceptBlockedMs: blocked("that accept"),
    keyBlockedMs: blocked("a key in a review of 5 MB"),
    mergeMs: ms("a file of 100,000 lines, a third of them changed on both sides: merged"),
    mergeBlockedMs: blocked("that merge"),
  }),
  {
    rows: [blocked(`a message with ${members.toLocaleString("en")} JSON keys`)],
    subjects: [ownSubject],
    measure: async (subject, folder) => {
      const client = new AgentClient(subject.port, subject.token);
      await client.initialize();
      const keys = Object.fromEntries(Array.from({ length: members }, (_, index) => [`key${index}`, index]));
      const proposal = { filePath: join(folder, "keys.txt"), newContent: "", ...keys };
      const longest = await subject.longestBlock(async () => {
        // Refused or not: what counts is how long everything else waits.
        await client.call("tools/call", { name: "openDiff", arguments: proposal }).catch(() => "");
        await pause(aftermathMs);
      });
      client.end();
      return [longest];
    },
  },
  {
    rows: [ms("a proposal of 65 MB over a WebSocket, until it is shown"), blocked("that message")],
    subjects: [ownSubject],
    measure: async (subject, folder) => {
      const socket = await MessageSocket.open(readLockFile(subject.start.home ?? ""));
      const call = (id: number, method: string, params: object): string =>
        JSON.stringify({ jsonrpc: "2.0", id, method, params });
      const about = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
      socket.send(call(1, "initialize", about));
      await socket.next();
      const path = join(folder, "message.txt");
      const text = "a line of text, as long as many are\n".repeat(messageBytes / 38);
      const names = { old_file_path: path, new_file_path: path, tab_name: "message" };
      const message = call(2, "tools/call", { name: "openDiff", arguments: { ...names, new_file_contents: text } });
      let took = 0;
      const longest = await subject.longestBlock(async () => {
        const before = performance.now();
        socket.send(message);
        await subject.tell({ do: "reviews", count: 1 });
        took = performance.now() - before;
        await pause(aftermathMs);
      });
      socket.end();
      return [took, longest];
    },
  },
];
