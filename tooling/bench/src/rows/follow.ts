import { join } from "node:path";
import { AgentClient } from "../client/agent-client.ts";
import type { SubjectProcess } from "../client/subject-process.ts";
import { pause } from "./row.ts";

/** Debounce that every subject has, ms; taken off. */
export const debounceMs = 50;

/** Characters of each line of the open file, its end included. */
export const lineWidth = 64;

const line = `${"x".repeat(lineWidth - 1)}\n`;

/** Agents that have the context of an open file of so many bytes, and have been quiet for a moment. */
export async function followMany(
  subject: SubjectProcess,
  folder: string,
  count: number,
  bytes = 128_000,
): Promise<readonly AgentClient[]> {
  const text = line.repeat(Math.ceil(bytes / lineWidth));
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

export async function follow(subject: SubjectProcess, folder: string, bytes?: number): Promise<AgentClient> {
  const [client] = await followMany(subject, folder, 1, bytes);
  if (client === undefined) throw new Error("No client.");
  return client;
}
