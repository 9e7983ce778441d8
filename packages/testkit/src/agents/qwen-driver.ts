import type { AgentDriverOptions } from "./agent-driver.ts";
import { CompanionSpecDriver } from "./companion-spec-driver.ts";
import { findQwenCompanions } from "./qwen-discovery.ts";
import { prependByteOrderMark, toCrLf } from "./workspace-file.ts";

/** Speaks as Qwen Code 0.24.4 does, in the approval mode in which it asks (`tools.approvalMode: "default"`). */
export function createQwenDriver(options: AgentDriverOptions): CompanionSpecDriver {
  return new CompanionSpecDriver(
    {
      dialect: "qwen",
      agentName: "Qwen Code",
      clientVersion: "1.0.0",
      protocolVersion: "2025-11-25",
      find: findQwenCompanions,
      failsOnRefusal: false,
      toWire: (text) => text,
      toDisk: (text, file) => {
        const lines = file.usesCrLf ? toCrLf(text) : text;
        return file.hasByteOrderMark ? prependByteOrderMark(lines) : lines;
      },
    },
    options,
  );
}
