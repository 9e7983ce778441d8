import type { SlashCommand } from "@patchbay/conversations/model";
import type { MentionItem } from "../../messages/from-host.ts";
import type { IconName } from "../widgets/icon.tsx";

/** Something that can be chosen while one writes. */
export interface Suggestion {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly icon: IconName | undefined;
}

const icons: Readonly<Record<MentionItem["kind"], IconName>> = {
  file: "file",
  folder: "folder",
  symbol: "tool",
  problems: "warning",
  terminal: "terminal",
  selection: "insert",
};

export function suggestMentions(items: readonly MentionItem[]): readonly Suggestion[] {
  return items.map(({ id, kind, label, description = "" }) => ({ id, name: label, description, icon: icons[kind] }));
}

/** Commands whose name begins so, then those that have it somewhere. */
export function suggestCommands(commands: readonly SlashCommand[], query: string): readonly Suggestion[] {
  const wanted = query.toLowerCase();
  const matches = commands.filter(({ name }) => name.toLowerCase().includes(wanted));
  return matches
    .toSorted(
      (a, b) => Number(b.name.toLowerCase().startsWith(wanted)) - Number(a.name.toLowerCase().startsWith(wanted)),
    )
    .slice(0, 50)
    .map(({ name, description, argumentHint }) => ({
      id: name,
      name: argumentHint === undefined ? `/${name}` : `/${name} ${argumentHint}`,
      description,
      icon: undefined,
    }));
}

export function suggestionId(list: string, index: number): string {
  return `${list}-${index}`;
}
