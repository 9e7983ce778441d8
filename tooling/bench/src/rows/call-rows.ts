import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentClient } from "../client/agent-client.ts";
import type { SubjectProcess } from "../client/subject-process.ts";
import { cpuOf, type Measurement, median, pause } from "./row.ts";

const warmUpRounds = 500;

/** How long calls are counted for, ms. */
const windowMs = 1_000;

/** Who gets no answer in this time is not served, ms. */
const servedWithinMs = 2_000;

/** A proposal is written down a fifth of a second after it came; what that costs belongs to it, ms. */
const aftermathMs = 600;

/** What a call costs, alone, in numbers, and with large texts. */
export const callRows: readonly Measurement[] = [
  {
    rows: [
      { name: "openDiff round trip, p50", unit: "ms", goal: { ratio: 0.75 } },
      { name: "closeDiff round trip, p50", unit: "ms", goal: { ratio: 0.75 } },
      { name: "server's CPU of one call (openDiff and closeDiff in turn)", unit: "µs", goal: { ratio: 0.65 } },
    ],
    measure: (subject, folder) =>
      withClient(subject, async (client) => {
        const opens: number[] = [];
        const closes: number[] = [];
        for (let round = 0; round < warmUpRounds; round += 1) await openAndClose(client, folder, round);
        const rounds = 500;
        const cpu = await cpuOf(subject, async () => {
          for (let round = 0; round < rounds; round += 1) {
            const [open, close] = await openAndClose(client, folder, round);
            opens.push(open);
            closes.push(close);
          }
        });
        return [median(opens), median(closes), (cpu * 1_000) / (rounds * 2)];
      }),
  },
  ...[
    { name: "a review that is over at once, ten a second", openMs: 0, everyMs: 100, count: 50 },
    { name: "a review of 300 ms", openMs: 300, everyMs: 350, count: 20 },
    { name: "a review of 2 s", openMs: 2_000, everyMs: 0, count: 5 },
  ].map(
    ({ name, openMs, everyMs, count }): Measurement => ({
      rows: [{ name: `server's CPU of ${name}`, unit: "µs", goal: { ratio: 1 } }],
      measure: (subject, folder) =>
        withClient(subject, async (client) => {
          const reviews = async (many: number): Promise<void> => {
            for (let round = 0; round < many; round += 1) {
              const start = performance.now();
              const path = fileFor(folder, round);
              await client.openDiff(path, `export const round = ${round};\n`);
              if (openMs > 0) await pause(openMs);
              await client.closeDiff(path);
              await pause(Math.max(0, everyMs - (performance.now() - start)));
            }
          };
          for (let round = 0; round < warmUpRounds; round += 1) await openAndClose(client, folder, round);
          await reviews(Math.ceil(count / 5));
          await pause(aftermathMs);
          const cpu = await cpuOf(subject, async () => {
            await reviews(count);
            await pause(aftermathMs);
          });
          return [(cpu * 1_000) / count];
        }),
    }),
  ),
  ...[
    { sessions: 1, ratio: 2 },
    { sessions: 8, ratio: 5 },
    { sessions: 32, ratio: 5 },
  ].map(({ sessions, ratio }): Measurement => {
    const name = `${sessions} session${sessions === 1 ? "" : "s"}`;
    return {
      rows: [
        { name: `calls per second, ${name}`, unit: "/s", higherIsBetter: true, goal: { ratio } },
        { name: `sessions without an answer, of ${name}`, unit: "", goal: { figure: 0 } },
      ],
      measure: async (subject, folder) => {
        const clients: AgentClient[] = [];
        for (let index = 0; index < sessions; index += 1) clients.push(await connect(subject, servedWithinMs));
        await callFor(clients, folder, windowMs / 3);
        const { calls, unserved } = await callFor(clients, folder, windowMs);
        for (const client of clients) client.end();
        return [calls / (windowMs / 1_000), unserved];
      },
    };
  }),
  ...[
    { megabytes: 1, goal: { ratio: 1 } },
    { megabytes: 10, goal: { ratio: 1 } },
    { megabytes: 50, goal: { figure: 1_500 } },
  ].map(
    ({ megabytes, goal }): Measurement => ({
      rows: [
        { name: `openDiff of ${megabytes} MB`, unit: "ms", goal },
        { name: `longest block of the event loop by ${megabytes} MB`, unit: "ms", goal: { figure: 50 } },
      ],
      measure: (subject, folder) =>
        withClient(subject, async (client) => {
          for (let round = 0; round < 10; round += 1) await openAndClose(client, folder, round);
          const text = "a line of text, as long as many are\n".repeat(Math.ceil((megabytes * 1e6) / 36));
          let took = 0;
          const longest = await subject.longestBlock(async () => {
            const before = performance.now();
            await client.openDiff(join(folder, "large.txt"), text);
            took = performance.now() - before;
            await pause(aftermathMs);
          });
          return [took, longest];
        }),
    }),
  ),
];

/** Calls as fast as answers come, for some time. */
async function callFor(
  clients: readonly AgentClient[],
  folder: string,
  ms: number,
): Promise<{ readonly calls: number; readonly unserved: number }> {
  const end = performance.now() + ms;
  const counts = await Promise.all(
    clients.map(async (client, index) => {
      let calls = 0;
      for (let round = 0; performance.now() < end; round += 1) {
        try {
          await openAndClose(client, folder, index * 10_000 + round);
        } catch {
          // Not served: the session counts as that, and is not asked again.
          break;
        }
        if (performance.now() < end) calls += 2;
      }
      return calls;
    }),
  );
  return {
    calls: counts.reduce((sum, count) => sum + count, 0),
    unserved: counts.filter((count) => count === 0).length,
  };
}

/** A file that is there, as the files of most proposals are. */
function fileFor(folder: string, round: number): string {
  const path = join(folder, `file-${round % 50}.ts`);
  if (!existsSync(path)) writeFileSync(path, "export const round = -1;\n");
  return path;
}

/** One round, with the times of both calls, ms. */
async function openAndClose(client: AgentClient, folder: string, round: number): Promise<readonly [number, number]> {
  const path = fileFor(folder, round);
  const start = performance.now();
  await client.openDiff(path, `export const round = ${round};\n`);
  const opened = performance.now();
  await client.closeDiff(path);
  return [opened - start, performance.now() - opened];
}

async function connect(subject: SubjectProcess, answerMs?: number): Promise<AgentClient> {
  const client = new AgentClient(subject.port, subject.token, answerMs);
  await client.initialize();
  await client.openStream();
  return client;
}

async function withClient<T>(subject: SubjectProcess, work: (client: AgentClient) => Promise<T>): Promise<T> {
  const client = await connect(subject);
  try {
    return await work(client);
  } finally {
    client.end();
  }
}
