import {
  type ConversationPatch,
  type ConversationSnapshot,
  conversationPatchSchema,
  conversationSnapshotSchema,
  type Draft,
  draftSchema,
  type PlacedEntry,
  type PromptBlock,
  placedEntrySchema,
  promptBlockSchema,
} from "@patchbay/conversations/model";
import * as z from "zod/mini";

/** What the host says to the page. The page parses each message and knows nothing besides. */
export type HostMessage =
  | Hello
  /** What has changed of the open conversation since the patch before. */
  | { readonly type: "patch"; readonly conversation: string; readonly patch: ConversationPatch }
  /** Another conversation is open from now on, or the same one as a whole; absent: none. */
  | { readonly type: "conversation"; readonly open?: ConversationSnapshot }
  /** Older entries that the page has asked for. */
  | { readonly type: "page"; readonly conversation: string; readonly entries: readonly PlacedEntry[] }
  | { readonly type: "conversations"; readonly conversations: readonly ConversationSummary[] }
  | { readonly type: "agents"; readonly agents: readonly AgentInfo[] }
  | { readonly type: "settings"; readonly settings: PanelSettings }
  /** What is selected in the editor; absent: nothing that could be sent. */
  | { readonly type: "selection"; readonly block?: PromptBlock }
  | { readonly type: "mentions"; readonly request: number; readonly items: readonly MentionItem[] }
  /** The places of the entries in which a text was found, from the first to the last. */
  | { readonly type: "found"; readonly request: number; readonly places: readonly number[] }
  /** Goes into the composer of the open conversation, at the caret. */
  | { readonly type: "insert"; readonly blocks: readonly PromptBlock[] }
  /** What was written in the open conversation in another page of this window. */
  | { readonly type: "draft"; readonly conversation: string; readonly draft: Draft }
  /** Of what turns did to the files. It is parsed where it is drawn: `changesMessageSchema`. */
  | { readonly type: "changes"; readonly about: unknown }
  /** What the agent tells of itself; null: it is not running. It is parsed where it is drawn: `agentFactsSchema`. */
  | { readonly type: "facts"; readonly conversation: string; readonly facts: unknown }
  /** A command of the editor's. Only such a one moves the focus into the page. */
  | { readonly type: "command"; readonly command: PageCommand }
  /** Of a review that is shown in pages. It is parsed where reviews are drawn: `reviewMessageSchema`. */
  | { readonly type: "review"; readonly about: unknown };

/** The answer to `ready`: everything that the page shows. The host sends it each time, whatever it has sent before. */
export interface Hello {
  readonly type: "hello";
  readonly settings: PanelSettings;
  /** Every text of the page by its key (`panelStrings`), in the user's language. */
  readonly strings: Readonly<Record<string, string>>;
  readonly agents: readonly AgentInfo[];
  readonly conversations: readonly ConversationSummary[];
  readonly open?: ConversationSnapshot;
  readonly selection?: PromptBlock;
}

export interface PanelSettings {
  /** BCP 47, for numbers and times. */
  readonly locale: string;
  readonly sendWith: "enter" | "ctrl-enter";
  readonly isMac: boolean;
  /** A sentence about the whole panel, e.g. why no agent is started here. */
  readonly notice?: string;
  /** Absolute paths of the workspace's folders: paths below them are shown without them. */
  readonly folders: readonly string[];
  /** As in CSS; absent: the editor's own. */
  readonly fontFamily?: string;
  /** In px. */
  readonly fontSize?: number;
  /** The user can be asked whether to be told of questions while they look elsewhere: where a browser shows the page by itself (`connect.ts`). */
  readonly offersNotices?: boolean;
}

export interface AgentInfo {
  readonly id: string;
  readonly name: string;
  readonly isInstalled: boolean;
  /** An https address that says how to install it. */
  readonly installUrl?: string;
}

export interface ConversationSummary {
  readonly id: string;
  readonly agent: string;
  /** Absolute path of the folder in which the agent works. */
  readonly folder: string;
  readonly title: string;
  /** When something last happened in it, Unix milliseconds. */
  readonly changedAt: number;
  readonly state: "idle" | "running" | "waiting" | "failed" | "ended";
}

export interface MentionItem {
  readonly id: string;
  readonly kind: "file" | "folder" | "symbol" | "problems" | "terminal" | "selection";
  readonly label: string;
  readonly description?: string;
  /** What it stands for; absent: the page asks for it with `pick`, and the host answers with `insert`. */
  readonly block?: PromptBlock;
}

const pageCommands = ["focus", "find", "list", "stop", "previous-prompt", "next-prompt"] as const;

export type PageCommand = (typeof pageCommands)[number];

const settings: z.ZodMiniType<PanelSettings> = z.object({
  locale: z.string(),
  sendWith: z.enum(["enter", "ctrl-enter"]),
  isMac: z.boolean(),
  notice: z.exactOptional(z.string()),
  folders: z.array(z.string()),
  fontFamily: z.exactOptional(z.string()),
  fontSize: z.exactOptional(z.number()),
  offersNotices: z.exactOptional(z.boolean()),
});

const agents: z.ZodMiniType<readonly AgentInfo[]> = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    isInstalled: z.boolean(),
    installUrl: z.exactOptional(z.string()),
  }),
);

const conversations: z.ZodMiniType<readonly ConversationSummary[]> = z.array(
  z.object({
    id: z.string(),
    agent: z.string(),
    folder: z.string(),
    title: z.string(),
    changedAt: z.number(),
    state: z.enum(["idle", "running", "waiting", "failed", "ended"]),
  }),
);

const items: z.ZodMiniType<readonly MentionItem[]> = z.array(
  z.object({
    id: z.string(),
    kind: z.enum(["file", "folder", "symbol", "problems", "terminal", "selection"]),
    label: z.string(),
    description: z.exactOptional(z.string()),
    block: z.exactOptional(promptBlockSchema),
  }),
);

/** Parses what the host says. */
export const hostMessageSchema: z.ZodMiniType<HostMessage> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    settings,
    strings: z.record(z.string(), z.string()),
    agents,
    conversations,
    open: z.exactOptional(conversationSnapshotSchema),
    selection: z.exactOptional(promptBlockSchema),
  }),
  z.object({ type: z.literal("patch"), conversation: z.string(), patch: conversationPatchSchema }),
  z.object({ type: z.literal("conversation"), open: z.exactOptional(conversationSnapshotSchema) }),
  z.object({ type: z.literal("page"), conversation: z.string(), entries: z.array(placedEntrySchema) }),
  z.object({ type: z.literal("conversations"), conversations }),
  z.object({ type: z.literal("agents"), agents }),
  z.object({ type: z.literal("settings"), settings }),
  z.object({ type: z.literal("selection"), block: z.exactOptional(promptBlockSchema) }),
  z.object({ type: z.literal("mentions"), request: z.number(), items }),
  z.object({ type: z.literal("found"), request: z.number(), places: z.array(z.number()) }),
  z.object({ type: z.literal("insert"), blocks: z.array(promptBlockSchema) }),
  z.object({ type: z.literal("draft"), conversation: z.string(), draft: draftSchema }),
  z.object({ type: z.literal("changes"), about: z.unknown() }),
  z.object({ type: z.literal("facts"), conversation: z.string(), facts: z.unknown() }),
  z.object({ type: z.literal("command"), command: z.enum(pageCommands) }),
  z.object({ type: z.literal("review"), about: z.unknown() }),
]);
