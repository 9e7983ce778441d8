import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentClient } from "../client/agent-client.ts";
import type { SubjectProcess } from "../client/subject-process.ts";
import { cpuOf, median, type Row } from "./row.ts";

const warmUp = 50;

/** What a call costs, alone, in numbers, and with large texts. */
export const callRows: readonly Row[] = [
  {
    name: "openDiff and closeDiff, p50 of one call",
    unit: "ms",
    lowerIsBetter: true,
    measure: (subject, folder) =>
      withClient(subject, async (client) => {
        const times: number[] = [];
        for (let round = 0; round < 300; round += 1) {
          const before = performance.now();
          await oneRound(client, folder, round);
          times.push((performance.now() - before) / 2);
        }
        return median(times.slice(warmUp));
      }),
  },
  {
    name: "server CPU of one call",
    unit: "µs",
    lowerIsBetter: true,
    measure: (subject, folder) =>
      withClient(subject, async (client) => {
        for (let round = 0; round < 100; round += 1) await oneRound(client, folder, round);
        const rounds = 500;
        const cpu = await cpuOf(subject, async () => {
          for (let round = 0; round < rounds; round += 1) await oneRound(client, folder, round);
        });
        return (cpu * 1_000) / (rounds * 2);
      }),
  },
  ...[1, 8, 32].map(
    (sessions): Row => ({
      name: `calls per second, ${sessions} session${sessions === 1 ? "" : "s"}`,
      unit: "/s",
      lowerIsBetter: false,
      measure: async (subject, folder) => {
        const clients = await Promise.all(Array.from({ length: sessions }, () => connect(subject)));
        const each = Math.ceil(1_500 / sessions);
        const run = (count: number): Promise<unknown> =>
          Promise.all(
            clients.map(async (client, index) => {
              for (let round = 0; round < count; round += 1) await oneRound(client, folder, index * 10_000 + round);
            }),
          );
        await run(Math.ceil(each / 5));
        const before = performance.now();
        await run(each);
        const rate = (each * sessions * 2) / ((performance.now() - before) / 1_000);
        for (const client of clients) client.end();
        return rate;
      },
    }),
  ),
  ...[1, 10, 50].map(
    (megabytes): Row => ({
      name: `openDiff of ${megabytes} MB`,
      unit: "ms",
      lowerIsBetter: true,
      measure: (subject, folder) =>
        withClient(subject, async (client) => {
          await oneRound(client, folder, 0);
          const text = "a line of text, as long as many are\n".repeat(Math.ceil((megabytes * 1e6) / 36));
          const before = performance.now();
          await client.openDiff(join(folder, "large.txt"), text);
          return performance.now() - before;
        }),
    }),
  ),
];

async function oneRound(client: AgentClient, folder: string, round: number): Promise<void> {
  const path = join(folder, `file-${round % 50}.ts`);
  // A file that is there, as the files of most proposals are.
  if (!existsSync(path)) writeFileSync(path, "export const round = -1;\n");
  await client.openDiff(path, `export const round = ${round};\n`);
  await client.closeDiff(path);
}

async function connect(subject: SubjectProcess): Promise<AgentClient> {
  const client = new AgentClient(subject.port, subject.token);
  await client.initialize();
  await client.openStream();
  return client;
}

async function withClient(subject: SubjectProcess, work: (client: AgentClient) => Promise<number>): Promise<number> {
  const client = await connect(subject);
  try {
    return await work(client);
  } finally {
    client.end();
  }
}
