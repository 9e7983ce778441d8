import { baseDirectory, type Platform, stateDirectory } from "@patchbay/core";
import type { UndoDoor } from "../model.ts";
import { restoreWhole } from "./restore-whole.ts";

/** How many files of one name are numbered in the trash. */
const mostNumbers = 9;

export interface DiskDoorOptions {
  readonly platform: Pick<Platform, "files" | "process" | "clock">;
  /** Nothing is written outside of these; absolute. */
  readonly folders: readonly string[];
}

interface RealPlace {
  /** The deepest folder that is there, links resolved. */
  readonly directory: string;
  /** What stands below it, the file's own name last. */
  readonly missing: readonly string[];
  readonly path: string;
}

/**
 * The way to the files on disk, without an editor: it writes in place, so that mode, owner and links stay, and never through a
 * link that leads out of the folders. What is removed goes to the user's trash; on Windows, where only the system's own programs can move
 * files there, to a directory of ours.
 */
export function createDiskDoor({ platform, folders }: DiskDoorOptions): UndoDoor {
  const { files, process, clock } = platform;
  const separator = process.platform === "win32" ? "\\" : "/";

  /** The path with links resolved, where that is in the folders; the file itself and folders above it may be missing. */
  const realPlace = async (path: string): Promise<RealPlace | undefined> => {
    const names = path.split(separator === "\\" ? /[\\/]/u : "/");
    const missing: string[] = [names.pop() ?? ""];
    let directory = await files.realPath(names.join(separator));
    while (directory === undefined && names.length > 2) {
      missing.unshift(names.pop() ?? "");
      directory = await files.realPath(names.join(separator));
    }
    if (directory === undefined || missing.some((name) => name === "" || name === "." || name === ".."))
      return undefined;
    for (const folder of folders) {
      const real = await files.realPath(folder);
      if (real === undefined || !(directory === real || directory.startsWith(`${real}${separator}`))) continue;
      return { directory, missing, path: [directory, ...missing].join(separator) };
    }
    return undefined;
  };

  /** Made for its owner alone, as the freedesktop.org trash specification has it. */
  const trash = async (): Promise<{ readonly files: string; readonly info: string | undefined }> => {
    if (process.platform === "win32") {
      const levels = stateDirectory(process, ["trash"]).split(/[\\/]/u);
      for (let depth = 2; depth <= levels.length; depth += 1) {
        await files.makeDirectory(levels.slice(0, depth).join(separator), 0o700);
      }
      return { files: levels.join(separator), info: undefined };
    }
    if (process.platform === "darwin") return { files: `${process.homeDirectory}/.Trash`, info: undefined };
    const root = `${baseDirectory(process, "XDG_DATA_HOME", [".local", "share"])}/Trash`;
    const levels = root.split("/").slice(1);
    for (let depth = 1; depth <= levels.length; depth += 1) {
      const path = `/${levels.slice(0, depth).join("/")}`;
      if ((await files.lstat(path)) === undefined) await files.makeDirectory(path, 0o700);
    }
    for (const name of ["files", "info"]) await files.makeDirectory(`${root}/${name}`, 0o700);
    return { files: `${root}/files`, info: `${root}/info` };
  };

  const moveToTrash = async (real: string): Promise<boolean> => {
    const found = await trash();
    const name = real.slice(real.lastIndexOf(separator) + 1);
    for (let number = 1; ; number += 1) {
      // A name that many files have had is in the trash many times.
      const free =
        number === 1 ? name : `${name}.${number <= mostNumbers ? number : Math.random().toString(36).slice(2)}`;
      const target = `${found.files}${separator}${free}`;
      if ((await files.lstat(target)) !== undefined) continue;
      const note = found.info === undefined ? undefined : `${found.info}/${free}.trashinfo`;
      if (note !== undefined) {
        if ((await files.lstat(note)) !== undefined) continue;
        const date = new Date(clock.now()).toISOString().slice(0, 19);
        await files.createExclusive(note, `[Trash Info]\nPath=${encodeURI(real)}\nDeletionDate=${date}\n`, 0o600);
      }
      try {
        await files.rename(real, target);
        return true;
      } catch (error) {
        if (note !== undefined) await files.remove(note);
        throw error;
      }
    }
  };

  const makeFolders = async (place: RealPlace): Promise<void> => {
    let { directory } = place;
    for (const name of place.missing.slice(0, -1)) {
      directory = `${directory}${separator}${name}`;
      await files.makeDirectory(directory, 0o755);
    }
  };

  return {
    unsavedText: async () => undefined,
    replace: async (path, heldText, text, mode = 0o644) => {
      const place = await realPlace(path);
      if (place === undefined) return "stale";
      if (heldText !== undefined) {
        return (await files.replaceText(place.path, heldText, text)) === "replaced" ? "written" : "stale";
      }
      if ((await files.lstat(place.path)) !== undefined) return "stale";
      await makeFolders(place);
      await files.createExclusive(place.path, text, mode & 0o777);
      return "written";
    },
    remove: async (path) => {
      const place = await realPlace(path);
      const kind = place === undefined ? undefined : (await files.lstat(place.path))?.kind;
      if (place === undefined || (kind !== "file" && kind !== "link")) return false;
      try {
        return await moveToTrash(place.path);
      } catch {
        // Another file system, or a trash that cannot be written: the file stays.
        return false;
      }
    },
    restore: async (path, held, wanted) => {
      const place = await realPlace(path);
      if (place === undefined) return "stale";
      if (held === undefined) await makeFolders(place);
      return await restoreWhole(files, place.path, held, wanted);
    },
    removeEmpty: async (folder) => {
      const place = await realPlace(folder);
      if (place === undefined || (await files.lstat(place.path))?.kind !== "directory") return;
      // Something is left in it, or nobody may remove it: it stays.
      await files.removeDirectory(place.path).catch(() => {});
    },
  };
}
