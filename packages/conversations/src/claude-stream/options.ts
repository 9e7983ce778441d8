import type { OptionValue, SessionOption, SlashCommand } from "../model/index.ts";
import type { Initialized, Model } from "./requests.ts";

/** The modes that can be chosen in a running session, and what the program itself calls otherwise. */
const modes: readonly OptionValue[] = [
  {
    id: "default",
    name: "Ask before edits",
    description: "Asks before it changes files or runs commands that do more than read.",
    asks: "always",
  },
  {
    id: "acceptEdits",
    name: "Edit freely",
    description: "Changes files without asking, also by commands such as rm; asks for other commands.",
    asks: "sometimes",
  },
  {
    id: "plan",
    name: "Plan",
    description: "Reads and plans; asks before it changes files.",
    asks: "always",
  },
  {
    id: "auto",
    name: "Auto",
    description: "Changes files without asking; a model decides which commands run.",
    asks: "never",
  },
];

/** What may be in force without being offered. */
const unofferedModes: readonly OptionValue[] = [
  {
    id: "dontAsk",
    name: "Never ask",
    description: "What is not allowed by a rule is refused without a question.",
  },
  { id: "bypassPermissions", name: "No questions", description: "Everything runs without a question.", asks: "never" },
];

/** A mode as it is shown; one that is not known, by its id. */
export function modeOf(id: string): OptionValue {
  return [...modes, ...unofferedModes].find((mode) => mode.id === id) ?? { id, name: id };
}

/** What the user can choose in a session: mode, model and effort, as the program says them. */
export class ClaudeOptions {
  #models: readonly Model[] = [];
  #mode = "default";
  #model = "default";
  #effort: string | undefined;

  initialise({ models, current_permission_mode }: Initialized, wanted: { readonly model?: string }): void {
    this.#models = models;
    this.#mode = current_permission_mode ?? this.#mode;
    this.#model = wanted.model ?? this.#model;
  }

  set mode(mode: string) {
    this.#mode = mode === "manual" ? "default" : mode;
  }

  get mode(): string {
    return this.#mode;
  }

  set model(model: string) {
    this.#model = model;
  }

  set effort(effort: string | undefined) {
    this.#effort = effort;
  }

  /** A model is named by what was chosen, or by what that stands for. */
  modelIs(resolved: string): void {
    const chosen = this.#models.find(({ value }) => value === this.#model);
    if (chosen?.resolvedModel === resolved || this.#model === resolved) return;
    const known = this.#models.find(({ value, resolvedModel }) => value === resolved || resolvedModel === resolved);
    this.#model = known?.value ?? resolved;
  }

  /** Whether a value is one that is offered. */
  offers(optionId: string, value: string | boolean): boolean {
    return this.all().some(({ id, values }) => id === optionId && values?.some((one) => one.id === value));
  }

  all(): readonly SessionOption[] {
    const model = this.#models.find(({ value }) => value === this.#model);
    const levels = model?.supportsEffort === true ? (model.supportedEffortLevels ?? []) : [];
    return [
      { id: "mode", category: "mode", name: "Mode", value: this.#mode, values: this.#modes(model) },
      ...(this.#models.length === 0
        ? []
        : [
            { id: "model", category: "model", name: "Model", value: this.#model, values: this.#modelValues() } as const,
          ]),
      ...(levels.length === 0 || this.#effort === undefined
        ? []
        : [
            {
              id: "effort",
              category: "effort",
              name: "Effort",
              value: this.#effort,
              values: levelValues(levels),
            } as const,
          ]),
    ];
  }

  #modes(model: Model | undefined): readonly OptionValue[] {
    const offered = modes.filter(({ id }) => id !== "auto" || model?.supportsAutoMode !== false || id === this.#mode);
    if (offered.some(({ id }) => id === this.#mode)) return offered;
    const current = modeOf(this.#mode);
    return [...offered, current];
  }

  #modelValues(): readonly OptionValue[] {
    const values = this.#models.map(({ value, displayName, description }) => ({
      id: value,
      name: displayName ?? value,
      ...(description === undefined ? {} : { description }),
    }));
    return values.some(({ id }) => id === this.#model) ? values : [...values, { id: this.#model, name: this.#model }];
  }
}

function levelValues(levels: readonly string[]): readonly OptionValue[] {
  return levels.map((level) => ({ id: level, name: level }));
}

/** The slash commands that the program offers. */
export function commandsOf({ commands }: Initialized): readonly SlashCommand[] {
  return commands.map(({ name, description, argumentHint }) => ({
    name,
    description,
    ...(argumentHint === "" ? {} : { argumentHint }),
  }));
}

/** Whether the program has nobody to pay for it: its user has to sign in first. */
export function isSignedOut({ account }: Initialized): boolean {
  if (account === undefined || (account.apiProvider !== undefined && account.apiProvider !== "firstParty"))
    return false;
  const has = (source: string | undefined): boolean => source !== undefined && source !== "" && source !== "none";
  return account.tokenSource === "none" && !has(account.apiKeySource);
}
