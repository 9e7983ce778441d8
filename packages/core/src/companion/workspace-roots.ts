import type { HostWorkspace } from "../editor-host.ts";
import type { Files } from "../platform/platform.ts";
import { LoadOnce } from "../support/load-once.ts";

/** The folders of the workspace, as opened and with links resolved. */
export class WorkspaceRoots {
  readonly #workspace: HostWorkspace;
  readonly #files: Files;
  readonly #real: LoadOnce<readonly string[]> = new LoadOnce(() =>
    Promise.all(
      this.folders.map(async (folder) => (await this.#files.realPath(folder).catch(() => undefined)) ?? folder),
    ),
  );

  constructor(workspace: HostWorkspace, files: Files) {
    this.#workspace = workspace;
    this.#files = files;
  }

  /** As opened, without a separator at the end: agents compare texts. */
  get folders(): readonly string[] {
    return this.#workspace
      .folders()
      .filter((folder) => folder !== "")
      .map(withoutEnd);
  }

  /** With links resolved; a folder that is not there, or cannot be looked at, stays as it is. Kept until `refresh`. */
  real(): Promise<readonly string[]> {
    return this.#real.get();
  }

  /** The folders have changed. */
  refresh(): void {
    this.#real.forget();
  }
}

/** A root keeps its separator. */
function withoutEnd(folder: string): string {
  return folder.replace(folder.startsWith("/") ? /(?<=[^/])\/+$/u : /(?<=[^:/\\])[/\\]+$/u, "");
}
