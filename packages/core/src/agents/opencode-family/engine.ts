import type { EditorContext, SelectedText } from "../../context/model.ts";
import type { DialectEngine, Mention } from "../dialect.ts";
import { createToolServer } from "../tool.ts";

/** After `notifications/initialized`, ms: nothing is lost from then on (docs/protocols/opencode.md). Waits for that, as 0 would not. */
const firstContextDelayMs = 1;

/** The speaking part: no tool is ever called, so none is offered. */
export const openCodeEngine: DialectEngine = {
  proposalsOutliveConnection: false,
  byteOrderMark: "as-proposed",
  emptiedText: "",
  writes: "text",
  connect: async (services, transport) => {
    const server = createToolServer(services, [], () => {});
    server.oninitialized = () => services.ready();
    await server.connect(transport);
    return {
      contextDelayMs: firstContextDelayMs,
      encodeContext,
      encodeMention,
      encodeOutcome: () => undefined,
      close: () => server.close(),
    };
  },
};

/** The client has no form for "nothing": it is not told, and what it has been told once it does not repeat. */
function encodeContext({ active }: EditorContext): string | undefined {
  if (active === undefined) return undefined;
  const { path: filePath, selection, otherSelections = [] } = active;
  const ranges = [selection, ...otherSelections].flatMap((one) =>
    one === undefined || one.text === "" ? [] : [rangeOf(one)],
  );
  const [only = openFile, ...others] = ranges;
  const params = others.length === 0 ? { filePath, ...only } : { filePath, ranges };
  return JSON.stringify({ jsonrpc: "2.0", method: "selection_changed", params });
}

interface ToldRange {
  readonly text: string;
  readonly selection: { readonly start: ToldPosition; readonly end: ToldPosition };
}

/** Lines from 1. */
interface ToldPosition {
  readonly line: number;
  readonly character: number;
}

/** Of a file in which nothing is selected only the path is passed on: where the cursor is would be news each time that it moves. */
const openFile: ToldRange = {
  text: "",
  selection: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } },
};

function rangeOf({ range: { start, end }, text }: SelectedText): ToldRange {
  // Whole lines end where the next one begins, which would be named, too. A range without a length is taken for none.
  const isWhole = end.character === 0 && end.line > start.line;
  const last = isWhole ? { line: end.line, character: Math.max(1, lastLineOf(text).length) } : onLine(end);
  return { text, selection: { start: onLine(start), end: last } };
}

function onLine({ line, character }: ToldPosition): ToldPosition {
  return { line: line + 1, character };
}

function lastLineOf(text: string): string {
  const lines = text.replace(/\r?\n$/u, "").split("\n");
  return lines.at(-1) ?? "";
}

/** Without both numbers it is ignored; two zeros stand for the whole file. */
function encodeMention({ path, lines }: Mention): string {
  const [lineStart, lineEnd] = lines === undefined ? [0, 0] : [lines.start + 1, lines.end + 1];
  return JSON.stringify({ jsonrpc: "2.0", method: "at_mentioned", params: { filePath: path, lineStart, lineEnd } });
}
