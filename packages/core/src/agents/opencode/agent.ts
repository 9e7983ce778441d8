import type { Dialect } from "../dialect.ts";
import { familyDialect } from "../opencode-family/family.ts";

/** opencode: docs/protocols/opencode.md. */
export const opencode: Dialect<"opencode"> = familyDialect({
  id: "opencode",
  agentName: "opencode",
  program: { command: "opencode", package: "opencode-ai" },
});
