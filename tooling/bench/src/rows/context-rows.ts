import { join } from "node:path";
import { AgentClient } from "../client/agent-client.ts";
import type { SubjectProcess } from "../client/subject-process.ts";
import { cpuOf, median, pause, type Row } from "./row.ts";

/** Debounce that every subject has, ms; taken off. */
const debounceMs = 50;

/** What a cursor move and an update cost. */
export const contextRows: readonly Row[] = [
  {
    name: "context update beyond the debounce, p50",
    unit: "ms",
    lowerIsBetter: true,
    measure: async (subject, folder) => {
      const client = await follow(subject, folder, "text\n");
      const times: number[] = [];
      for (let round = 0; round < 25; round += 1) {
        const seen = client.events;
        const before = performance.now();
        await subject.tell({ do: "cursor", line: 0, character: round + 1, repeat: 1 });
        await client.received(seen + 1);
        times.push(performance.now() - before - debounceMs);
      }
      client.end();
      return median(times);
    },
  },
  ...[
    { what: "nothing selected", bytes: 0 },
    { what: "16 KB selected", bytes: 16_384 },
    { what: "5 MB selected", bytes: 5_000_000 },
  ].map(
    ({ what, bytes }): Row => ({
      name: `CPU of 10,000 cursor moves, ${what}`,
      unit: "ms",
      lowerIsBetter: true,
      measure: async (subject, folder) => {
        const client = await follow(subject, folder, "x".repeat(Math.max(bytes, 10_000)));
        const cpu = await cpuOf(subject, async () => {
          for (let burst = 0; burst < 10; burst += 1) {
            await subject.tell({ do: "cursor", line: 0, character: 0, repeat: 1_000 });
            if (bytes > 0) await subject.tell({ do: "select", bytes: bytes - burst });
            await pause(debounceMs * 2);
          }
        });
        client.end();
        return cpu;
      },
    }),
  ),
  {
    name: "one update to 100 agents, until the last has it",
    unit: "ms",
    lowerIsBetter: true,
    measure: async (subject, folder) => {
      const clients = await followMany(subject, folder, 100);
      const times: number[] = [];
      for (let round = 0; round < 8; round += 1) {
        const seen = clients.map((client) => client.events);
        const before = performance.now();
        await subject.tell({ do: "cursor", line: 0, character: round + 1, repeat: 1 });
        await Promise.all(clients.map((client, index) => client.received((seen[index] ?? 0) + 1)));
        times.push(performance.now() - before - debounceMs);
      }
      for (const client of clients) client.end();
      return median(times);
    },
  },
  {
    name: "CPU of one update to 100 agents",
    unit: "ms",
    lowerIsBetter: true,
    measure: async (subject, folder) => {
      const clients = await followMany(subject, folder, 100);
      const rounds = 10;
      const cpu = await cpuOf(subject, async () => {
        for (let round = 0; round < rounds; round += 1) {
          const seen = clients.map((client) => client.events);
          await subject.tell({ do: "cursor", line: 0, character: round + 1, repeat: 1 });
          await Promise.all(clients.map((client, index) => client.received((seen[index] ?? 0) + 1)));
        }
      });
      for (const client of clients) client.end();
      return cpu / rounds;
    },
  },
];

async function follow(subject: SubjectProcess, folder: string, text: string): Promise<AgentClient> {
  const [client] = await followMany(subject, folder, 1, text);
  if (client === undefined) throw new Error("No client.");
  return client;
}

async function followMany(
  subject: SubjectProcess,
  folder: string,
  count: number,
  text = "text\n",
): Promise<readonly AgentClient[]> {
  await subject.tell({ do: "open", path: join(folder, "open.ts"), text });
  const clients: AgentClient[] = [];
  for (let index = 0; index < count; index += 1) {
    const client = new AgentClient(subject.port, subject.token);
    await client.initialize();
    await client.openStream();
    await client.received(1);
    clients.push(client);
  }
  // A last update may be on its way.
  await pause(debounceMs * 3);
  return clients;
}
