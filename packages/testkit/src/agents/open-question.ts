import type { AgentOutcome } from "./agent-driver.ts";

/** A question to the user that is answered once, in the editor or in the terminal. */
export class OpenQuestion {
  readonly outcome: Promise<AgentOutcome>;
  /** Why the editor does not show it. */
  refusal: string | undefined;
  #resolve: (outcome: AgentOutcome) => void = () => {};
  #answered = false;

  constructor() {
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isAnswered(): boolean {
    return this.#answered;
  }

  /** Takes the first answer; later ones are ignored. The answer is made only if it is the first. */
  answer(outcome: () => AgentOutcome): void {
    if (this.#answered) return;
    this.#answered = true;
    this.#resolve(outcome());
  }
}
