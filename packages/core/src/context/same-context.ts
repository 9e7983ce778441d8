import type { EditorContext, Position, Range } from "./model.ts";

/** Whether two contexts say the same to an agent. */
export function sameContext(a: EditorContext, b: EditorContext): boolean {
  if (a.trusted !== b.trusted || a.files.length !== b.files.length) return false;
  for (let index = 0; index < a.files.length; index += 1) {
    const one = a.files[index];
    const other = b.files[index];
    if (one?.path !== other?.path || one?.timestamp !== other?.timestamp) return false;
  }
  const one = a.active;
  const other = b.active;
  if (one === undefined || other === undefined) return one === other;
  return (
    one.path === other.path &&
    samePosition(one.cursor, other.cursor) &&
    sameRange(one.selection?.range, other.selection?.range) &&
    one.selection?.text === other.selection?.text
  );
}

function samePosition(a: Position, b: Position): boolean {
  return a.line === b.line && a.character === b.character;
}

function sameRange(a: Range | undefined, b: Range | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return samePosition(a.start, b.start) && samePosition(a.end, b.end);
}
