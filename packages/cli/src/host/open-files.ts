import { existsSync } from "node:fs";
import {
  type EditorChange,
  Emitter,
  type HostActiveEditor,
  type HostEditors,
  type Position,
  type Range,
} from "@patchbay/core";
import { readFileRange } from "./read-file-range.ts";

/** A file that the user says to have open. */
export interface OpenPlace {
  readonly path: string;
  readonly cursor: Position;
  readonly selection?: Range;
}

/** What the user of the headless host says to have open: files, and a place or a selection in each. */
export class OpenFiles implements HostEditors {
  readonly #places: Map<string, OpenPlace> = new Map();
  readonly #change: Emitter<EditorChange> = new Emitter();
  #active: string | undefined;

  readonly onDidChange: HostEditors["onDidChange"] = this.#change.event;

  /** Those that are there: a file may be removed while it is open here. */
  openFiles(): readonly string[] {
    return Array.from(this.#places.keys()).filter((path) => existsSync(path));
  }

  active(): HostActiveEditor | undefined {
    const place = this.#active === undefined ? undefined : this.#places.get(this.#active);
    if (place === undefined || !existsSync(place.path)) return undefined;
    const { path, selection } = place;
    return {
      ...place,
      readSelection: (limitBytes) => (selection === undefined ? "" : readFileRange(path, selection, limitBytes)),
    };
  }

  /** Opens a file or goes to another place in it; it is the active one then. */
  open(place: OpenPlace): void {
    const isNew = !this.#places.has(place.path);
    this.#places.set(place.path, place);
    this.#active = place.path;
    if (isNew) this.#change.fire({ kind: "opened", path: place.path });
    this.#change.fire({ kind: "focused", path: place.path });
    this.#change.fire({ kind: "selection" });
  }

  /** Says whether the file was open. The file opened before it is then the active one. */
  close(path: string): boolean {
    if (!this.#places.delete(path)) return false;
    if (this.#active === path) this.#active = Array.from(this.#places.keys()).at(-1);
    this.#change.fire({ kind: "closed", path });
    return true;
  }
}
