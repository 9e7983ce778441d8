import type { OptionValue, SessionOption } from "../model/index.ts";
import type { PiModel, PiState } from "./codec.ts";

/** Pi has no modes, and never asks: these are ours, and what our extension does of them. */
export type Mode = "ask" | "commands" | "free";

const modes: readonly (OptionValue & { readonly id: Mode })[] = [
  {
    id: "ask",
    name: "Ask before edits",
    description: "Asks before it changes files, runs commands or uses tools of extensions.",
    asks: "always",
  },
  {
    id: "commands",
    name: "Run commands freely",
    description: "Asks before it changes files; runs everything else without a question.",
    asks: "sometimes",
  },
  { id: "free", name: "No questions", description: "Everything runs without a question.", asks: "never" },
];

export function modeNamed(id: Mode): OptionValue {
  return modes.find((mode) => mode.id === id) ?? { id, name: id };
}

const levels = ["off", "minimal", "low", "medium", "high", "xhigh"];

/** What the user can choose in a session. */
export class PiOptions {
  mode: Mode = "ask";
  #models: readonly PiModel[] = [];
  #model: PiModel | undefined;
  #level: string | undefined;

  set models(models: readonly PiModel[]) {
    this.#models = models;
  }

  set level(level: string | undefined) {
    this.#level = level;
  }

  take({ model, thinkingLevel }: Pick<PiState, "model" | "thinkingLevel">): void {
    this.#model = model ?? undefined;
    this.#level = thinkingLevel;
  }

  get model(): PiModel | undefined {
    return this.#model;
  }

  /** The model of a value; undefined where it is not offered. */
  modelOf(value: string): PiModel | undefined {
    return this.#models.find((model) => valueOf(model) === value);
  }

  /** Whether a value is one that is offered. */
  offers(optionId: string, value: string | boolean): boolean {
    return this.all().some(({ id, values }) => id === optionId && values?.some((one) => one.id === value));
  }

  all(): readonly SessionOption[] {
    const model = this.#model;
    const known = [...this.#models, ...(model === undefined ? [] : [model])];
    const values = Array.from(new Map(known.map((one) => [valueOf(one), namedModel(one)])).values());
    const offered = model === undefined ? [] : levelsOf(model);
    return [
      { id: "mode", category: "mode", name: "Mode", value: this.mode, values: modes },
      ...(model === undefined
        ? []
        : [{ id: "model", category: "model", name: "Model", value: valueOf(model), values } as const]),
      ...(offered.length < 2 || this.#level === undefined
        ? []
        : [
            {
              id: "effort",
              category: "effort",
              name: "Effort",
              value: this.#level,
              values: offered.map((level) => ({ id: level, name: level })),
            } as const,
          ]),
    ];
  }
}

function valueOf({ provider, id }: PiModel): string {
  return `${provider}/${id}`;
}

function namedModel(model: PiModel): OptionValue {
  return { id: valueOf(model), name: model.name ?? model.id, description: model.provider };
}

/** As Pi counts them (seen, 0.74.2): one that is named as null is not there, and the highest only where it is named. */
function levelsOf({ reasoning, thinkingLevelMap }: PiModel): readonly string[] {
  if (reasoning !== true) return [];
  return levels.filter((level) => {
    const mapped = thinkingLevelMap?.[level];
    return mapped !== null && (level !== "xhigh" || mapped !== undefined);
  });
}
