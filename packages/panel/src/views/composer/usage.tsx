import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useSelected, useWords } from "../../store/use-panel.ts";
import { formatCost, formatCount, formatPercent } from "../widgets/format.ts";

/** How full the context is, as a ring; the numbers behind it. */
export function UsageMeter(): JSX.Element | undefined {
  const words = useWords();
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const usage = useSelected((state) => state.open?.usage);
  const locale = useSelected((state) => state.settings?.locale) ?? "en";
  useEffect(() => {
    if (!isOpen) return undefined;
    const leave = ({ target }: Event): void => {
      if (!(target instanceof Node && root.current?.contains(target))) setOpen(false);
    };
    document.addEventListener("pointerdown", leave);
    return () => document.removeEventListener("pointerdown", leave);
  }, [isOpen]);
  if (usage === undefined) return undefined;
  const { contextTokens, contextSize, inputTokens, outputTokens, cost, currency } = usage;
  const share =
    contextTokens === undefined || contextSize === undefined ? undefined : Math.min(1, contextTokens / contextSize);
  const count = (number: number): string => formatCount(number, locale);
  const rows = [
    ...(contextTokens === undefined || contextSize === undefined
      ? []
      : [[words("usage.context"), words("usage.tokens", { used: count(contextTokens), size: count(contextSize) })]]),
    ...(inputTokens === undefined ? [] : [[words("usage.input"), count(inputTokens)]]),
    ...(outputTokens === undefined ? [] : [[words("usage.output"), count(outputTokens)]]),
    ...(cost === undefined ? [] : [[words("usage.cost"), formatCost(cost, currency, locale)]]),
  ];
  if (rows.length === 0) return undefined;
  const label =
    share === undefined ? words("usage.cost") : words("usage.label", { percent: formatPercent(share, locale) });
  return (
    <div class="usage" ref={root}>
      <button
        type="button"
        class={`icon-button meter ${share !== undefined && share > 0.85 ? "full" : ""}`}
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={({ key }) => key === "Escape" && setOpen(false)}
      >
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <circle class="meter-rim" cx="8" cy="8" r="5.5" />
          <circle
            class="meter-arc"
            cx="8"
            cy="8"
            r="5.5"
            pathLength="100"
            stroke-dasharray={`${(share ?? 0) * 100} 100`}
          />
        </svg>
      </button>
      {isOpen ? (
        <dl class="popup popup-above usage-rows" id={id}>
          {rows.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      ) : undefined}
    </div>
  );
}
