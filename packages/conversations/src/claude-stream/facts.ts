import * as z from "zod";
import type { AgentFacts, ContextUse, McpServer, PlanLimit } from "../model/index.ts";
import { maskSecrets } from "../process/lines.ts";
import { type Account, maybe } from "./requests.ts";

/** What Claude Code answers when it is asked about itself; members that are not named here are dropped, secrets among them. */

const name = z.string();

/** `mcp_status`. Its `config` has commands, addresses and headers. */
const serverList = z.object({
  mcpServers: z.array(
    z.object({
      name,
      status: z.enum(["connected", "failed", "needs-auth", "pending", "disabled"]).catch("failed"),
      error: maybe(name),
      transport: maybe(name),
      tools: maybe(z.array(z.unknown())),
    }),
  ),
});

/** `get_context_usage`. Besides what is used there are the free space, a reserve, and tools that are loaded when they are needed. */
const contextUsage = z.object({
  categories: z.array(z.object({ name, tokens: z.number(), kind: maybe(name) })).catch([]),
  totalTokens: z.number(),
  maxTokens: z.number().positive(),
});

const span = maybe(z.object({ utilization: z.number(), resets_at: z.string().nullish().catch(undefined) }));

/** `get_usage`: limits are told of subscriptions alone. */
const planUsage = z.object({
  subscription_type: z.string().nullish().catch(undefined),
  rate_limits: z
    .object({
      five_hour: span,
      seven_day: span,
      seven_day_opus: span,
      seven_day_sonnet: span,
      model_scoped: maybe(
        z.array(z.object({ display_name: name, utilization: z.number(), resets_at: z.string().nullish() })),
      ),
    })
    .nullish()
    .catch(undefined),
});

/** The answers as they came; undefined for what was refused. */
export interface FactAnswers {
  readonly account: Account | undefined;
  readonly context: unknown;
  readonly usage: unknown;
  readonly servers: unknown;
}

/** What of it is shown. */
export function factsOf({ account, context, usage, servers }: FactAnswers): AgentFacts {
  const plan = planUsage.safeParse(usage);
  const owner = [account?.email, account?.organization].filter((part) => part !== undefined && part !== "");
  const paid = account?.subscriptionType ?? (plan.success ? plan.data.subscription_type : undefined) ?? "";
  const limits = plan.success ? limitsOf(plan.data.rate_limits) : [];
  const used = contextOf(context);
  const listed = serverList.safeParse(servers);
  return {
    ...(owner.length === 0 ? {} : { account: owner.join(" · ") }),
    ...(paid === "" ? {} : { plan: paid }),
    ...(limits.length === 0 ? {} : { limits }),
    ...(used === undefined ? {} : { context: used }),
    ...(listed.success ? { servers: listed.data.mcpServers.map(serverOf) } : {}),
  };
}

function limitsOf(limits: z.infer<typeof planUsage>["rate_limits"]): readonly PlanLimit[] {
  if (limits === null || limits === undefined) return [];
  const { five_hour, seven_day, seven_day_opus, seven_day_sonnet, model_scoped = [] } = limits;
  return [
    ...limitOf("5-hours", five_hour),
    ...limitOf("7-days", seven_day),
    ...limitOf("7-days", seven_day_opus, "Opus"),
    ...limitOf("7-days", seven_day_sonnet, "Sonnet"),
    ...model_scoped.flatMap(({ display_name, ...limit }) => limitOf("7-days", limit, display_name)),
  ];
}

function limitOf(window: PlanLimit["window"], limit: z.infer<typeof span>, model?: string): readonly PlanLimit[] {
  if (limit === undefined) return [];
  const resetsAt = Date.parse(limit.resets_at ?? "");
  const used = Math.min(1, Math.max(0, limit.utilization / 100));
  return [
    {
      window,
      ...(model === undefined ? {} : { model }),
      used,
      ...(Number.isNaN(resetsAt) ? {} : { resetsAt }),
    },
  ];
}

function contextOf(answer: unknown): ContextUse | undefined {
  const parsed = contextUsage.safeParse(answer);
  if (!parsed.success) return undefined;
  const { categories, totalTokens, maxTokens } = parsed.data;
  const parts = categories.flatMap(({ kind, ...part }) => (kind === undefined || kind === "used" ? [part] : []));
  return { used: totalTokens, size: maxTokens, parts };
}

function serverOf({
  status,
  error,
  transport,
  tools,
  ...server
}: z.infer<typeof serverList>["mcpServers"][number]): McpServer {
  return {
    ...server,
    state: status,
    ...(tools === undefined ? {} : { tools: tools.length }),
    ...(error === undefined || error === "" ? {} : { error: maskSecrets(error) }),
    // Our own ends with the session, and answers as long as it lasts.
    canChange: transport !== "sdk",
  };
}
