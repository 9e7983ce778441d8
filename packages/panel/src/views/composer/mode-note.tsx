import type { SessionOption } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useAgentName, useSelected, useWords } from "../../store/use-panel.ts";
import { Icon } from "../widgets/icon.tsx";

/** What a mode that never asks means, as long as it holds. */
export function ModeNote(): JSX.Element | undefined {
  const words = useWords();
  const agent = useAgentName();
  const name = useSelected(({ open }) => neverAsking(open?.options ?? []));
  if (name === undefined) return undefined;
  return (
    <p class="mode-note">
      <Icon name="warning" />
      {words("option.neverAsksNow", { name, agent })}
    </p>
  );
}

/** The name of the chosen mode, if the agent asks nothing in it. */
function neverAsking(options: readonly SessionOption[]): string | undefined {
  const chosen = options.flatMap(({ value, values = [] }) => values.filter(({ id }) => id === value));
  return chosen.find(({ asks }) => asks === "never")?.name;
}
