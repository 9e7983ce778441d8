import type { DialectEngine, DiscoveryFacts } from "../dialect.ts";
import type { CompanionSpecOptions } from "./engine.ts";

/** The delimiter of PATH, which separates the roots of a workspace in one text. */
export function pathDelimiterOf(facts: DiscoveryFacts): string {
  return facts.platform.process.platform === "win32" ? ";" : ":";
}

/** `ideInfo` with both names makes the clients accept any terminal (docs/protocols/gemini.md, qwen.md). */
export function ideInfoOf(facts: DiscoveryFacts): { readonly name: string; readonly displayName: string } {
  return { name: facts.identity.name, displayName: facts.identity.displayName };
}

/** Process ids to announce under, without repeats; our own where the host names none. */
export function announcedPids(facts: DiscoveryFacts): readonly number[] {
  const pids = [...new Set(facts.identity.pids.filter((pid) => pid > 0))];
  return pids.length === 0 ? [facts.platform.process.pid] : pids;
}

/** Loads the part that speaks. */
export async function loadEngine(options: CompanionSpecOptions): Promise<DialectEngine> {
  return (await import("./engine.ts")).createCompanionSpecEngine(options);
}
