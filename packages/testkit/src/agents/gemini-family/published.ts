import { delimiter, join } from "node:path";
import { type AgentId, type Dialect, PatchbayError } from "@patchbay/core";
import * as z from "zod";
import type { AgentDriverOptions } from "../agent-driver.ts";
import { type CompanionAddress, isWithinReal, readDiscoveryFiles } from "../records.ts";
import { CompanionSpecDriver } from "./driver.ts";

/**
 * A member of the family of which nobody has yet seen how it really behaves: it looks where its folder in core says, which
 * therefore proves nothing about those places, and speaks the published interface under its own name.
 */
export function createPublishedDriver(agent: Dialect<AgentId>, options: AgentDriverOptions): CompanionSpecDriver {
  if (agent.transport !== "streamable-http") {
    throw new PatchbayError("not-found", `${agent.agentName} has no driver in the testkit.`);
  }
  return new CompanionSpecDriver(
    {
      dialect: agent.id,
      agentName: agent.agentName,
      clientName: agent.id,
      clientVersion: "1.0.0",
      protocolVersion: "2025-06-18",
      find: (where) => findAnnounced(agent, where),
      failsOnRefusal: false,
      toWire: (text) => text,
      toDisk: (text) => text,
    },
    options,
  );
}

const recordSchema = z.object({
  port: z.number(),
  workspacePath: z.string(),
  authToken: z.string().optional(),
  ideInfo: z.object({ displayName: z.string() }),
});

/** The port that the environment names first, then the newest record. */
function findAnnounced(agent: Dialect, options: AgentDriverOptions): readonly CompanionAddress[] {
  const environment = (name: string): string | undefined => options.environment?.[name];
  const { home: homeDirectory, temporaryDirectory, cwd } = options;
  const named = Number(environment(agent.portVariable));
  return agent
    .places({ homeDirectory, temporaryDirectory, environment })
    .filter(({ isRead }) => isRead)
    .flatMap(({ root, directories, pattern }) => readDiscoveryFiles(join(root, ...directories), pattern))
    .toSorted((a, b) => b.modifiedMs - a.modifiedMs)
    .flatMap(({ path, content }) => {
      const record = recordSchema.safeParse(content).data;
      const roots = record?.workspacePath.split(delimiter) ?? [];
      if (record === undefined || !roots.some((root) => isWithinReal(root, cwd))) return [];
      const { port, authToken, ideInfo } = record;
      return [{ port, token: authToken, editorName: ideInfo.displayName, record: path }];
    })
    .toSorted((a, b) => Number(b.port === named) - Number(a.port === named));
}
