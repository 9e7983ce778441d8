/** Calls of the port that tests can make throw. */
export type HostCall =
  | "diffs.open"
  | "diagnostics.read"
  | "documents.open"
  | "documents.save"
  | "documents.readText"
  | "documents.write"
  | "documents.reload"
  | "documents.unsavedText"
  | "editors.active"
  | "editors.openFiles"
  | "messages.show"
  | "view.currentText"
  | "view.close"
  | "view.reveal"
  | "view.update"
  | "workspace.folders";

/** Which calls of the in-memory editor fail, and how often. */
export class HostFailures {
  readonly #planned: Map<HostCall, { readonly error: Error; left: number }> = new Map();

  /** Makes the next `times` calls throw `error`. */
  plan(call: HostCall, error: Error, times: number): void {
    this.#planned.set(call, { error, left: times });
  }

  clear(call: HostCall): void {
    this.#planned.delete(call);
  }

  /** Throws where a failure is planned. */
  check(call: HostCall): void {
    const planned = this.#planned.get(call);
    if (planned === undefined) return;
    planned.left -= 1;
    if (planned.left <= 0) this.#planned.delete(call);
    throw planned.error;
  }
}
