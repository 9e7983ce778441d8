import { join } from "node:path";
import { AgentClient } from "../client/agent-client.ts";
import { countTimersVariable } from "../subjects/count-timers.ts";
import { debounceMs, follow, followMany } from "./follow.ts";
import { cpuBeyondCommands, cpuOf, type Measurement, pause } from "./row.ts";

const idleMs = 5_000;

/** What stays: of agents that end without a goodbye, as all of them do, of diffs and moves, and while nothing happens. */
export const restRows: readonly Measurement[] = [
  {
    rows: [
      { name: "memory left by 1,000 connects and disconnects", unit: "MB", goal: { figure: 20 } },
      { name: "timers left by 1,000 connects and disconnects", unit: "", goal: { figure: 0 } },
    ],
    environment: { [countTimersVariable]: "1" },
    measure: async (subject) => {
      await comeAndGo(subject.port, subject.token, 40);
      await pause(200);
      const before = await subject.stats();
      await comeAndGo(subject.port, subject.token, 1_000);
      await pause(200);
      const after = await subject.stats();
      return [(after.heap - before.heap) / 1e6, after.timers - before.timers];
    },
  },
  {
    rows: [{ name: "CPU of one update after 2,000 dead agents", unit: "ms", goal: { figure: 1 } }],
    measure: async (subject, folder) => {
      const client = await follow(subject, folder);
      await comeAndGo(subject.port, subject.token, 2_000);
      await pause(500);
      const rounds = 20;
      const pauseMs = debounceMs * 2;
      const cpu = await cpuBeyondCommands(subject, { count: rounds, pauseMs }, async () => {
        for (let round = 0; round < rounds; round += 1) {
          await subject.tell({ do: "cursor", line: round, character: round + 1, repeat: 1 });
          await pause(pauseMs);
        }
      });
      client.end();
      return [cpu / rounds];
    },
  },
  {
    rows: [
      { name: "CPU of a second with 8 agents and the user away", unit: "ms", goal: { figure: 1 } },
      { name: "timers standing then", unit: "", goal: { figure: 1 } },
    ],
    environment: { [countTimersVariable]: "1" },
    measure: async (subject, folder) => {
      const clients = await followMany(subject, folder, 8);
      await pause(1_500);
      const cpu = await cpuOf(subject, () => pause(idleMs));
      const { timers } = await subject.stats();
      for (const client of clients) client.end();
      return [cpu / (idleMs / 1_000), timers];
    },
  },
  {
    rows: [{ name: "memory left by 10,000 diffs", unit: "MB", goal: { figure: 5 } }],
    measure: async (subject, folder) => {
      const client = await follow(subject, folder);
      const path = join(folder, "open.ts");
      const rounds = async (count: number): Promise<void> => {
        for (let round = 0; round < count; round += 1) {
          await client.openDiff(path, `export const round = ${round};\n`);
          await client.closeDiff(path);
        }
      };
      await rounds(1_000);
      const before = await subject.stats();
      await rounds(10_000);
      const left = (await subject.stats()).heap - before.heap;
      client.end();
      return [left / 1e6];
    },
  },
  {
    rows: [{ name: "memory left by 100,000 cursor moves", unit: "MB", goal: { figure: 5 } }],
    measure: async (subject, folder) => {
      if (subject.start.hasCursor === false) return [];
      const client = await follow(subject, folder);
      const move = async (count: number): Promise<void> => {
        for (let burst = 0; burst < count; burst += 1) {
          await subject.tell({ do: "cursor", line: 0, character: burst, repeat: 1_000 });
          await pause(10);
        }
        await pause(debounceMs * 3);
      };
      await move(10);
      const before = await subject.stats();
      await move(100);
      const left = (await subject.stats()).heap - before.heap;
      client.end();
      return [left / 1e6];
    },
  },
];

/** Agents that connect and are gone. */
async function comeAndGo(port: number, token: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const client = new AgentClient(port, token);
    await client.initialize();
    await client.openStream();
    client.end();
  }
}
