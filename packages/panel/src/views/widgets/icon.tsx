import type { JSX } from "preact";

/** Drawn for this page, 16 by 16, with a pen of the text's own colour. */
const paths = {
  add: "M8 3v10M3 8h10",
  agent:
    "M5 3.5v9M5 8h3.5A2.5 2.5 0 0 0 11 5.5M3.5 3.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M9.5 4a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M3.5 12.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0",
  arrowDown: "M8 3v10M3.5 8.5L8 13l4.5-4.5",
  arrowUp: "M8 13V3M3.5 7.5L8 3l4.5 4.5",
  attach: "M10.7 8a2.7 2.7 0 1 1-5.4 0a2.7 2.7 0 0 1 5.4 0zM10.7 8v.9a1.6 1.6 0 0 0 3.2 0V8a5.9 5.9 0 1 0-2.4 4.7",
  bell: "M4 11.5c1-1 1-2 1-4a3 3 0 0 1 6 0c0 2 0 3 1 4zM7 13.3a1 1 0 0 0 2 0",
  check: "M3 8.5l3.3 3.3L13 4.8",
  chevron: "M6 3.5L10.5 8L6 12.5",
  circle: "M3.5 8a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.5 5.5h7v7h-7zM10.5 5.5v-2h-7v7h2",
  dash: "M4.5 8h7",
  edit: "M3.5 12.5l.6-2.7l6.5-6.5a1.3 1.3 0 0 1 1.9 0l.2.2a1.3 1.3 0 0 1 0 1.9l-6.5 6.5zM9.5 4.5l2 2",
  error: "M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0M6 6l4 4M10 6l-4 4",
  file: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  folder: "M2.5 4v8.5h11V5.5H8L6.5 4z",
  globe: "M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0M2.5 8h11M8 2.5c-3.3 3.4-3.3 7.6 0 11M8 2.5c3.3 3.4 3.3 7.6 0 11",
  image: "M2.5 3.5h11v9h-11zM2.5 11l3.2-3.2l2.5 2.5l1.6-1.6l3.7 3.3M10 6.3h.01",
  info: "M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0M8 7.3v3.4M8 5.1v.2",
  insert: "M8 3v6.5M5 7l3 3l3-3M3 13h10",
  list: "M6 4.5h7.5M6 8h7.5M6 11.5h7.5M3 4.5h0M3 8h0M3 11.5h0",
  more: "M3 8h1M7.5 8h1M12 8h1",
  open: "M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3L7.5 8.5",
  plan: "M2.7 4.3l1 1l1.8-2M2.7 10.3l1 1l1.8-2M8 4.5h5.5M8 10.7h5.5",
  question: "M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0M6.3 6.5a1.7 1.7 0 1 1 2.4 1.6c-.5.2-.7.5-.7 1.1M8 11v.2",
  search: "M3 7a4 4 0 1 0 8 0a4 4 0 1 0-8 0M10 10l3.5 3.5",
  stop: "M4.5 4.5h7v7h-7z",
  terminal: "M2.5 3.5h11v9h-11zM4.8 6l2 2l-2 2M8 10.2h3",
  thought: "M8 2.5a4 4 0 0 0-2.2 7.4v1.6h4.4V9.9A4 4 0 0 0 8 2.5zM6.5 13.5h3",
  tool: "M9.7 6.3a3 3 0 0 1-4 3.6L3.6 12a1 1 0 0 1-1.5-1.4L4.4 8.4a3 3 0 0 1 3.9-4.1L6.5 6.1l1.4 1.4z",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9",
  undo: "M3 6.5h6.5a3 3 0 0 1 0 6H6M3 6.5L6 3.5M3 6.5l3 3",
  warning: "M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.2",
} as const;

export type IconName = keyof typeof paths;

/** Says nothing to screen readers: the words stand beside it, or are the button's label. */
export function Icon({
  name,
  class: className = "",
}: {
  readonly name: IconName;
  readonly class?: string;
}): JSX.Element {
  return (
    <svg class={`icon ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** A button of an icon alone. */
export function IconButton({
  icon,
  label,
  onClick,
  isPressed,
  isDisabled,
  class: className = "",
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: (event: MouseEvent) => void;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  readonly class?: string;
}): JSX.Element {
  return (
    <button
      type="button"
      class={`icon-button ${className}`}
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
