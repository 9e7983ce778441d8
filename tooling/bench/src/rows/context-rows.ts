import type { AgentClient } from "../client/agent-client.ts";
import type { SubjectProcess } from "../client/subject-process.ts";
import { debounceMs, follow, followMany, lineWidth } from "./follow.ts";
import { cpuBeyondCommands, cpuOf, type Goal, type Measurement, median, pause } from "./row.ts";

/** Where so few moves take so much CPU (ms), all the others are reckoned from them. */
const fewMoves = 50;
const enoughCpuMs = 100;

/** What a cursor move and an update cost. */
export const contextRows: readonly Measurement[] = [
  {
    rows: [{ name: "context update beyond the debounce, p50", unit: "ms", goal: { ratio: 0.75 } }],
    measure: async (subject, folder) => {
      const client = await follow(subject, folder);
      const times: number[] = [];
      for (let round = 0; round < 30; round += 1) times.push((await update(subject, [client], round)) - debounceMs);
      client.end();
      return [median(times.slice(5))];
    },
  },
  moves({ what: "nothing selected", selected: 0, goal: { ratio: 1 } }),
  moves({ what: "16 KB selected", selected: 16_384, goal: { ratio: 0.2 } }),
  moves({ what: "5 MB selected", selected: 5_000_000, goal: { figure: 25 } }),
  {
    rows: [
      { name: "one update to 100 agents, until the last has it", unit: "ms", goal: { ratio: 0.25 } },
      { name: "CPU of one update to 100 agents", unit: "ms", goal: { ratio: 0.15 } },
    ],
    measure: async (subject, folder) => {
      const clients = await followMany(subject, folder, 100);
      const times: number[] = [];
      for (let round = 0; round < 5; round += 1) await update(subject, clients, round);
      const rounds = 12;
      const cpu = await cpuBeyondCommands(subject, { count: rounds, pauseMs: debounceMs }, async () => {
        for (let round = 0; round < rounds; round += 1) {
          times.push((await update(subject, clients, round + 5)) - debounceMs);
        }
      });
      for (const client of clients) client.end();
      return [median(times), cpu / rounds];
    },
  },
];

/** One move, until all have it, ms. */
async function update(subject: SubjectProcess, clients: readonly AgentClient[], round: number): Promise<number> {
  const seen = clients.map((client) => client.events);
  const before = performance.now();
  await subject.tell({ do: "cursor", line: round + 1, character: round, repeat: 1 });
  await Promise.all(clients.map((client, index) => client.received((seen[index] ?? 0) + 1)));
  return performance.now() - before;
}

function moves({
  what,
  selected,
  goal,
}: {
  readonly what: string;
  readonly selected: number;
  readonly goal: Goal;
}): Measurement {
  return {
    rows: [{ name: `CPU of 10,000 cursor moves, ${what}`, unit: "ms", goal }],
    measure: async (subject, folder) => {
      if (subject.start.hasCursor === false) return [];
      const client = await follow(subject, folder, Math.max(selected + 500_000, 1_000_000));
      const line = Math.ceil(selected / lineWidth);
      const pauseMs = debounceMs * 2.5;
      const move = async (character: number, repeat: number): Promise<void> => {
        await subject.tell({ do: selected === 0 ? "cursor" : "select", line, character, repeat });
        await pause(pauseMs);
      };
      await move(0, fewMoves);
      const few = await cpuOf(subject, () => move(1, fewMoves));
      if (few >= enoughCpuMs) {
        client.end();
        return [(few * 10_000) / fewMoves];
      }
      const bursts = 20;
      const moveAll = async (): Promise<void> => {
        for (let burst = 0; burst < bursts; burst += 1) await move(burst, 10_000 / bursts);
      };
      // Nobody's first moves are asked for: the runtime compiles what runs often.
      await moveAll();
      const cpu = await cpuBeyondCommands(subject, { count: bursts, pauseMs }, moveAll);
      client.end();
      return [cpu];
    },
  };
}
