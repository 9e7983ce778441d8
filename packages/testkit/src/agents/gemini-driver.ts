import type { AgentDriverOptions } from "./agent-driver.ts";
import { CompanionSpecDriver } from "./companion-spec-driver.ts";
import { findGeminiCompanion } from "./gemini-discovery.ts";
import { toCrLf, withByteOrderMark } from "./workspace-file.ts";

/** Speaks as Gemini CLI 0.61.0 does. */
export function createGeminiDriver(options: AgentDriverOptions): CompanionSpecDriver {
  return new CompanionSpecDriver(
    {
      dialect: "gemini",
      agentName: "Gemini CLI",
      clientVersion: "0.61.0",
      protocolVersion: "2025-06-18",
      find: (where) => {
        const found = findGeminiCompanion(where);
        return found === undefined ? [] : [found];
      },
      failsOnRefusal: true,
      toWire: (text, tool, file) => (tool === "edit" && file.hasByteOrderMark ? withByteOrderMark(text) : text),
      toDisk: (text, file) => (file.usesCrLf ? toCrLf(text) : text),
    },
    options,
  );
}
