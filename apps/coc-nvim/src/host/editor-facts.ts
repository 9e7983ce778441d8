import type { Clock, Disposable } from "@patchbay/core";
import { asBoolean, asList, asNumber, asShape, asText } from "../vim/shape.ts";
import type { EditorStart } from "./vim-editors.ts";

/** What `patchbay#start()` says about the editor. */
export interface EditorFacts extends EditorStart {
  /** Of Vim, or of `nvim --embed`. */
  readonly pid: number;
  readonly isNeovim: boolean;
  readonly version: string;
  /** The editor's own temporary directory; undefined where it has none set and the system's counts. */
  readonly temporaryDirectory: string | undefined;
  /** Process id of the tmux server the editor runs in. */
  readonly tmuxServer: number | undefined;
  readonly directory: string;
}

export function readEditorFacts(value: unknown): EditorFacts {
  const shape = asShape(value);
  const temporary = asText(shape["temporary"]);
  return {
    pid: asNumber(shape["pid"]),
    isNeovim: asBoolean(shape["nvim"]),
    version: asText(shape["version"]),
    temporaryDirectory: temporary.startsWith("/") ? temporary.replace(/(?<=.)\/+$/u, "") : undefined,
    tmuxServer: tmuxServerOf(asText(shape["tmux"])),
    directory: asText(shape["cwd"]),
    buffers: asList(shape["buffers"]),
    current: shape["current"],
    cursor: shape["cursor"],
  };
}

/** `$TMUX` is "socket,pid of the server,session". */
export function tmuxServerOf(variable: string): number | undefined {
  const pid = Number(variable.split(",").at(-2));
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}

/** How often a lost editor is looked for, ms. Asking whether a process lives costs a microsecond. */
const periodMs = 2_000;

/**
 * An editor that is killed tells nobody, and leaves coc's process behind as an orphan that would go on answering agents.
 * Calls back once when the editor is gone.
 */
export function watchEditor(options: {
  readonly pid: number;
  readonly isAlive: (pid: number) => boolean;
  readonly clock: Pick<Clock, "setTimeout">;
  readonly onGone: () => void;
}): Disposable {
  let timer: Disposable | undefined;
  let over = false;
  const look = (): void => {
    if (over) return;
    if (options.isAlive(options.pid)) {
      timer = options.clock.setTimeout(look, periodMs);
      return;
    }
    over = true;
    options.onGone();
  };
  timer = options.clock.setTimeout(look, periodMs);
  return {
    dispose: () => {
      over = true;
      timer?.dispose();
    },
  };
}
