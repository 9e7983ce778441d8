import type { AgentId } from "@patchbay/core";
import { editors, type EditorEntry } from "../editors/index.ts";
import { scenarios } from "../scenarios/index.ts";
import { contextAgents, everyHooked } from "../agents/index.ts";
import type { Scenario } from "../scenarios/scenario.ts";

/** One scenario with one agent (or all of them) in one editor. */
export interface Case {
  /** `editor:agent:scenario`. */
  readonly id: string;
  readonly editor: EditorEntry;
  readonly agent: AgentId | "all";
  readonly scenario: Scenario;
}

/** Some have hooks and a protocol that carries what is open. */
const everyOne: readonly AgentId[] = [...new Set([...everyHooked, ...contextAgents])];

/** Every case that makes sense, grouped by editor and agent. */
export function allCases(): readonly Case[] {
  return editors.flatMap((editor) => {
    // Never started: scenarios only look at what the driver can do.
    const driver = editor.create("");
    const possible = scenarios.filter(
      (scenario) =>
        (editor.id !== "serve" || scenario.inServe === true) &&
        (editor.id !== "page" || scenario.inPage === true) &&
        scenario.isFor?.(driver) !== false,
    );
    const named = (agent: Case["agent"], scenario: Scenario): Case => ({
      id: `${editor.id}:${agent}:${scenario.name}`,
      editor,
      agent,
      scenario,
    });
    return [
      ...everyOne.flatMap((agent) =>
        possible
          .filter(({ agents }) => agents !== "all" && agents.includes(agent))
          .map((scenario) => named(agent, scenario)),
      ),
      ...possible.filter(({ agents }) => agents === "all").map((scenario) => named("all", scenario)),
    ];
  });
}

/**
 * The cases whose ids start with one of the wishes, part by part (`coc` means both of its editors); all of them without a wish. Those
 * of a group are chosen by its word, with an agent if only its own are wanted (`panel:claude`), or by their ids. `unwanted` leaves out
 * cases that are named in the same way.
 */
export function chooseCases(
  cases: readonly Case[],
  wishes: readonly string[],
  unwanted: readonly string[] = [],
): readonly Case[] {
  const matches = ({ id, editor, agent, scenario: { group } }: Case, wish: string): boolean => {
    if (id === wish) return true;
    // It has no others.
    if (group !== undefined && editor.id !== "serve") return wish === group || wish === `${group}:${agent}`;
    if (wish === group || wish === `${group}:${agent}`) return true;
    return id.startsWith(`${wish}:`) || editor.id.startsWith(`${wish}-`);
  };
  return cases
    .filter((one) => wishes.length === 0 || wishes.some((wish) => matches(one, wish)))
    .filter((one) => !unwanted.some((wish) => matches(one, wish)));
}
