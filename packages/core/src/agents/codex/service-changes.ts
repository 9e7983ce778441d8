import { type HookChange, memberOf, type NamedFile, textOf } from "../hook.ts";
import { openedByCodex } from "./tools.ts";
import { patched } from "./unified-diff.ts";

/** More files in one patch are not shown: nobody reads them one by one. */
const mostFiles = 200;

/** The changes of a patch as the service tells them; undefined where one of them is in no form that is known. */
export function changesOf(told: unknown): readonly HookChange[] | undefined {
  if (!Array.isArray(told) || told.length === 0 || told.length > mostFiles) return undefined;
  const changes = told.map(changesOfFile);
  return changes.some((one) => one === undefined) ? undefined : changes.flatMap((one) => one ?? []);
}

function changesOfFile(told: unknown): readonly HookChange[] | undefined {
  const [path, diff, kind] = [textOf(told, "path"), textOf(told, "diff"), memberOf(told, "kind")];
  if (path === undefined || diff === undefined) return undefined;
  switch (textOf(kind, "type")) {
    case "add":
      return [change(path, () => diff)];
    case "delete":
      return [removal(path)];
    case "update": {
      const movedTo = textOf(kind, "move_path");
      const after = (text: string | undefined): string | undefined =>
        text === undefined ? undefined : patched(text, diff);
      if (movedTo === undefined) return [change(path, after)];
      return [change(movedTo, (_before, source) => after(source), named(path)), removal(path)];
    }
    default:
      return undefined;
  }
}

function removal(path: string): HookChange {
  return change(path, (before) => (before === undefined ? undefined : ""));
}

function named(path: string): NamedFile {
  return { path, opened: (place) => openedByCodex(path, undefined, place) };
}

function change(path: string, textAfter: HookChange["textAfter"], source?: NamedFile): HookChange {
  return {
    ...named(path),
    ...(source === undefined ? {} : { source }),
    isDelicate: false,
    textAfter,
    argumentsFor: () => undefined,
  };
}
