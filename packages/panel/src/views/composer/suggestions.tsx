import type { SlashCommand } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { MentionItem } from "../../messages/from-host.ts";
import { useWords } from "../../store/use-panel.ts";
import { Icon, type IconName } from "../widgets/icon.tsx";

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

/** Stands above the text, which keeps the focus. */
export function Suggestions({
  id,
  items,
  active,
  onPick,
}: {
  readonly id: string;
  readonly items: readonly Suggestion[];
  readonly active: number;
  readonly onPick: (index: number) => void;
}): JSX.Element {
  const words = useWords();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const one = list.current?.children[active];
    if (one instanceof HTMLElement) one.scrollIntoView({ block: "nearest" });
  }, [active, items]);
  return (
    <div
      class="popup popup-above suggestions"
      id={id}
      role="listbox"
      aria-label={words("compose.suggestions")}
      ref={list}
    >
      {items.map(({ id: key, name, description, icon }, index) => (
        <div
          key={key}
          id={suggestionId(id, index)}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          class={`popup-item ${index === active ? "active" : ""}`}
          // The text keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(index)}
          onKeyDown={undefined}
        >
          {icon === undefined ? undefined : <Icon name={icon} />}
          <span class="suggestion-name">{name}</span>
          <span class="suggestion-note">{description}</span>
        </div>
      ))}
    </div>
  );
}
