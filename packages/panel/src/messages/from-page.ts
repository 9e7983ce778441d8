import {
  type Answer,
  answerSchema,
  type Draft,
  draftSchema,
  type McpServerChange,
  type PromptBlock,
  promptBlockSchema,
} from "@patchbay/conversations/model";
import * as z from "zod/mini";
import { type AgentWish, agentWishSchema } from "./agent-wish.ts";

/**
 * What the page asks the host for. The host parses each message, resolves each path and checks it again: no message runs a
 * command, opens a shell or writes a file by itself. `conversation` is the id of the open conversation.
 */
export type PageMessage =
  /** The page has started and knows nothing. The host answers with `hello`. */
  | { readonly type: "ready"; readonly conversation?: string }
  /** A patch was missed: the host sends the open conversation as a whole. */
  | { readonly type: "resync"; readonly conversation: string }
  /** Something of the page failed; for the log. */
  | { readonly type: "failed"; readonly message: string }
  /** Whether the page has the keyboard, and whether an open question in it has. */
  | { readonly type: "focus"; readonly hasFocus: boolean; readonly isInQuestion: boolean }
  /** Ask the user whether to be told of questions: what shows the page in a browser does that (`offersNotices`). */
  | { readonly type: "notify" }
  /** What the user wants in the dialog of a page that stands by itself; absent: nothing more. */
  | { readonly type: "agent-wish"; readonly wish?: AgentWish }
  | ConversationMessage
  | DocumentMessage
  | ListMessage
  | ReviewRequest;

/** About a review that the page shows, where no editor shows it. `id` is the review's, `revision` the one that the page shows. */
export type ReviewRequest =
  /** The host answers with `review`, and tells from then on what changes; also after a revision was missed. */
  | { readonly type: "review-open"; readonly id: string }
  /** It is not shown any more, and goes on waiting. */
  | { readonly type: "review-leave"; readonly id: string }
  /**
   * The user has edited the right side. One that is not about the newest revision is dropped: the page is told the newer one, and
   * comes back to it. `edit` is the page's own name for it.
   */
  | {
      readonly type: "review-edit";
      readonly id: string;
      readonly revision: number;
      readonly edit: number;
      readonly start: number;
      readonly end: number;
      readonly text: string;
    }
  /** On the whole, and only on what the page shows. */
  | {
      readonly type: "review-decide";
      readonly id: string;
      readonly revision: number;
      readonly verdict: "accept" | "reject";
      /** What the agent is told about a reject, where it can be. */
      readonly reason?: string;
    }
  /** On the hunk at a line of the right side, from 0. */
  | {
      readonly type: "review-hunk";
      readonly id: string;
      readonly revision: number;
      readonly verdict: "accept" | "reject";
      readonly line: number;
    }
  /** What becomes of a text that was accepted and is not written. */
  | { readonly type: "review-unwritten"; readonly id: string; readonly action: "show" | "save" | "discard" }
  /** Takes the last verdict on a hunk back. */
  | { readonly type: "review-undo"; readonly id: string; readonly revision: number };

