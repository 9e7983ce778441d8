import type { AgentFacts } from "@patchbay/conversations/model";
import * as z from "zod/mini";

const limit = z.object({
  window: z.enum(["5-hours", "7-days"]),
  model: z.exactOptional(z.string()),
  used: z.number(),
  resetsAt: z.exactOptional(z.number()),
});

const server = z.object({
  name: z.string(),
  state: z.enum(["connected", "failed", "needs-auth", "pending", "disabled"]),
  tools: z.exactOptional(z.number()),
  error: z.exactOptional(z.string()),
  canChange: z.boolean(),
});

/** Parses what an agent tells of itself. In a file of its own: the page loads it when it is asked for. */
export const agentFactsSchema: z.ZodMiniType<AgentFacts> = z.object({
  account: z.exactOptional(z.string()),
  plan: z.exactOptional(z.string()),
  limits: z.exactOptional(z.array(limit)),
  context: z.exactOptional(
    z.object({
      used: z.number(),
      size: z.number(),
      parts: z.array(z.object({ name: z.string(), tokens: z.number() })),
    }),
  ),
  servers: z.exactOptional(z.array(server)),
});
