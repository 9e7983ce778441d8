import type { OptionValue, SessionOption } from "@patchbay/conversations/model";
import type { JSX } from "preact";
import { usePanel, useSelected, useWords, type Words } from "../../store/use-panel.ts";
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
