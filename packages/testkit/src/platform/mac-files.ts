import { posix } from "node:path";
import type { Files } from "@patchbay/core";

/**
 * The same files as macOS shows them: a name is found in any case and any Unicode normalisation, and told as it was made.
 * Links and everything else are as in `files`.
 */
export function createMacFiles(files: Files): Files {
  /** The name of an entry as it was made; the given one where there is none. */
  const spelledIn = async (folder: string, name: string): Promise<string> => {
    const names = await files.list(folder);
    return names.includes(name) ? name : (names.find((one) => isSameName(one, name)) ?? name);
  };
  const spelled = async (path: string): Promise<string> => {
    let found = "/";
    for (const name of path.split("/")) {
      if (name === "" || name === ".") continue;
      // What `..` means behind a link the files know.
      found = `${found === "/" ? "" : found}/${name === ".." ? name : await spelledIn(found, name)}`;
    }
    return found;
  };
  const { watch } = files;
  return {
    lstat: async (path) => await files.lstat(await spelled(path)),
    makeDirectory: async (path, mode) => await files.makeDirectory(await spelled(path), mode),
    chmod: async (path, mode) => await files.chmod(await spelled(path), mode),
    createExclusive: async (path, data, mode) => await files.createExclusive(await spelled(path), data, mode),
    rename: async (from, to) => {
      const [source, target] = [await spelled(from), await spelled(to)];
      // Another spelling of its own name is the new one.
      const wanted = source === target ? posix.join(posix.dirname(target), posix.basename(to)) : target;
      await files.rename(source, wanted);
    },
    remove: async (path) => await files.remove(await spelled(path)),
    removeDirectory: async (path) => await files.removeDirectory(await spelled(path)),
    removeSync: (path) => files.removeSync(path),
    readText: async (path, limitBytes) => await files.readText(await spelled(path), limitBytes),
    readOpened: async (path, limitBytes) => await files.readOpened(await spelled(path), limitBytes),
    readReal: async (path, limitBytes, found) => await files.readReal(await spelled(path), limitBytes, found),
    replaceText: async (path, heldText, text) => await files.replaceText(await spelled(path), heldText, text),
    startsWithByteOrderMark: async (path) => await files.startsWithByteOrderMark(await spelled(path)),
    list: async (path) => await files.list(await spelled(path)),
    realPath: async (path) => {
      const real = await files.realPath(await spelled(path));
      // A link may name its target in another spelling.
      return real === undefined ? undefined : await spelled(real);
    },
    readLink: async (path) => await files.readLink(await spelled(path)),
    ...(watch === undefined ? {} : { watch: (directory, onChange) => watch.call(files, directory, onChange) }),
  };
}

function isSameName(one: string, other: string): boolean {
  return one.normalize("NFD").toLowerCase() === other.normalize("NFD").toLowerCase();
}
