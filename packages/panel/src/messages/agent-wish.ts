import * as z from "zod/mini";

/** What is asked of a user who wants to add an agent. */
export interface AgentAsk {
  /** As the user has typed it; empty at first. */
  readonly command: string;
  /** What came of it; absent: it was not tried. */
  readonly trial?: AgentTrial;
}

export type AgentTrial =
  /** `name`: with its version. `signIn`: how it signs in, as far as it says. */
  | { readonly kind: "answered"; readonly name: string; readonly signIn: readonly string[] }
  /** `reason`: a sentence. `words`: the last that the program itself has said; may be empty. */
  | { readonly kind: "failed"; readonly reason: string; readonly words: string };

/** What the user wants with it. `save` is about what was tried, whether it answered or not. */
export type AgentWish =
  | { readonly kind: "try"; readonly command: string }
  | { readonly kind: "save"; readonly name: string };

/** Parses what a page says in its own dialog. */
export const agentWishSchema: z.ZodMiniType<AgentWish> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("try"), command: z.string() }),
  z.object({ kind: z.literal("save"), name: z.string() }),
]);

/** How an agent is kept in the settings. */
export interface AddedAgent {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}
