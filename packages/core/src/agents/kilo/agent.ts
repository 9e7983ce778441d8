import type { Dialect } from "../dialect.ts";
import { familyDialect } from "../opencode-family/family.ts";

/** Kilo, a fork of opencode that says it is that one: docs/protocols/opencode.md. */
export const kilo: Dialect<"kilo"> = familyDialect({
  id: "kilo",
  agentName: "Kilo",
  program: { command: "kilo", package: "@kilocode/cli" },
});
