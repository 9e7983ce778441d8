import { codicon } from "@theia/core/lib/browser/widgets/widget";
import { createElement, type ReactNode } from "@theia/core/shared/react";

/** "2 of 5" in a toolbar, and the ways to its neighbours. */
export interface PositionItem {
  readonly key: string;
  readonly words: string;
  readonly title: string;
  readonly run: () => void;
  /** Both are there, or none. */
  readonly neighbors:
    | Readonly<Record<"previous" | "next", { readonly title: string; readonly run: () => void }>>
    | undefined;
}

export function renderPosition({ key, words, title, run, neighbors }: PositionItem): ReactNode {
  const button = (name: string, className: string, label: string, onClick: () => void, text?: string): ReactNode =>
    createElement(
      "div",
      {
        key: name,
        className: `action-label ${className}`,
        title: label,
        "aria-label": text ?? label,
        role: "button",
        tabIndex: 0,
        onClick,
      },
      text,
    );
  const step = (name: "previous" | "next", icon: string): ReactNode =>
    neighbors === undefined ? null : button(name, codicon(icon), neighbors[name].title, neighbors[name].run);
  return createElement(
    "div",
    { key, className: "item enabled", style: { display: "flex", alignItems: "center" } },
    step("previous", "chevron-left"),
    button("position", "no-icon", title, run, words),
    step("next", "chevron-right"),
  );
}
