import { LoadOnce, type Platform } from "@patchbay/core";

/** A folder of the workspace. */
export interface Place {
  /** As the editor names it. */
  readonly named: string;
  /** With links resolved. */
  readonly real: string;
}

/** The folders of a workspace, by both their names. */
export class Places {
  readonly #platform: Pick<Platform, "files" | "process">;
  readonly #folders: readonly string[];
  readonly #places: LoadOnce<readonly Place[]> = new LoadOnce(() => this.#resolve());

  constructor(platform: Pick<Platform, "files" | "process">, folders: readonly string[]) {
    this.#platform = platform;
    this.#folders = folders;
  }

  /** Never rejects. */
  load(): Promise<readonly Place[]> {
    return this.#places.get();
  }

  isInside(path: string): boolean {
    return this.#all.some(({ real }) => this.#below(path, real) !== undefined);
  }

  /** The editor's name of a path whose links are resolved. */
  named(path: string): string {
    return this.#moved(path, "real", "named") ?? path;
  }

  /** The other way round; a link below the folder is not followed. */
  real(path: string): string {
    return this.#moved(path, "named", "real") ?? path;
  }

  /** As an agent in the folder knows it: relative to that, where there is only one. */
  shown(path: string): string {
    const [only, ...others] = this.#all;
    const rest = only === undefined || others.length > 0 ? undefined : this.#below(this.named(path), only.named);
    return rest?.slice(1) ?? path;
  }

  get #all(): readonly Place[] {
    return this.#places.loaded ?? this.#folders.map((named) => ({ named, real: named }));
  }

  #moved(path: string, from: keyof Place, to: keyof Place): string | undefined {
    for (const place of this.#all) {
      const rest = this.#below(path, place[from]);
      if (rest !== undefined) return place[to] + rest;
    }
    return undefined;
  }

  /** What follows a folder in the path of something in it, with the separator. */
  #below(path: string, folder: string): string | undefined {
    const rest = path.slice(folder.length);
    if (!path.startsWith(folder) || rest === "") return undefined;
    return rest.startsWith("/") || (this.#platform.process.platform === "win32" && rest.startsWith("\\"))
      ? rest
      : undefined;
  }

  async #resolve(): Promise<readonly Place[]> {
    const { files } = this.#platform;
    const found = await Promise.all(
      this.#folders.map(async (folder) => {
        const named = folder.length > 1 ? folder.replace(/[\\/]$/u, "") : folder;
        return { named, real: (await files.realPath(named).catch(() => undefined)) ?? named };
      }),
    );
    // The innermost first.
    return found.toSorted((one, other) => other.named.length - one.named.length);
  }
}
