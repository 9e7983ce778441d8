import type { ComponentChildren, JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { type Later, later } from "./later.tsx";
import type { MenuItem, MenuPopupProps } from "./menu-popup.tsx";

export const MenuPopup: Later<MenuPopupProps> = later();

/** A button that opens a list of choices above or below itself, all by keyboard. */
export function Menu({
  label,
  items,
  onPick,
  children,
  class: className = "",
  place = "above",
}: {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly onPick: (id: string) => void;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly place?: "above" | "below";
}): JSX.Element {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <div class={`menu ${className}`} ref={root}>
      <button
        ref={button}
        type="button"
        class="menu-button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen ? (
        <MenuPopup
          id={id}
          root={root}
          label={label}
          items={items}
          place={place}
          onPick={onPick}
          onClose={(hasFocus) => {
            setOpen(false);
            if (hasFocus) button.current?.focus();
          }}
        />
      ) : undefined}
    </div>
  );
}
