import {
  type EditorContext,
  type EditorChange,
  Emitter,
  type HostActiveEditor,
  type HostEditors,
} from "@patchbay/core";

/** What is open in the editor that has the folder open; where there is none, what is open here. */
export class FollowedEditor implements HostEditors {
  readonly #own: HostEditors;
  readonly #change: Emitter<EditorChange> = new Emitter();
  #context: EditorContext | undefined;
  readonly onDidChange: HostEditors["onDidChange"] = this.#change.event;

  constructor(own: HostEditors) {
    this.#own = own;
    own.onDidChange((change) => this.#change.fire(change));
  }

  /** Undefined: there is no such editor. */
  update(context: EditorContext | undefined): void {
    this.#context = context;
    this.#change.fire({ kind: "selection" });
  }

  openFiles(): readonly string[] {
    return this.#context?.files.map(({ path }) => path) ?? this.#own.openFiles();
  }

  active(): HostActiveEditor | undefined {
    if (this.#context === undefined) return this.#own.active();
    const { active } = this.#context;
    if (active === undefined) return undefined;
    const { path, cursor, selection } = active;
    // The editor has cut it already.
    if (selection === undefined) return { path, cursor, readSelection: () => "" };
    return { path, cursor, selection: selection.range, readSelection: () => selection.text };
  }
}
