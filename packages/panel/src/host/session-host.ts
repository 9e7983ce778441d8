import { type Clock, type EditorHost, type Files, isSecretPath, PatchbayError } from "@patchbay/core";
import { OpenNames } from "@patchbay/core/open-names";
import { checkPath } from "@patchbay/core/paths";
import { splitByteOrderMark } from "@patchbay/core/texts";
import type { EditorView, Problem, SessionHost } from "@patchbay/conversations";

/** More is no text to work on, bytes. */
const largestFile = 64 * 1024 * 1024;

/** How long a save may take before an agent goes on without it, ms. */
const saveMs = 1_500;

/** How long a language server may take to catch up with the disk, ms. */
const problemsMs = 1_000;

export interface SessionHostOptions {
  readonly host: EditorHost;
  readonly files: Files;
  readonly clock: Clock;
  /** Whether the user lets agents see the file: their patterns of what to leave out. */
  readonly isShared: (path: string) => boolean;
  /** Whether paths are those of Windows. */
  readonly isWindows: boolean;
}

/** What sessions need of the editor, by the port that every editor implements anyway. */
export function createSessionHost({ host, files, clock, isShared, isWindows }: SessionHostOptions): SessionHost {
  const { documents, diagnostics } = host;
  const names = new OpenNames(files, () => host.editors.openFiles());
  const readOpen = async (path: string): Promise<string | undefined> => await documents?.readText(path, largestFile);
  const readDisk = async (path: string): Promise<string | undefined> => {
    const real = await files.realPath(path);
    const bytes = real === undefined ? undefined : await files.readReal(real, largestFile);
    if (bytes === undefined) return undefined;
    return (await documents?.decodeFile?.(path, bytes)) ?? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  };
  const mayRead = (path: string): boolean => !isSecretPath(path) && isShared(path);
  return {
    mayRead,
    locate: async (path) => {
      const folders = host.workspace.folders();
      const real = await Promise.all(
        folders.map(async (folder) => (await files.realPath(folder).catch(() => undefined)) ?? folder),
      );
      const found = await checkPath(path, { files, isWindows, realFolders: () => Promise.resolve(real) });
      // The user's patterns are about the folders as they are opened.
      const opened = folders.map((folder, index) => found.real.replace(real[index] ?? folder, () => folder));
      return { isInside: found.inside, isShared: [path, found.real, ...opened].every(mayRead) };
    },
    readText: async (named) => {
      const path = await names.of(named);
      return (await readOpen(path)) ?? (await readDisk(path));
    },
    writeText: async (named, text) => {
      const path = await names.of(named);
      const open = await readOpen(path);
      if (open !== undefined && documents?.write !== undefined) {
        // A document keeps the mark of its file apart: in its text it would be a character.
        const wanted = splitByteOrderMark(text).body;
        const isWritten = (await documents.write(path, open, wanted)) === "written";
        // What was unsaved is in the accepted text, too.
        if (isWritten && documents.isDirty(path) === true) await documents.save(path);
        if (isWritten) return;
        throw new PatchbayError("host-failed", `${path} was changed in the editor just now, and was not written.`);
      }
      await writeDisk(path, text, files);
    },
    saveIfDirty: async (named) => {
      const path = await names.of(named);
      if (documents?.isDirty(path) !== true) return false;
      const late = new Promise<boolean>((resolve) => void clock.setTimeout(() => resolve(false), saveMs));
      return await Promise.race([documents.save(path), late]);
    },
    problems: async (named) => {
      if (diagnostics === undefined) return [];
      const found = await diagnostics.read(await names.of(named), AbortSignal.timeout(problemsMs));
      return found.flatMap(({ diagnostics: all }) => all.map(problemOf));
    },
    view: viewOf(host, mayRead),
  };
}

async function writeDisk(path: string, text: string, files: Files): Promise<void> {
  const real = await files.realPath(path);
  const held = real === undefined ? undefined : await files.readText(real, largestFile);
  if (real === undefined) {
    await makeParents(path, files);
    await files.createExclusive(path, text, 0o666);
    return;
  }
  const { mark, body } = splitByteOrderMark(text);
  const wanted = (mark || splitByteOrderMark(held ?? "").mark) + body;
  if (held !== undefined && (await files.replaceText(real, held, wanted)) === "replaced") return;
  throw new PatchbayError("host-failed", `${path} was changed just now, or is not UTF-8 text, and was not written.`);
}

async function makeParents(path: string, files: Files): Promise<void> {
  const parent = path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")));
  if (parent === "" || (await files.lstat(parent)) !== undefined) return;
  await makeParents(parent, files);
  await files.makeDirectory(parent, 0o777);
}

const severities = { Error: "error", Warning: "warning", Information: "information", Hint: "hint" } as const;

function problemOf(found: {
  readonly message: string;
  readonly severity: keyof typeof severities;
  readonly range: { readonly start: { readonly line: number } };
  readonly source?: string;
}): Problem {
  const { message, severity, range, source } = found;
  const problem = { line: range.start.line + 1, severity: severities[severity], message };
  return source === undefined ? problem : { ...problem, source };
}

function viewOf({ editors, documents }: EditorHost, mayRead: (path: string) => boolean): EditorView {
  return {
    openFiles: async () => {
      const active = editors.active()?.path;
      const paths = editors.openFiles().filter(mayRead);
      const inOrder = paths.toSorted((one, other) => Number(other === active) - Number(one === active));
      return inOrder.map((path) => {
        return { path, isActive: path === active, isDirty: documents?.isDirty(path) === true };
      });
    },
    selection: async () => {
      const active = editors.active();
      if (active === undefined || !mayRead(active.path)) return undefined;
      const range = active.selection ?? { start: active.cursor, end: active.cursor };
      const lines = { start: range.start.line + 1, end: range.end.line + 1 };
      return { path: active.path, lines, text: active.selection === undefined ? "" : active.readSelection(65_536) };
    },
    openFile: async (path, line) => {
      if (documents === undefined || !mayRead(path)) return false;
      const place = line === undefined ? undefined : { line: line - 1, character: 0 };
      const range = place === undefined ? {} : { range: { start: place, end: place } };
      await documents.open({ path, ...range, preview: true, focus: false });
      return true;
    },
  };
}
