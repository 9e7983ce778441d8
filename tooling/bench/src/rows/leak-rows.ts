import { join } from "node:path";
import { AgentClient } from "../client/agent-client.ts";
import { cpuOf, pause, type Row } from "./row.ts";

/** What agents leave behind that end without a goodbye, as all of them do. */
export const leakRows: readonly Row[] = [
  {
    name: "memory left by 1,000 connects and disconnects",
    unit: "MB",
    lowerIsBetter: true,
    measure: async (subject) => {
      await comeAndGo(subject.port, subject.token, 20);
      const before = await subject.stats();
      await comeAndGo(subject.port, subject.token, 1_000);
      await pause(200);
      return ((await subject.stats()).heap - before.heap) / 1e6;
    },
  },
  {
    name: "timers left by 1,000 connects and disconnects",
    unit: "",
    lowerIsBetter: true,
    measure: async (subject) => {
      await comeAndGo(subject.port, subject.token, 20);
      const before = await subject.stats();
      await comeAndGo(subject.port, subject.token, 1_000);
      await pause(200);
      return (await subject.stats()).timers - before.timers;
    },
  },
  {
    name: "CPU of one update after 2,000 dead agents",
    unit: "ms",
    lowerIsBetter: true,
    measure: async (subject, folder) => {
      await subject.tell({ do: "open", path: join(folder, "open.ts"), text: "text\n" });
      await comeAndGo(subject.port, subject.token, 2_000);
      await pause(500);
      const rounds = 5;
      const cpu = await cpuOf(subject, async () => {
        for (let round = 0; round < rounds; round += 1) {
          await subject.tell({ do: "cursor", line: 0, character: round + 1, repeat: 1 });
          await pause(120);
        }
      });
      return cpu / rounds;
    },
  },
];

async function comeAndGo(port: number, token: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const client = new AgentClient(port, token);
    await client.initialize();
    await client.openStream();
    client.end();
  }
}
