import type { EditorHost, HostDiagnostics, HostDocuments, HostEditors } from "../editor-host.ts";
import type { Files } from "../platform/platform.ts";
import { toDisposable } from "../support/disposable.ts";

/** So many names that agents use of open files are remembered. */
const mostNames = 256;

/**
 * Which of the editor's open files a path means. One file has many names: through a link (`/tmp` and `/private/tmp` on macOS), and where
 * the system finds a name in any case or Unicode normalisation, in any spelling. The editor knows a document by one of them.
 */
export class OpenNames {
  readonly #files: Pick<Files, "realPath">;
  readonly #openFiles: HostEditors["openFiles"];
  /** What the editor calls a file, by another name of it. */
  readonly #known: Map<string, string> = new Map();

  constructor(files: Pick<Files, "realPath">, openFiles: HostEditors["openFiles"]) {
    this.#files = files;
    this.#openFiles = openFiles;
  }

  /** The editor's name of a file; the given one where it has it open by that, or not at all. Never rejects. */
  async of(path: string): Promise<string> {
    const open = this.#open();
    this.#known.delete(path);
    if (open.includes(path)) return path;
    const key = keyOf(path);
    const alike = open.filter((one) => keyOf(one) === key);
    if (alike.length === 0) return path;
    const [real, ...reals] = await Promise.all([path, ...alike].map(async (one) => await this.#real(one)));
    const found = real === undefined ? undefined : alike[reals.indexOf(real)];
    if (found === undefined) return path;
    if (this.#known.size >= mostNames) this.#known.clear();
    this.#known.set(path, found);
    return found;
  }

  /** The same by what was found before. */
  known(path: string): string {
    return this.#known.get(path) ?? path;
  }

  /** The names that were asked for of a file that the editor calls so. */
  othersOf(open: string): readonly string[] {
    return Array.from(this.#known).flatMap(([path, found]) => (found === open ? [path] : []));
  }

  #open(): readonly string[] {
    try {
      return this.#openFiles();
    } catch {
      // An editor that fails here fails where it is asked, too, and is told of there.
      return [];
    }
  }

  async #real(path: string): Promise<string | undefined> {
    return await this.#files.realPath(path).catch(() => undefined);
  }
}

/** The editor, which takes every name of a file that it has open. */
export function withOpenNames(host: EditorHost, files: Pick<Files, "realPath">): EditorHost {
  const names = new OpenNames(files, () => host.editors.openFiles());
  const { documents, diagnostics } = host;
  return {
    get identity() {
      return host.identity;
    },
    get workspace() {
      return host.workspace;
    },
    get editors() {
      return host.editors;
    },
    get diffs() {
      return host.diffs;
    },
    get messages() {
      return host.messages;
    },
    get storageDirectory() {
      return host.storageDirectory;
    },
    ...(documents === undefined ? {} : { documents: documentsBy(names, documents) }),
    ...(diagnostics === undefined ? {} : { diagnostics: diagnosticsBy(names, diagnostics) }),
  };
}

function documentsBy(names: OpenNames, documents: HostDocuments): HostDocuments {
  const { write, unsavedText, onDidChangeUnsaved, decodeFile, reload, openUntitled } = documents;
  return {
    open: async (request) => await documents.open({ ...request, path: await names.of(request.path) }),
    isDirty: (path) => documents.isDirty(names.known(path)),
    languageId: (path) => documents.languageId(names.known(path)),
    save: async (path) => await documents.save(await names.of(path)),
    readText: async (path, limitBytes) => await documents.readText(await names.of(path), limitBytes),
    ...(write && { write: async (path, held, text) => await write.call(documents, await names.of(path), held, text) }),
    ...(unsavedText && { unsavedText: async (path) => await unsavedText.call(documents, await names.of(path)) }),
    ...(decodeFile && { decodeFile: async (path, bytes) => await decodeFile.call(documents, path, bytes) }),
    ...(reload && { reload: async (path, held) => await reload.call(documents, await names.of(path), held) }),
    ...(openUntitled && { openUntitled: async (text, path) => await openUntitled.call(documents, text, path) }),
    ...(onDidChangeUnsaved && {
      onDidChangeUnsaved: (listener) => {
        const following = onDidChangeUnsaved(({ path }) => {
          for (const name of [path, ...names.othersOf(path)]) listener({ path: name });
        });
        return toDisposable(() => following.dispose());
      },
    }),
  };
}

function diagnosticsBy(names: OpenNames, diagnostics: HostDiagnostics): HostDiagnostics {
  const { onDidChange } = diagnostics;
  return {
    read: async (path, signal) => {
      if (path === undefined) return await diagnostics.read(path, signal);
      const open = await names.of(path);
      const found = await diagnostics.read(open, signal);
      return open === path ? found : found.map((one) => (one.path === open ? { ...one, path } : one));
    },
    ...(onDidChange && {
      onDidChange: (listener) =>
        onDidChange(({ paths }) => listener({ paths: paths.flatMap((path) => [path, ...names.othersOf(path)]) })),
    }),
  };
}

/** The last name in a path, in one spelling. */
function keyOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return name.normalize("NFD").toLowerCase();
}
