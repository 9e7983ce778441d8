import {
  argumentsOf,
  type HookChange,
  type HookCommand,
  hookEntries,
  type HookEntry,
  type HookMoments,
  type HookReading,
  memberOf,
  oneOrNone,
  type PathPlace,
  replaced,
  replacementFor,
  type SeenFile,
  seenFile,
  textOf,
  type ToolArguments,
  withLineEnd,
} from "../hook.ts";

/** What the tools of a family's member make of their arguments, as it was seen (docs/protocols/gemini.md, qwen.md: "Hooks"). */
export interface WritingRules {
  readonly editTool: string;
  /** The tool that changes a cell of a notebook; undefined: there is none. */
  readonly notebookTool: string | undefined;
  /** The argument that has every occurrence replaced. */
  readonly forAll: string;
  /** A byte order mark of the file stays, whatever is written over it. */
  readonly keepsMark: boolean;
  /** After an edit the file ends with a line end exactly if it did before. */
  readonly keepsFinalEnd: boolean;
  /** An empty new text takes the end of the line with it. */
  readonly emptyTakesLine: boolean;
  /** A hook's arguments are taken in place of the model's. */
  readonly takesArguments: boolean;
  /** See `NamedFile`. */
  opened(path: string, place: PathPlace, tool: { readonly isEdit: boolean }): Promise<string>;
}

/** The tool that runs shell commands. */
const commandTool = "run_shell_command";

/** The shell command that a tool is about to run; undefined where it is another tool. */
function commandOf(event: unknown): Omit<HookCommand, "asks"> | undefined {
  if (textOf(event, "tool_name") !== commandTool) return undefined;
  const given = argumentsOf(event);
  const command = textOf(given, "command");
  const directory = textOf(given, "dir_path") ?? textOf(given, "directory");
  return command === undefined ? undefined : { command, directory };
}

/** What the hooks of the family's members have in common. */
export function familyReading(
  moments: HookMoments,
  rules: WritingRules,
  asks: { beforeCommand(event: unknown): boolean; beforeWrite(event: unknown): boolean | undefined },
): HookReading {
  return {
    moments,
    command: (event) => {
      const command = commandOf(event);
      return command === undefined ? undefined : { ...command, asks: asks.beforeCommand(event) };
    },
    changes: (event) => oneOrNone(changeOf(textOf(event, "tool_name"), argumentsOf(event), rules)),
    asksBeforeWrite: asks.beforeWrite,
  };
}

/** Members of the family count in milliseconds. */
export function familyEntries(moments: HookMoments, { editTool, notebookTool }: WritingRules): readonly HookEntry[] {
  const tools = ["write_file", editTool, ...(notebookTool === undefined ? [] : [notebookTool])];
  return hookEntries(moments, { matcher: tools.join("|"), commandTool }, 1_000);
}

/** The change that a tool is about to make; undefined where it writes no file. */
function changeOf(tool: string | undefined, input: ToolArguments, rules: WritingRules): HookChange | undefined {
  const isNotebook = tool !== undefined && tool === rules.notebookTool;
  const path = isNotebook
    ? textOf(input, "notebook_path")
    : (textOf(input, "file_path") ?? textOf(input, "absolute_path"));
  if (path === undefined) return undefined;
  // Cells are not shown yet: whoever wants every write reviewed is told of the file by its name.
  if (isNotebook) {
    const opened = (place: PathPlace): Promise<string> => rules.opened(path, place, { isEdit: true });
    return { path, opened, isDelicate: false, textAfter: () => undefined, argumentsFor: () => undefined };
  }
  const textAfter =
    tool === "write_file"
      ? (given: ToolArguments, before: string | undefined) => textAfterWrite(given, before, rules)
      : (given: ToolArguments, before: string | undefined) => textAfterEdit(given, before, rules);
  if (tool !== "write_file" && tool !== rules.editTool) return undefined;
  return {
    path,
    opened: (place) => rules.opened(path, place, { isEdit: tool === rules.editTool }),
    isDelicate: tool === rules.editTool && textOf(input, "new_string") === "",
    textAfter: (before) => textAfter(input, before),
    argumentsFor: (before, wanted) => {
      if (!rules.takesArguments) return undefined;
      const given = tool === "write_file" ? { ...input, content: wanted } : editFor(input, before, wanted, rules);
      return given !== undefined && textAfter(given, before) === wanted ? given : undefined;
    },
  };
}

/** Every line of a file that had a `\r\n` ends with one. */
function textAfterWrite(input: ToolArguments, before: string | undefined, rules: WritingRules): string | undefined {
  const content = textOf(input, "content");
  if (content === undefined || before === undefined) return content;
  const written = before.includes("\r\n") ? withReturns(content) : content;
  const keepsMark = rules.keepsMark && before.startsWith("\ufeff") && !content.startsWith("\ufeff");
  return keepsMark ? `\ufeff${written}` : written;
}

function withReturns(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n");
}

function textAfterEdit(input: ToolArguments, before: string | undefined, rules: WritingRules): string | undefined {
  const [from, to] = [textOf(input, "old_string"), textOf(input, "new_string")];
  if (from === undefined || to === undefined) return undefined;
  // An empty old text means a new file, and not an empty one.
  if (from === "") return before === undefined ? to : undefined;
  if (before === undefined) return undefined;
  const seen = seenInFamily(before);
  const edit = { from: plain(from), to: plain(to), isForAll: memberOf(input, rules.forAll) === true };
  const after = replaced(seen.text, [rules.emptyTakesLine ? withLineEnd(edit, seen) : edit]);
  if (after === undefined) return undefined;
  return seen.written(rules.keepsFinalEnd ? withFinalEndOf(seen.text, after) : after);
}

function withFinalEndOf(before: string, after: string): string {
  if (before.endsWith("\n") === after.endsWith("\n")) return after;
  return before.endsWith("\n") ? `${after}\n` : after.replace(/\n$/u, "");
}

function editFor(
  input: ToolArguments,
  before: string | undefined,
  wanted: string,
  rules: WritingRules,
): ToolArguments | undefined {
  if (before === undefined) return { ...input, old_string: "", new_string: wanted };
  const seen = seenInFamily(before);
  const one = replacementFor(seen.text, seenInFamily(wanted).text, plain(textOf(input, "old_string") ?? ""));
  if (one === undefined) return undefined;
  const { [rules.forAll]: _forAll, expected_replacements: _expected, ...others } = input;
  return { ...others, old_string: one.from, new_string: one.to };
}

function seenInFamily(file: string): SeenFile {
  return seenFile(file, () => true);
}

function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