/** About the open conversation. */
export type ConversationMessage =
  /** Joins the queue if a turn is running: before the first of some prompts that still waits there, else at the end. */
  | {
      readonly type: "send";
      readonly conversation: string;
      readonly blocks: readonly PromptBlock[];
      readonly before?: readonly string[];
      /** A UUID. What is sent again with the same one is prompted once: a page may not know whether it was heard. */
      readonly id?: string;
    }
  | { readonly type: "draft"; readonly conversation: string; readonly draft: Draft }
  /** `send-now` stops the turn. `earlier` changes places with the one before. `edit` takes it out of the queue and back into the composer, which the page does. */
  | {
      readonly type: "queue";
      readonly conversation: string;
      readonly id: string;
      readonly action: "remove" | "edit" | "earlier" | "send-now";
    }
  | { readonly type: "stop"; readonly conversation: string }
  | { readonly type: "answer"; readonly conversation: string; readonly id: string; readonly answer: Answer }
  | {
      readonly type: "option";
      readonly conversation: string;
      readonly id: string;
      readonly value: string | boolean;
    }
  /** Up to 100 entries before a place. */
  | { readonly type: "older"; readonly conversation: string; readonly before: number }
  | { readonly type: "find"; readonly conversation: string; readonly request: number; readonly text: string }
  | { readonly type: "mentions"; readonly conversation: string; readonly request: number; readonly query: string }
  | { readonly type: "pick"; readonly conversation: string; readonly request: number; readonly id: string }
  /** Files dropped from the editor, as URIs. */
  | { readonly type: "drop"; readonly conversation: string; readonly uris: readonly string[] }
  /** A new conversation that remembers this one up to a prompt, or to its end. */
  | { readonly type: "fork"; readonly conversation: string; readonly upTo?: string }
  /**
   * An earlier prompt in other words: a new conversation that remembers this one up to just before that prompt, is shown, and
   * begins with these blocks. This one stays as it is. Only where the agent can fork.
   */
  | {
      readonly type: "resend";
      readonly conversation: string;
      readonly prompt: string;
      readonly blocks: readonly PromptBlock[];
    }
  /** `dryRun`: the host answers with `changes`. */
  | { readonly type: "rewind"; readonly conversation: string; readonly prompt: string; readonly dryRun: boolean }
  /** Ends something that goes on in the background. */
  | { readonly type: "stop-task"; readonly conversation: string; readonly id: string }
  /** Asks what the running agent tells of itself: the host answers with `facts`. */
  | { readonly type: "facts"; readonly conversation: string }
  /** Changes an MCP server of the agent's; the host answers with `facts`. */
  | {
      readonly type: "mcp-server";
      readonly conversation: string;
      readonly name: string;
      readonly change: McpServerChange;
    }
  /** What a notice offers, or what a state does. */
  | {
      readonly type: "act";
      readonly conversation: string;
      readonly action: "restart" | "sign-in" | "retry" | "install" | "terminal" | "take-over";
      readonly method?: string;
    };

/** What is opened, in the editor or the browser. The host asks where it must. */
export type DocumentMessage =
  | { readonly type: "open-link"; readonly href: string }
  /** `path` as the agent wrote it: absolute, or relative to the conversation's folder. */
  | { readonly type: "open-file"; readonly conversation: string; readonly path: string; readonly line?: number }
  /** The diff of a tool's change, or of an open question's. */
  | { readonly type: "open-diff"; readonly conversation: string; readonly entry: string; readonly path: string }
  /** A whole entry as a document: a tool's output, a message as Markdown. */
  | { readonly type: "open-entry"; readonly conversation: string; readonly entry: string }
  | { readonly type: "open-conversation"; readonly conversation: string; readonly as: "markdown" | "tab" }
  | { readonly type: "open-text"; readonly text: string; readonly language: string }
  | { readonly type: "insert-text"; readonly text: string }
  | { readonly type: "copy"; readonly text: string }
  /** The files of a turn; without a path all of them. `hunk`: one of a file. The host answers `view` with `changes`, and `sides` and, in a browser, `review` with `review`. */
  | {
      readonly type: "changes";
      readonly conversation: string;
      readonly turn: string;
      readonly action: "review" | "view" | "sides" | "keep" | "undo" | "redo";
      readonly path?: string;
      readonly hunk?: string;
    };

/** About the list of conversations. */
export type ListMessage =
  | { readonly type: "new-conversation"; readonly agent: string }
  | { readonly type: "select"; readonly conversation: string }
  /** Closes the open conversation and shows the welcome. */
  | { readonly type: "deselect" }
  | { readonly type: "search"; readonly text: string }
  /** The user wants to add an agent; who shows the page asks for its command. */
  | { readonly type: "add-agent" }
  | { readonly type: "rename"; readonly conversation: string; readonly title: string }
  | { readonly type: "delete"; readonly conversation: string };

const conversation = z.string();
const of = { conversation };
const blocks = z.array(promptBlockSchema);
const request = z.number();
const ofReview = { id: z.string(), revision: z.number() };
const verdict = z.enum(["accept", "reject"]);

