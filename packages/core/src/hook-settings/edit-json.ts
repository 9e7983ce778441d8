import { findNodeAtLocation, type Node, type ParseError, parseTree } from "jsonc-parser";

/** JSON with comments and trailing commas, as people write settings. Undefined where it is not. */
export function readJson(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  return errors.length === 0 ? tree : undefined;
}

/** What stands at a path; undefined where nothing does. */
export function nodeAt(tree: Node, ...path: readonly (string | number)[]): Node | undefined {
  return findNodeAtLocation(tree, [...path]);
}

/** How a file is laid out. */
export interface Layout {
  readonly end: string;
  readonly indent: string;
}

/** What people see of a file: how its lines end, and by what they are indented. */
export function layoutOf(text: string): Layout {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const indent = /\n(?<indent>[ \t]+)\S/u.exec(text)?.groups?.["indent"] ?? "  ";
  return { end, indent };
}

/** What is to be put into an object (with a name) or a list. */
export interface Member {
  readonly name?: string;
  readonly value: unknown;
}

/**
 * Puts a last member into an object or a list. What stands there, comments too, stays where it is; `remove` takes it out again, and
 * leaves every byte as it was. An object or a list that was empty is told by its end on the member's last line.
 */
export function addLast(text: string, container: Node, member: Member, layout: Layout): string {
  const outer = depthOf(container);
  const written = linesOf(member, layout);
  const lines = written.map((line, index) => (index === 0 ? line : layout.indent.repeat(outer + 1) + line));
  const added = `${layout.end}${layout.indent.repeat(outer + 1)}${lines.join(layout.end)}`;
  const last = container.children?.at(-1);
  if (last === undefined) {
    const close = container.offset + container.length - 1;
    const isBare = container.parent === undefined && text.charAt(close - 1) === "{";
    return text.slice(0, close) + (isBare ? added + layout.end : lines.join(layout.end)) + text.slice(close);
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end, container);
  // The rest of the line is a comment on the member before.
  const at = endOfLine(text, comma === undefined ? end : comma + 1, container);
  if (comma !== undefined) return `${text.slice(0, at)}${added},${text.slice(at)}`;
  return `${text.slice(0, end)},${text.slice(end, at)}${added}${text.slice(at)}`;
}

/** Takes out the last member of an object or a list, as `addLast` has put it in; any other one with what stands before it. */
export function remove(text: string, container: Node, member: Node): string {
  const members = container.children ?? [];
  const index = members.indexOf(member);
  const before = members[index - 1];
  const start = spaceBefore(text, member.offset);
  const end = member.offset + member.length;
  const comma = commaAfter(text, end, container);
  if (comma !== undefined) return text.slice(0, start) + text.slice(comma + 1);
  if (stoodEmpty(text, container, member)) return text.slice(0, member.offset) + text.slice(end);
  if (before === undefined) return text.slice(0, start) + text.slice(endWhereBare(text, container, start, end) ?? end);
  const earlier = commaAfter(text, before.offset + before.length, container) ?? start;
  return text.slice(0, earlier) + text.slice(earlier + 1, start) + text.slice(end);
}

/** Whether an object or a list was there and empty before `addLast` put its only member in. */
export function stoodEmpty(text: string, container: Node, member: Node): boolean {
  const end = member.offset + member.length;
  const isOnLines = text.slice(member.offset, end).includes("\n");
  return container.children?.length === 1 && isOnLines && end === container.offset + container.length - 1;
}

/** Where the settings end when nothing but the member and its lines is in them; undefined where there is more. */
function endWhereBare(text: string, container: Node, start: number, end: number): number | undefined {
  const close = container.offset + container.length - 1;
  const isBare = container.parent === undefined && start === container.offset + 1;
  return isBare && /^\r?\n$/u.test(text.slice(end, close)) ? close : undefined;
}

/** Not as `JSON.stringify` indents, which knows no more than ten characters. */
function linesOf({ name, value }: Member, { indent }: Layout): readonly string[] {
  const text = JSON.stringify(value, undefined, 1);
  const lines = text.split("\n").map((line) => {
    const inner = line.trimStart();
    return indent.repeat(line.length - inner.length) + inner;
  });
  return name === undefined ? lines : [`${JSON.stringify(name)}: ${lines[0] ?? ""}`, ...lines.slice(1)];
}

function depthOf(node: Node): number {
  let depth = 0;
  for (let above = node.parent; above !== undefined; above = above.parent) if (above.type !== "property") depth += 1;
  return depth;
}

/** Where the comma behind a member is; undefined where there is none. */
function commaAfter(text: string, from: number, container: Node): number | undefined {
  const rest = text.slice(from, container.offset + container.length - 1);
  const skipped = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/u.exec(rest)?.[0].length ?? 0;
  return rest.charAt(skipped) === "," ? from + skipped : undefined;
}

/** The end of the line, if nothing but space and comments is on it; else where we are. */
function endOfLine(text: string, from: number, container: Node): number {
  const rest = text.slice(from, container.offset + container.length - 1);
  const comment = /^[ \t]*(?:\/\*[^\n]*?\*\/[ \t]*)*(?:\/\/[^\r\n]*)?(?=\r?\n)/u.exec(rest)?.[0] ?? "";
  return from + comment.replace(/[ \t]+$/u, "").length;
}

/** Where the line end and the space before a member begin. */
function spaceBefore(text: string, offset: number): number {
  const space = /\r?\n[ \t]*$|[ \t]*$/u.exec(text.slice(0, offset))?.[0].length ?? 0;
  return offset - space;
}
