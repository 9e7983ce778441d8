import type { EditorContext } from "../context/model.ts";

/** What a model reads with a prompt of what the user has open, as far as it is shared. Lines from 1. */
export function contextNote({ files, active }: EditorContext): string {
  const others = files.map(({ path }) => path).filter((path) => path !== active?.path);
  const lines = [
    ...(active === undefined
      ? []
      : [`In front: ${quoted(active.path)}, the cursor in line ${active.cursor.line + 1}.`]),
    ...(active?.selection === undefined ? [] : selected(active.selection)),
    ...(others.length === 0 ? [] : [`Also open: ${others.map(quoted).join(", ")}.`]),
  ];
  if (lines.length === 0) return "The user's editor shares no open file now.";
  return ["This is open in the user's editor now. What they ask may have nothing to do with it.", ...lines].join("\n");
}

function selected({ range, text }: NonNullable<NonNullable<EditorContext["active"]>["selection"]>): readonly string[] {
  if (text === "") return [];
  const [first, last] = [range.start.line + 1, range.end.line + 1];
  // No text can end its own frame.
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/gu), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [`Selected, ${first === last ? `line ${first}` : `lines ${first} to ${last}`}:`, fence, text, fence];
}

/** A path is any text, also one with line ends. */
function quoted(path: string): string {
  return JSON.stringify(path);
}