/** Parses what the page says. */
export const pageMessageSchema: z.ZodMiniType<PageMessage> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), conversation: z.exactOptional(conversation) }),
  z.object({ type: z.literal("resync"), ...of }),
  z.object({ type: z.literal("failed"), message: z.string() }),
  z.object({ type: z.literal("focus"), hasFocus: z.boolean(), isInQuestion: z.boolean() }),
  z.object({
    type: z.literal("send"),
    ...of,
    blocks,
    before: z.exactOptional(z.array(z.string())),
    id: z.exactOptional(z.string()),
  }),
  z.object({ type: z.literal("draft"), ...of, draft: draftSchema }),
  z.object({
    type: z.literal("queue"),
    ...of,
    id: z.string(),
    action: z.enum(["remove", "edit", "earlier", "send-now"]),
  }),
  z.object({ type: z.literal("stop"), ...of }),
  z.object({ type: z.literal("answer"), ...of, id: z.string(), answer: answerSchema }),
  z.object({ type: z.literal("option"), ...of, id: z.string(), value: z.union([z.string(), z.boolean()]) }),
  z.object({ type: z.literal("older"), ...of, before: z.number() }),
  z.object({ type: z.literal("find"), ...of, request, text: z.string() }),
  z.object({ type: z.literal("mentions"), ...of, request, query: z.string() }),
  z.object({ type: z.literal("pick"), ...of, request, id: z.string() }),
  z.object({ type: z.literal("drop"), ...of, uris: z.array(z.string()) }),
  z.object({ type: z.literal("fork"), ...of, upTo: z.exactOptional(z.string()) }),
  z.object({ type: z.literal("resend"), ...of, prompt: z.string(), blocks }),
  z.object({ type: z.literal("rewind"), ...of, prompt: z.string(), dryRun: z.boolean() }),
  z.object({ type: z.literal("stop-task"), ...of, id: z.string() }),
  z.object({ type: z.literal("facts"), ...of }),
  z.object({
    type: z.literal("mcp-server"),
    ...of,
    name: z.string(),
    change: z.enum(["reconnect", "enable", "disable"]),
  }),
  z.object({
    type: z.literal("act"),
    ...of,
    action: z.enum(["restart", "sign-in", "retry", "install", "terminal", "take-over"]),
    method: z.exactOptional(z.string()),
  }),
  z.object({ type: z.literal("open-link"), href: z.string() }),
  z.object({ type: z.literal("open-file"), ...of, path: z.string(), line: z.exactOptional(z.number()) }),
  z.object({ type: z.literal("open-diff"), ...of, entry: z.string(), path: z.string() }),
  z.object({ type: z.literal("open-entry"), ...of, entry: z.string() }),
  z.object({ type: z.literal("open-conversation"), ...of, as: z.enum(["markdown", "tab"]) }),
  z.object({ type: z.literal("open-text"), text: z.string(), language: z.string() }),
  z.object({ type: z.literal("insert-text"), text: z.string() }),
  z.object({ type: z.literal("copy"), text: z.string() }),
  z.object({ type: z.literal("notify") }),
  z.object({
    type: z.literal("changes"),
    ...of,
    turn: z.string(),
    action: z.enum(["review", "view", "sides", "keep", "undo", "redo"]),
    path: z.exactOptional(z.string()),
    hunk: z.exactOptional(z.string()),
  }),
  z.object({ type: z.literal("new-conversation"), agent: z.string() }),
  z.object({ type: z.literal("select"), ...of }),
  z.object({ type: z.literal("deselect") }),
  z.object({ type: z.literal("search"), text: z.string() }),
  z.object({ type: z.literal("add-agent") }),
  z.object({ type: z.literal("agent-wish"), wish: z.exactOptional(agentWishSchema) }),
  z.object({ type: z.literal("rename"), ...of, title: z.string() }),
  z.object({ type: z.literal("delete"), ...of }),
  z.object({ type: z.literal("review-open"), id: z.string() }),
  z.object({ type: z.literal("review-leave"), id: z.string() }),
  z.object({
    type: z.literal("review-edit"),
    ...ofReview,
    edit: z.number(),
    start: z.number(),
    end: z.number(),
    text: z.string(),
  }),
  z.object({ type: z.literal("review-decide"), ...ofReview, verdict, reason: z.exactOptional(z.string()) }),
  z.object({ type: z.literal("review-hunk"), ...ofReview, verdict, line: z.number() }),
  z.object({ type: z.literal("review-undo"), ...ofReview }),
  z.object({ type: z.literal("review-unwritten"), id: z.string(), action: z.enum(["show", "save", "discard"]) }),
]);
