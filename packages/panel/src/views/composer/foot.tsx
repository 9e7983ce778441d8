import type { OptionValue, SessionOption } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useAgentName, usePanel, useSelected, useWords, type Words } from "../../store/use-panel.ts";
import { formatCost, formatCount, formatPercent } from "../widgets/format.ts";
import { Icon } from "../widgets/icon.tsx";
import { Menu } from "../widgets/menu.tsx";

/** What the agent lets the user choose: its mode, its model, how much it thinks. */
export function OptionsRow({ conversation }: { readonly conversation: string }): JSX.Element {
  const options = useSelected((state) => state.open?.options) ?? [];
  return (
    <>
      {options.map((option) => (
        <Option key={option.id} conversation={conversation} option={option} />
      ))}
    </>
  );
}

function describe({ description, asks }: OptionValue, words: Words): string | undefined {
  return asks === "never" ? words("option.neverAsks") : description;
}

function Option({
  conversation,
  option,
}: {
  readonly conversation: string;
  readonly option: SessionOption;
}): JSX.Element {
  const words = useWords();
  const panel = usePanel();
  const { id, name, value, values } = option;
  const choose = (chosen: string | boolean): void => panel.post({ type: "option", conversation, id, value: chosen });
  if (values === undefined || typeof value === "boolean") {
    return (
      <button
        type="button"
        class={`menu-button ${value === true ? "on" : ""}`}
        aria-pressed={value === true}
        title={words(value === true ? "option.on" : "option.off", { name })}
        onClick={() => choose(value !== true)}
      >
        {name}
      </button>
    );
  }
  const current = values.find((one) => one.id === value);
  return (
    <Menu
      label={`${name}: ${current?.name ?? value}`}
      class={current?.asks === "never" ? "option-menu risky" : "option-menu"}
      items={values.map((one) => {
        const description = describe(one, words);
        return {
          id: one.id,
          name: one.name,
          isChecked: one.id === value,
          ...(description === undefined ? {} : { description }),
        };
      })}
      onPick={choose}
    >
      <span class="menu-name">{current?.name ?? value}</span>
      <Icon name="chevron" class="menu-chevron" />
    </Menu>
  );
}

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
