/**
 * A value that takes time to make and is wanted many times: made at the first call and kept, but never a failure. A rejected
 * promise that is kept turns one moment without descriptors into a feature that is dead until the editor is restarted.
 */
export class LoadOnce<T> {
  readonly #load: () => Promise<T>;
  // oxlint-disable-next-line patchbay/no-kept-promise -- This is what forgets.
  #loading: Promise<T> | undefined;
  #loaded: { readonly value: T } | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** The value once it is there; undefined before. Loads nothing. */
  get loaded(): T | undefined {
    return this.#loaded?.value;
  }

  /** The value, loaded with the first call. Rejects as the load does; the next call then loads anew. */
  get(): Promise<T> {
    if (this.#loading !== undefined) return this.#loading;
    const loading = this.#run();
    this.#loading = loading;
    loading.then(
      (value) => {
        if (this.#loading === loading) this.#loaded = { value };
      },
      () => {
        if (this.#loading === loading) this.#loading = undefined;
      },
    );
    return loading;
  }

  /** What is there once nothing is being loaded; undefined where nothing was. Loads nothing and never rejects. */
  async settled(): Promise<T | undefined> {
    return await this.#loading?.catch(() => undefined);
  }

  /** The next call loads anew; who asked before gets what was being loaded then. */
  forget(): void {
    this.#loading = undefined;
    this.#loaded = undefined;
  }

  /** What throws before it has given a promise fails like everything else. */
  async #run(): Promise<T> {
    return await this.#load();
  }
}
