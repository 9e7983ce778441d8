/** Says once that the proposals of an earlier run are back. */
export interface Restoration {
  readonly done: Promise<void>;
  finish(): void;
}

export function createRestoration(): Restoration {
  let finish: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { done, finish: () => finish() };
}
