import { AgentClient } from "../client/agent-client.ts";
import { median, type Row } from "./row.ts";

/** What a start costs, and the first agents. */
export const startRows: readonly Row[] = [
  { name: "process start to listening", unit: "ms", lowerIsBetter: true, measure: async (subject) => subject.startMs },
  {
    name: "memory at start (heap and buffers)",
    unit: "MB",
    lowerIsBetter: true,
    measure: async (subject) => (await subject.stats()).heap / 1e6,
  },
  {
    name: "initialize, first session",
    unit: "ms",
    lowerIsBetter: true,
    measure: async (subject) => {
      const client = new AgentClient(subject.port, subject.token);
      const before = performance.now();
      await client.initialize();
      const took = performance.now() - before;
      client.end();
      return took;
    },
  },
  {
    name: "initialize, later sessions, p50",
    unit: "ms",
    lowerIsBetter: true,
    measure: async (subject) => {
      const times: number[] = [];
      for (let round = 0; round < 60; round += 1) {
        const client = new AgentClient(subject.port, subject.token);
        const before = performance.now();
        await client.initialize();
        times.push(performance.now() - before);
        client.end();
      }
      return median(times.slice(10));
    },
  },
  {
    name: "stop with an agent connected",
    unit: "ms",
    lowerIsBetter: true,
    measure: async (subject) => {
      const client = new AgentClient(subject.port, subject.token);
      await client.initialize();
      await client.openStream();
      const stopMs = await subject.stop();
      client.end();
      return stopMs;
    },
  },
];
