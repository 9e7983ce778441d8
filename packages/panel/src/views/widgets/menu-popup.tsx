import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Icon, type IconName } from "./icon.tsx";

export interface MenuItem {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly isChecked?: boolean;
  readonly icon?: IconName;
}

export interface MenuPopupProps {
  readonly id: string;
  /** The menu with its button: what happens outside of it closes the list. */
  readonly root: { readonly current: HTMLElement | null };
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly place: "above" | "below";
  readonly onPick: (id: string) => void;
  /** With the focus going back to the button, or staying where it is. */
  readonly onClose: (hasFocus: boolean) => void;
}

/** The list of choices of an open menu. */
export function MenuPopup({ id, root, label, items, place, onPick, onClose }: MenuPopupProps): JSX.Element {
  // Before the next key can come.
  useLayoutEffect(() => {
    const buttons = Array.from(root.current?.querySelectorAll<HTMLButtonElement>("[role^=menuitem]") ?? []);
    (buttons.find((one) => one.ariaChecked === "true") ?? buttons[0])?.focus();
    const leave = ({ target }: Event): void => {
      if (!(target instanceof Node && root.current?.contains(target))) onClose(false);
    };
    document.addEventListener("pointerdown", leave);
    document.addEventListener("focusin", leave);
    return () => {
      document.removeEventListener("pointerdown", leave);
      document.removeEventListener("focusin", leave);
    };
  }, []);
  return (
    <div
      class={`popup popup-${place}`}
      id={id}
      role="menu"
      tabIndex={-1}
      aria-label={label}
      onKeyDown={(event) => onMenuKey(event, onClose)}
    >
      {items.map((item) => (
        <button
          key={item.id}
          type="button"
          role={item.isChecked === undefined ? "menuitem" : "menuitemradio"}
          aria-checked={item.isChecked}
          tabIndex={-1}
          class="popup-item"
          onClick={() => {
            onClose(true);
            onPick(item.id);
          }}
        >
          <span class="popup-mark">
            {item.isChecked === true ? <Icon name="check" /> : item.icon ? <Icon name={item.icon} /> : undefined}
          </span>
          <span class="popup-text">
            <span class="popup-name">{item.name}</span>
            {item.description === undefined ? undefined : (
              <span class="note" dir="auto">
                {item.description}
              </span>
            )}
          </span>
        </button>
      ))}
    </div>
  );
}

/** Arrows go around, Home and End to the ends, letters to the next name that begins so. */
function onMenuKey(event: KeyboardEvent, close: (hasFocus: boolean) => void): void {
  const menu = event.currentTarget;
  if (!(menu instanceof HTMLElement)) return;
  const buttons = Array.from(menu.querySelectorAll("button"));
  const at = buttons.findIndex((button) => button === document.activeElement);
  const goTo = (index: number): void => {
    buttons.at(index % buttons.length)?.focus();
    event.preventDefault();
  };
  if (event.key === "ArrowDown") goTo(at + 1);
  else if (event.key === "ArrowUp") goTo(at < 0 ? -1 : at - 1);
  else if (event.key === "Home") goTo(0);
  else if (event.key === "End") goTo(-1);
  else if (event.key === "Tab") close(false);
  else if (event.key === "Escape") {
    event.stopPropagation();
    close(true);
  } else if (/^\S$/u.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const letter = event.key.toLowerCase();
    const begins = (button: HTMLElement): boolean => button.textContent.trim().toLowerCase().startsWith(letter);
    const next = [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)].find(begins);
    next?.focus();
  }
}
