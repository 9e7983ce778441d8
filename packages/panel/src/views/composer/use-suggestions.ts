import type { PromptBlock, SlashCommand } from "@patchbay/conversations/model";
import { useEffect, useRef, useState } from "preact/hooks";
import type { MentionItem } from "../../messages/from-host.ts";
import { usePanel, useSelected } from "../../store/use-panel.ts";
import type { IconName } from "../widgets/icon.tsx";
import { addChips, type Query, queryAt } from "./use-writing.ts";

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

function suggestMentions(items: readonly MentionItem[]): readonly Suggestion[] {
  return items.map(({ id, kind, label, description = "" }) => ({ id, name: label, description, icon: icons[kind] }));
}

/** Commands whose name begins so, then those that have it somewhere. */
function suggestCommands(commands: readonly SlashCommand[], query: string): readonly Suggestion[] {
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

/** What is offered for the `@` or `/` at the caret. */
export function useSuggestions(
  conversation: string,
  area: { readonly current: HTMLTextAreaElement | null },
  writing: { readonly chips: readonly PromptBlock[]; readonly text: string },
  change: (next: { chips?: readonly PromptBlock[]; text?: string }, caret?: number) => void,
): {
  readonly items: readonly Suggestion[];
  readonly active: number;
  readonly pick: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
  readonly look: () => void;
  readonly close: () => void;
  readonly begin: () => void;
} {
  const panel = usePanel();
  const commands = useSelected((state) => state.open?.commands) ?? [];
  const mentions = useSelected((state) => state.mentions);
  const request = useRef(0);
  const [query, setQuery] = useState<Query | undefined>(undefined);
  const [active, setActive] = useState(0);
  const found = mentions?.request === request.current ? mentions.items : [];
  const items =
    query === undefined
      ? []
      : query.kind === "command"
        ? suggestCommands(commands, query.text)
        : suggestMentions(found);

  useEffect(() => setActive(0), [query?.kind, query?.text]);

  const close = (): void => setQuery(undefined);
  const look = (): void => {
    const { current } = area;
    if (current === null) return;
    const next =
      current.selectionStart === current.selectionEnd ? queryAt(current.value, current.selectionEnd) : undefined;
    if (next?.kind === query?.kind && next?.text === query?.text && next?.from === query?.from) return;
    setQuery(next);
    if (next?.kind !== "mention") return;
    request.current = panel.nextRequest();
    panel.post({ type: "mentions", conversation, request: request.current, query: next.text });
  };
  const replace = (text: string, more: readonly PromptBlock[] = []): void => {
    const { current } = area;
    if (query === undefined || current === null) return;
    const before = current.value.slice(0, query.from);
    change(
      { text: before + text + current.value.slice(current.selectionEnd), chips: addChips(writing.chips, more) },
      before.length + text.length,
    );
    close();
  };
  const pick = (index: number): void => {
    const item = items[index];
    if (item === undefined || query === undefined) return;
    if (query.kind === "command") {
      replace(`/${item.id} `);
      return;
    }
    const mention = found.find(({ id }) => id === item.id);
    replace(
      mention?.block === undefined ? "" : `${mention.label} `,
      mention?.block === undefined ? [] : [mention.block],
    );
    if (mention !== undefined && mention.block === undefined) {
      panel.post({ type: "pick", conversation, request: request.current, id: mention.id });
    }
  };
  return {
    items,
    active: Math.min(active, Math.max(0, items.length - 1)),
    pick,
    look,
    close,
    begin: () => {
      const { current } = area;
      if (current === null) return;
      current.focus();
      const at = current.selectionEnd;
      const isApart = at === 0 || /\s$/u.test(current.value.slice(0, at));
      const sign = isApart ? "@" : " @";
      change({ text: current.value.slice(0, at) + sign + current.value.slice(at) }, at + sign.length);
      requestAnimationFrame(look);
    },
    onKeyDown: (event) => {
      if (query === undefined || items.length === 0) return false;
      if (event.key === "ArrowDown") setActive((active + 1) % items.length);
      else if (event.key === "ArrowUp") setActive((active + items.length - 1) % items.length);
      else if (event.key === "Escape") close();
      else if (event.key === "Tab" && !event.shiftKey) pick(active);
      else if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
        // A command that stands there whole is sent.
        if (query.kind === "command" && items[active]?.id === query.text) {
          close();
          return false;
        }
        pick(active);
      } else return false;
      return true;
    },
  };
}
