import type { FinishedChange } from "../hook.ts";
import { firstLine, lastLine, linesOf, type PatchStep, trimmed, updated } from "./apply-patch.ts";
import type { Part } from "./tools.ts";

/**
 * A patch of these parts that makes of their files what the user wants, without those that they refused; undefined where none can. Loaded
 * when the user has changed or refused something.
 */
export function rewrittenPatch(parts: readonly Part[], finished: readonly FinishedChange[]): string | undefined {
  const lines: string[] = [];
  for (const part of parts) {
    const written = linesOfPart(part, finished);
    if (written === undefined) return undefined;
    lines.push(...written);
  }
  return lines.length === 0 ? undefined : patchOf(lines);
}

/** None where the user wants none of it; as they stand where they want it so. */
function linesOfPart({ section, changes }: Part, finished: readonly FinishedChange[]): readonly string[] | undefined {
  const found = changes.map((one) => ({ ...one, end: finished.find(({ change }) => change === one.change) }));
  if (found.every(({ end }) => end === undefined || end.isAsProposed)) return section.lines;
  const lines: string[] = [];
  for (const { end, isRemoval, isWhole, path } of found) {
    // Of a file that nobody reviews it is not known here what it is to be.
    if (end === undefined) return undefined;
    const { before, wanted } = end;
    if (wanted === undefined) continue;
    const written =
      isRemoval && wanted === ""
        ? linesThatDelete(path)
        : isWhole && !isRemoval
          ? linesThatAdd(path, wanted)
          : linesThatUpdate(path, before ?? "", wanted);
    if (written === undefined) return undefined;
    lines.push(...written);
  }
  return lines;
}

/** The lines of a patch that make exactly `wanted` of a file, whatever is there; undefined where no patch can. */
export function linesThatAdd(path: string, wanted: string): readonly string[] | undefined {
  const lines = patchLines(wanted);
  return lines === undefined ? undefined : [`*** Add File: ${path}`, ...lines.map((line) => `+${line}`)];
}

export function linesThatDelete(path: string): readonly string[] {
  return [`*** Delete File: ${path}`];
}

/** The same of a file that is there. */
export function linesThatUpdate(path: string, before: string, wanted: string): readonly string[] | undefined {
  const [old, next] = [linesOf(before), linesOf(wanted)];
  const isSame = (one: number, other: number): boolean => {
    const [was, is] = [old[one], next[other]];
    return was !== undefined && was.text === is?.text && was.end === is.end;
  };
  let head = 0;
  while (head < old.length && isSame(head, head)) head += 1;
  let tail = 0;
  const most = Math.min(old.length, next.length) - head;
  while (tail < most && isSame(old.length - 1 - tail, next.length - 1 - tail)) tail += 1;
  const [changedFrom, changedTo] = [head, old.length - tail];
  for (let more = 1; ; more *= 2) {
    const steps = old.slice(head, old.length - tail).map(({ text }, index): readonly PatchStep[] => {
      const isChanged = head + index >= changedFrom && head + index < changedTo;
      if (isChanged) return [{ does: "goes", text }];
      // Nobody takes this line for a marker.
      return trimmed(text).startsWith("***")
        ? [
            { does: "goes", text },
            { does: "comes", text },
          ]
        : [{ does: "stays", text }];
    });
    const coming = next.slice(changedFrom, next.length - (old.length - changedTo)).map(({ text }): PatchStep => {
      return { does: "comes", text };
    });
    const whole = [...steps.slice(0, changedTo - head), coming, ...steps.slice(changedTo - head)].flat();
    const hunk = { below: undefined, steps: whole, isAtEnd: false };
    const isWhole = head === 0 && tail === 0;
    if ((steps.length > 0 || isWhole) && !whole.some(({ text }) => text.includes("\r"))) {
      if (whole.length > 0 && updated(before, [hunk]) === wanted) {
        return [`*** Update File: ${path}`, "@@", ...whole.map(({ does, text }) => signs[does] + text)];
      }
    }
    if (isWhole) return undefined;
    head = Math.max(0, head - more);
    tail = Math.max(0, tail - more);
  }
}

const signs: Readonly<Record<PatchStep["does"], string>> = { stays: " ", goes: "-", comes: "+" };

/** Every line of a new file ends, with a line feed alone; undefined where it is to be otherwise. */
function patchLines(file: string): readonly string[] | undefined {
  if (file === "") return [];
  if (!file.endsWith("\n") || file.includes("\r")) return undefined;
  return file.slice(0, -1).split("\n");
}

/** A whole patch of these lines. */
export function patchOf(lines: readonly string[]): string {
  return [firstLine, ...lines, lastLine].join("\n");
}
