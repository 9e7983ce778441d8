import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { SessionServices } from "../../session/services.ts";
import type { DialectEngine, SessionEngine } from "../dialect.ts";
import { createToolServer } from "../tool.ts";
import { encodeContextUpdate } from "./context-update.ts";
import { encodeOutcomeNotification } from "./outcome-notification.ts";
import type { CompanionSpecOptions } from "./options.ts";
import { createCompanionSpecTools } from "./tools.ts";

/** The speaking part of the Gemini family; a new member differs in these options and in where it looks. */
export function createCompanionSpecEngine(options: CompanionSpecOptions): DialectEngine {
  return {
    proposalsOutliveConnection: true,
    byteOrderMark: options.byteOrderMark,
    emptiedText: "\n",
    writes: "text",
    connect: (services, transport) => connect(services, transport, options),
  };
}

async function connect(
  services: SessionServices,
  transport: Transport,
  options: CompanionSpecOptions,
): Promise<SessionEngine> {
  let ready = false;
  const server = createToolServer(services, createCompanionSpecTools(services, options), () => {
    ready = true;
    services.ready();
  });
  await server.connect(transport);
  return {
    contextDelayMs: 0,
    get ready() {
      return ready;
    },
    encodeContext: encodeContextUpdate,
    encodeMention: () => undefined,
    encodeOutcome: encodeOutcomeNotification,
    close: () => server.close(),
  };
}
