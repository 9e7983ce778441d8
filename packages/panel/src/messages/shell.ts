import type { AgentAsk } from "./agent-wish.ts";

/**
 * What the server of a page in a browser has the page do itself: there is no editor around it. The page's own code for it is
 * `connect.ts`.
 */
export type ShellMessage =
  /** Something that could not be done, or is to be known. */
  | { readonly type: "tell"; readonly severity: "info" | "warning" | "error"; readonly sentence: string }
  /** An address that the user may open, http or https. */
  | { readonly type: "link"; readonly href: string }
  /** Asks for an agent that is to be added, or again about what came of it; `words` are the texts of the dialog. */
  | { readonly type: "agent"; readonly ask: AgentAsk; readonly words: Readonly<Record<string, string>> }
  /** A text to read, e.g. the whole output of a tool; `title` may be empty. */
  | { readonly type: "text"; readonly title: string; readonly text: string };
