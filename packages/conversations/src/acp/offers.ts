import type { OptionValue, SessionOption } from "../model/index.ts";
import type { AcpProfile } from "./profiles.ts";
import type { ConfigOption, Offers, Selection, SelectionValue } from "./wire.ts";

/** How a choice is sent: which request, and what beside the session's id. */
export interface ChoiceRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const modeId = "mode";
const modelId = "model";

/** What the agent offers to choose, of both generations: modes and models of their own, and options that may hold both. */
export class SessionOffers {
  readonly #profile: AcpProfile;
  #modes: Selection | undefined;
  #models: Selection | undefined;
  #options: readonly ConfigOption[] = [];

  constructor(profile: AcpProfile) {
    this.#profile = profile;
  }

  /** A session was opened: what it does not say, it does not offer. */
  replace({ modes, models, options }: Offers): void {
    this.#modes = modes;
    this.#models = models;
    this.#options = options ?? [];
  }

  setOptions(options: readonly ConfigOption[]): void {
    this.#options = options;
  }

  /** The agent has changed its mode. */
  setMode(id: string): void {
    if (this.#modes !== undefined) this.#modes = { ...this.#modes, current: id };
    const option = this.#options.find(({ category }) => category === modeId);
    if (option !== undefined) this.#setValue(option.id, id);
  }

  /** The request that chooses a value; undefined where there is no such option. */
  choose(id: string, value: string | boolean): ChoiceRequest | undefined {
    if (this.#options.some((option) => option.id === id)) {
      const type = typeof value === "boolean" ? { type: "boolean" } : {};
      return { method: "session/set_config_option", params: { configId: id, value, ...type } };
    }
    if (id === modeId && this.#modes !== undefined) return { method: "session/set_mode", params: { modeId: value } };
    if (id === modelId && this.#models !== undefined)
      return { method: "session/set_model", params: { modelId: value } };
    return undefined;
  }

  /** The agent has taken a choice. `options`: what it says they are now. */
  chosen(id: string, value: string | boolean, options: readonly ConfigOption[] | undefined): void {
    if (options !== undefined && options.length > 0) this.#options = options;
    else if (this.#options.some((option) => option.id === id)) this.#setValue(id, value);
    else if (typeof value !== "string") return;
    else if (id === modeId && this.#modes !== undefined) this.#modes = { ...this.#modes, current: value };
    else if (id === modelId && this.#models !== undefined) this.#models = { ...this.#models, current: value };
  }

  /** The id of the mode the agent is in, where it has modes. */
  get mode(): string | undefined {
    const option = this.#options.find(({ category }) => category === modeId);
    const current = option?.current ?? this.#modes?.current;
    return typeof current === "string" ? current : undefined;
  }

  /** Whether the agent asks before it writes files, in the mode it is in. */
  get asks(): OptionValue["asks"] {
    const { mode } = this;
    return mode === undefined ? undefined : this.#asksIn(mode);
  }

  /** How many tokens the context of the chosen model holds, where the agent says it. */
  get contextSize(): number | undefined {
    return this.#models?.values.find(({ id }) => id === this.#models?.current)?.contextSize;
  }

  toOptions(): readonly SessionOption[] {
    const has = (category: string): boolean => this.#options.some((option) => option.category === category);
    return [
      ...(this.#modes === undefined || has(modeId) ? [] : [this.#ofSelection(modeId, "Mode", this.#modes)]),
      ...(this.#models === undefined || has(modelId) ? [] : [this.#ofSelection(modelId, "Model", this.#models)]),
      ...this.#options.map((option) => this.#ofOption(option)),
    ];
  }

  #ofSelection(id: "mode" | "model", name: string, selection: Selection): SessionOption {
    const values = selection.values.map((value) => this.#value(value, id));
    return { id, category: id, name, value: selection.current, values };
  }

  #ofOption(option: ConfigOption): SessionOption {
    const category = categoryOf(option.category);
    return {
      id: option.id,
      category,
      name: option.name,
      ...(option.description === undefined ? {} : { description: option.description }),
      value: option.current,
      ...(option.values === undefined ? {} : { values: option.values.map((value) => this.#value(value, category)) }),
    };
  }

  #value({ id, name, description }: SelectionValue, category: SessionOption["category"]): OptionValue {
    const asks = category === modeId ? this.#asksIn(id) : undefined;
    return {
      id,
      name,
      ...(description === undefined || description === "" ? {} : { description }),
      ...(asks === undefined ? {} : { asks }),
    };
  }

  /** Nothing is said of the modes of an agent that nothing is known of. */
  #asksIn(mode: string): OptionValue["asks"] {
    const { modes } = this.#profile;
    return modes[mode] ?? (Object.keys(modes).length === 0 ? undefined : "sometimes");
  }

  #setValue(id: string, value: string | boolean): void {
    this.#options = this.#options.map((option) => (option.id === id ? { ...option, current: value } : option));
  }
}

function categoryOf(category: string | undefined): SessionOption["category"] {
  switch (category) {
    case "mode":
    case "model":
      return category;
    case "thought_level":
      return "effort";
    default:
      return "other";
  }
}
