import type { EditorContext } from "../context/model.ts";
import type { ProcessFacts } from "../platform/platform.ts";

/**
 * How an agent asks by itself what is open: a socket that is one for all editors of a user, and a question that names a folder. Loaded where
 * the agent is used.
 */
export interface ContextQuestions {
  /** Where it looks; undefined: nowhere on this system. */
  place(process: Pick<ProcessFacts, "platform" | "uid" | "temporaryDirectory">): SocketPlace | undefined;
  /** The answer to a message; undefined: there is none. `contextOf`: what is open in the editor of a folder; undefined: there is none. */
  reply(
    message: unknown,
    contextOf: (folder: string) => Promise<EditorContext | undefined>,
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** A socket in a directory that is to be the user's alone. */
export interface SocketPlace {
  readonly root: string;
  readonly directories: readonly string[];
  readonly name: string;
}
