import { AgentClient } from "../client/agent-client.ts";
import { type Measurement, median } from "./row.ts";

/** What a start costs, and the first agents. */
export const startRows: readonly Measurement[] = [
  {
    rows: [
      { name: "code loaded at start", unit: "kB", goal: { figure: 100 } },
      { name: "all code but the panel, minified", unit: "kB", goal: { figure: 600 } },
      { name: "require()", unit: "ms", goal: { ratio: 0.06 } },
      { name: "memory added by start, no agent: resident", unit: "MB", goal: { figure: 10 } },
      { name: "memory added by start, no agent: heap and buffers", unit: "MB" },
      { name: "activation to listening with records written", unit: "ms" },
      { name: "main thread's time of that", unit: "ms", goal: { figure: 25 } },
      { name: "initialize, first session", unit: "ms", goal: { figure: 150 } },
      { name: "initialize, later sessions, p50", unit: "ms", goal: { ratio: 1 } },
    ],
    measure: async (subject) => {
      const { start } = subject;
      return [
        inThousands(start.loadedCode),
        inThousands(start.wholeCode),
        start.loadMs,
        inThousands(inThousands(start.addedRss)),
        inThousands(inThousands(start.addedHeap)),
        start.activationMs,
        start.activationCpuMs,
        await initialize(subject.port, subject.token),
        median((await initializeMany(subject.port, subject.token, 60)).slice(10)),
      ];
    },
  },
  {
    rows: [{ name: "stop with an agent connected", unit: "ms", goal: { figure: 100 } }],
    measure: async (subject) => {
      const client = new AgentClient(subject.port, subject.token);
      await client.initialize();
      await client.openStream();
      const stopMs = await subject.stop();
      client.end();
      return [stopMs];
    },
  },
];

async function initialize(port: number, token: string): Promise<number> {
  const client = new AgentClient(port, token);
  const before = performance.now();
  await client.initialize();
  const took = performance.now() - before;
  client.end();
  return took;
}

async function initializeMany(port: number, token: string, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) times.push(await initialize(port, token));
  return times;
}

function inThousands(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value / 1_000;
}
