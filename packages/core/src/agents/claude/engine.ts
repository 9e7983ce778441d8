import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod";
import type { DialectEngine, Mention, SessionEngine, SessionServices } from "../dialect.ts";
import { createToolServer } from "../tool.ts";
import { createDiffTools } from "./diff-tools.ts";
import { encodeSelectionChanged } from "./selection.ts";
import { createWorkspaceTools } from "./workspace-tools.ts";

/** Notifications within about 200 ms of connecting are lost by the client (docs/protocols/claude.md). */
const firstContextDelayMs = 600;

const connectedParams = z.object({ pid: z.number().int().positive() });

/** The speaking part of the Claude protocol. */
export function createClaudeEngine(): DialectEngine {
  return { proposalsOutliveConnection: false, byteOrderMark: "as-proposed", emptiedText: "", writes: "edits", connect };
}

async function connect(services: SessionServices, transport: Transport): Promise<SessionEngine> {
  let ready = false;
  const tools = [...createDiffTools(services), ...createWorkspaceTools(services)];
  const server = createToolServer(services, tools, () => {
    if (ready) return;
    ready = true;
    services.ready();
  });
  server.fallbackNotificationHandler = async (notification) => {
    if (notification.method !== "ide_connected") return;
    const parsed = connectedParams.safeParse(notification.params);
    if (parsed.success) services.describe({ pid: parsed.data.pid });
  };
  await server.connect(transport);
  return {
    contextDelayMs: firstContextDelayMs,
    encodeContext: encodeSelectionChanged,
    encodeMention,
    // openDiff itself is answered with the outcome.
    encodeOutcome: () => undefined,
    close: () => server.close(),
  };
}

function encodeMention(mention: Mention): string {
  const lines = mention.lines === undefined ? {} : { lineStart: mention.lines.start, lineEnd: mention.lines.end };
  return JSON.stringify({ jsonrpc: "2.0", method: "at_mentioned", params: { filePath: mention.path, ...lines } });
}
