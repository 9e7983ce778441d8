import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useWords } from "../../store/use-panel.ts";
import { Icon } from "../widgets/icon.tsx";
import { type Suggestion, suggestionId } from "./suggestions.ts";

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
