import type { AgentChanges } from "../turns/agent-changes.ts";
import type { LazyTurns } from "../turns/lazy-turns.ts";
import type { TurnRow, TurnServices } from "../turns/turn-actions.ts";
import type { Coc } from "../vim/coc-vim.ts";
import type { Vim } from "../vim/vim.ts";
import { chooser } from "./reviews.ts";

export interface TurnCommandServices {
  readonly coc: Pick<Coc, "window">;
  readonly vim: Vim;
  readonly turns: Pick<LazyTurns, "get">;
  readonly parts: { readonly workspace: { folders(): readonly string[] } };
}

type Loaded = TurnServices & { readonly changes: AgentChanges };

async function load({ coc, vim, turns, parts }: TurnCommandServices): Promise<Loaded> {
  const folders = (): readonly string[] => parts.workspace.folders();
  return { changes: await turns.get(), vim, choose: chooser(coc.window), folders, now: Date.now };
}

const loadActions = (): Promise<typeof import("../turns/turn-actions.ts")> => import("../turns/turn-actions.ts");

/** What agents changed without asking, in lines of the file under the cursor. */
export async function decideTurnLines(
  services: TurnCommandServices,
  verdict: "keep" | "undo",
  place: readonly unknown[],
): Promise<string> {
  const [loaded, actions] = await Promise.all([load(services), loadActions()]);
  return await actions.decideLines(loaded, verdict, place);
}

/** The same lines as they were and as they are. */
export async function showTurnLines(
  services: TurnCommandServices,
  place: readonly unknown[],
): Promise<string | undefined> {
  const [loaded, actions] = await Promise.all([load(services), loadActions()]);
  return await actions.showLines(loaded, place);
}

export async function bringBackTurn(services: TurnCommandServices): Promise<string | undefined> {
  const [loaded, actions] = await Promise.all([load(services), loadActions()]);
  return await actions.bringBack(loaded);
}

/** What `:CocList patchbayTurns` shows and does. */
export function createTurnList(services: TurnCommandServices): {
  rows(): Promise<readonly TurnRow[]>;
  act(action: string, data: string): Promise<string | undefined>;
} {
  let listed: readonly string[] = [];
  return {
    rows: async () => {
      const [loaded, actions] = await Promise.all([load(services), loadActions()]);
      const rows = actions.turnRows(loaded);
      listed = rows.map(({ data }) => data);
      return rows;
    },
    act: async (action, data) => {
      const [loaded, actions] = await Promise.all([load(services), loadActions()]);
      return await actions.actOnTurn(loaded, action, data, listed);
    },
  };
}
