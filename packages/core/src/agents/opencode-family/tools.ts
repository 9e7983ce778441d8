import {
  type HookChange,
  type HookCommand,
  memberOf,
  oneOrNone,
  type PathPlace,
  relativePath,
  replacementFor,
  textOf,
  type ToolArguments,
} from "../hook.ts";
import { backgroundTool, commandTool, editTool, patchTool, writeTool } from "./names.ts";
import { patchChanges } from "./patch-tool.ts";

const startingActions: ReadonlySet<unknown> = new Set(["start", "monitor"]);

/** The shell command that a tool is about to run; undefined where it runs none. */
export function commandOf(tool: string | undefined, given: ToolArguments): HookCommand | undefined {
  const isCommand = tool === commandTool || (tool === backgroundTool && startingActions.has(memberOf(given, "action")));
  const command = isCommand ? textOf(given, "command") : undefined;
  return command === undefined ? undefined : { asks: false, command, directory: textOf(given, "workdir") };
}

/** What a tool is about to write; none where it writes no file. */
export function changesOf(tool: string | undefined, given: ToolArguments): readonly HookChange[] {
  if (tool === patchTool) return patchChanges(given);
  const path = textOf(given, "filePath");
  if (path === undefined) return [];
  const named = { path, opened: (place: PathPlace) => openedByTool(path, place), isDelicate: false };
  return oneOrNone<HookChange>(
    tool === writeTool
      ? {
          ...named,
          textAfter: (before) => textAfterWrite(given, before),
          argumentsFor: (before, wanted) => {
            const changed = { ...given, content: wanted };
            return textAfterWrite(changed, before) === wanted ? changed : undefined;
          },
        }
      : tool === editTool
        ? {
            ...named,
            textAfter: (before) => textAfterEdit(given, before),
            argumentsFor: (before, wanted) => editFor(given, before, wanted),
          }
        : undefined,
  );
}

/** A relative path is taken by its letters; an absolute one stays as it is. */
async function openedByTool(path: string, { cwd, words }: PathPlace): Promise<string> {
  if (words.isAbsolute(path)) return path;
  if (cwd === undefined) throw relativePath();
  return words.join(cwd, path);
}

const byteOrderMark = "\ufeff";

/** The byte order mark of the file stays, and one that the model gives is taken. */
function textAfterWrite(given: ToolArguments, before: string | undefined): string | undefined {
  const content = textOf(given, "content");
  return content === undefined ? undefined : withMark(content, before);
}

function withMark(text: string, before: string | undefined): string {
  return before?.startsWith(byteOrderMark) === true && !text.startsWith(byteOrderMark) ? byteOrderMark + text : text;
}

/**
 * The old text gives way to the new one, both with the line ends of the file (seen, 1.18.34). Where it does not stand in the file exactly
 * once, the tool looks for what is nearly the same: that is not shown, and the model has to give the exact text.
 */
function textAfterEdit(given: ToolArguments, before: string | undefined): string | undefined {
  const [old, next] = [textOf(given, "oldString"), textOf(given, "newString")];
  if (old === undefined || next === undefined) return undefined;
  if (before === undefined) return old === "" && next !== "" ? next : undefined;
  // It refuses, and leaves the file alone.
  if (old === next || old === "") return before;
  const body = withoutMark(before);
  const [from, to] = [old, next].map((text) => withEndsOf(body, text));
  if (from === undefined || to === undefined) return undefined;
  const parts = body.split(from);
  if (memberOf(given, "replaceAll") === true) {
    // In its new text a dollar has a meaning.
    return parts.length < 2 || to.includes("$") ? undefined : withMark(parts.join(to), before);
  }
  const at = body.indexOf(from);
  if (at === -1 || body.lastIndexOf(from) !== at) return undefined;
  return withMark(body.slice(0, at) + to + body.slice(at + from.length), before);
}

/** One replacement that makes exactly this text: of the model's own old text, if that is enough, or else of the lines that change. */
function editFor(given: ToolArguments, before: string | undefined, wanted: string): ToolArguments | undefined {
  if (before === undefined) {
    const made = { ...given, oldString: "", newString: wanted };
    return textAfterEdit(made, before) === wanted ? made : undefined;
  }
  const [text, next] = [before, wanted].map((file) => lineFeedsOf(withoutMark(file)));
  if (text === undefined || next === undefined) return undefined;
  const old = memberOf(given, "replaceAll") === true ? undefined : textOf(given, "oldString");
  const nearest = replacementFor(text, next, old === undefined ? undefined : lineFeedsOf(old));
  const tried = [nearest, { from: text, to: next }].flatMap((one) =>
    one === undefined ? [] : [{ ...given, oldString: one.from, newString: one.to, replaceAll: false }],
  );
  return tried.find((changed) => textAfterEdit(changed, before) === wanted);
}

function withoutMark(file: string): string {
  return file.startsWith(byteOrderMark) ? file.slice(1) : file;
}

function lineFeedsOf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function withEndsOf(body: string, text: string): string {
  const plain = lineFeedsOf(text);
  return body.includes("\r\n") ? plain.replaceAll("\n", "\r\n") : plain;
}
