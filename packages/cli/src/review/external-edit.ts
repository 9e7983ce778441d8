import { messageOf, PatchbayError } from "@patchbay/core";
import { PrivateCopies } from "./private-copies.ts";
import { type Program, runProgram } from "./run-program.ts";

export interface ExternalEditRequest {
  readonly path: string;
  /** The left side. */
  readonly original: string;
  /** What can be changed. */
  readonly text: string;
  readonly cwd: string;
}

export interface ExternalEdit {
  /** What was saved. */
  readonly text: string;
  /** Where it lies. */
  readonly copy: string;
  /** What went wrong with the program, although the text could be read. */
  readonly problem: string | undefined;
  /** Removes the copies. */
  dispose(): void;
}

/** Opens a copy of the proposal in the user's editor: $VISUAL, then $EDITOR, then vi (notepad on Windows). */
export async function editInEditor(
  request: ExternalEditRequest,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExternalEdit> {
  const command = firstOf(environment["VISUAL"], environment["EDITOR"]) ?? defaultEditor();
  return await editCopy(request, (_local, copy) => ({ command, args: [copy], environment: {}, cwd: request.cwd }));
}

/**
 * Opens file and proposal in a difftool, with git's placeholders as variables: LOCAL is a copy of the file, REMOTE one of
 * the proposal; MERGED and BASE are set for tools that want them. Never the file itself: only the agent writes that.
 */
export async function editInDifftool(request: ExternalEditRequest, command: string): Promise<ExternalEdit> {
  return await editCopy(request, (local, copy) => ({
    command,
    args: /\$\{?(?:LOCAL|REMOTE|MERGED)/u.test(command) ? [] : [local, copy],
    environment: { LOCAL: local, REMOTE: copy, MERGED: copy, BASE: local },
    cwd: request.cwd,
  }));
}

async function editCopy(
  request: ExternalEditRequest,
  program: (local: string, copy: string) => Program,
): Promise<ExternalEdit> {
  const copies = new PrivateCopies();
  try {
    const local = copies.write(request.path, "file-", request.original);
    const copy = copies.write(request.path, "proposal-", request.text);
    const problem = await runProgram(program(local, copy)).then(() => undefined, messageOf);
    return { text: copies.read(copy), copy, problem, dispose: () => copies.dispose() };
  } catch (error) {
    copies.dispose();
    throw new PatchbayError("host-failed", `The proposal could not be edited: ${messageOf(error)}`, { cause: error });
  }
}

function firstOf(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== "");
}

function defaultEditor(): string {
  return process.platform === "win32" ? "notepad" : "vi";
}
