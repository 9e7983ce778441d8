import * as z from "zod";

/** Bodies of control requests, and what ours are answered with; as tolerant as the codec of messages. */

/** A member that is left out where it has another shape than it had. */
export const maybe = <T>(type: z.ZodType<T>): z.ZodType<T | undefined> => type.optional().catch(undefined);

const text = z.string();
const number = z.number();
const input = z.record(text, z.unknown());

/** A change of what needs no question; sent back as it came where the user wants it. */
export interface PermissionUpdate extends Readonly<Record<string, unknown>> {
  readonly type: string;
  readonly rules?: readonly { readonly toolName: string; readonly ruleContent?: string | undefined }[] | undefined;
  readonly directories?: readonly string[] | undefined;
  readonly mode?: string | undefined;
  readonly behavior?: string | undefined;
  readonly destination?: string | undefined;
}

/** Its question whether a tool may run. */
export interface CanUseTool {
  readonly tool_name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly tool_use_id: string;
  readonly permission_suggestions?: readonly PermissionUpdate[] | undefined;
  readonly decision_reason?: string | undefined;
  readonly suppress_always_allow_rule?: boolean | undefined;
}

export const canUseTool: z.ZodType<CanUseTool> = z.object({
  subtype: z.literal("can_use_tool"),
  tool_name: text,
  input: input.catch({}),
  tool_use_id: text,
  permission_suggestions: maybe(
    z.array(
      z.looseObject({
        type: text,
        rules: maybe(z.array(z.looseObject({ toolName: text, ruleContent: maybe(text) }))),
        directories: maybe(z.array(text)),
        mode: maybe(text),
        behavior: maybe(text),
        destination: maybe(text),
      }),
    ),
  ),
  decision_reason: maybe(text),
  suppress_always_allow_rule: maybe(z.boolean()),
});

/** A hook that it calls. */
export interface HookCallback {
  readonly callback_id: string;
  readonly tool_use_id?: string | undefined;
  readonly input: {
    readonly tool_name?: string | undefined;
    readonly tool_input?: Readonly<Record<string, unknown>> | undefined;
  };
}

export const hookCallback: z.ZodType<HookCallback> = z.object({
  subtype: z.literal("hook_callback"),
  callback_id: text,
  tool_use_id: maybe(text),
  input: z.object({ tool_name: maybe(text), tool_input: maybe(input) }),
});

/** A message to a server of ours: JSON-RPC. */
export interface McpMessage {
  readonly server_name: string;
  readonly message: {
    readonly id?: string | number | undefined;
    readonly method?: string | undefined;
    readonly params?: Readonly<Record<string, unknown>> | undefined;
  };
}

export const mcpMessage: z.ZodType<McpMessage> = z.object({
  subtype: z.literal("mcp_message"),
  server_name: text,
  message: z.object({
    id: z.union([text, number]).optional(),
    method: maybe(text),
    params: maybe(input),
  }),
});

export interface Model {
  readonly value: string;
  readonly resolvedModel?: string | undefined;
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly supportsEffort?: boolean | undefined;
  readonly supportedEffortLevels?: readonly string[] | undefined;
  readonly supportsAutoMode?: boolean | undefined;
}

/** What `initialize` is answered with, as far as it is used. */
export interface Initialized {
  readonly commands: readonly { readonly name: string; readonly description: string; readonly argumentHint: string }[];
  readonly models: readonly Model[];
  readonly account?: Account | undefined;
  readonly current_permission_mode?: string | undefined;
}

export interface Account {
  readonly tokenSource?: string | undefined;
  readonly apiKeySource?: string | undefined;
  readonly apiProvider?: string | undefined;
  readonly email?: string | undefined;
  readonly organization?: string | undefined;
  readonly subscriptionType?: string | undefined;
}

export const initialized: z.ZodType<Initialized> = z.object({
  commands: z.array(z.object({ name: text, description: text.catch(""), argumentHint: text.catch("") })).catch([]),
  models: z
    .array(
      z.object({
        value: text,
        resolvedModel: maybe(text),
        displayName: maybe(text),
        description: maybe(text),
        supportsEffort: maybe(z.boolean()),
        supportedEffortLevels: maybe(z.array(text)),
        supportsAutoMode: maybe(z.boolean()),
      }),
    )
    .catch([]),
  account: maybe(
    z.object({
      tokenSource: maybe(text),
      apiKeySource: maybe(text),
      apiProvider: maybe(text),
      email: maybe(text),
      organization: maybe(text),
      subscriptionType: maybe(text),
    }),
  ),
  current_permission_mode: maybe(text),
});

/** What is in force, of `get_settings`. Its other members may hold secrets and are not looked at. */
export interface AppliedSettings {
  readonly applied: { readonly effort?: string | null | undefined };
}

export const appliedSettings: z.ZodType<AppliedSettings> = z.object({
  applied: z.object({ effort: text.nullish().catch(null) }),
});

export interface Rewound {
  readonly canRewind: boolean;
  readonly error?: string | undefined;
  readonly filesChanged?: readonly string[] | undefined;
  readonly insertions?: number | undefined;
  readonly deletions?: number | undefined;
}

export const rewound: z.ZodType<Rewound> = z.object({
  canRewind: z.boolean(),
  error: maybe(text),
  filesChanged: maybe(z.array(text)),
  insertions: maybe(number),
  deletions: maybe(number),
});

/** A hunk of a patch; each of its lines begins with a space, `-` or `+`. */
export interface Hunk {
  readonly oldStart: number;
  readonly lines: readonly string[];
}

/** What Write, Edit and MultiEdit return beside their text. */
export interface FileToolResult {
  readonly filePath: string;
  readonly content?: string | undefined;
  readonly oldString?: string | undefined;
  readonly newString?: string | undefined;
  readonly originalFile?: string | null | undefined;
  readonly structuredPatch?: readonly Hunk[] | undefined;
}

export const fileToolResult: z.ZodType<FileToolResult> = z.object({
  filePath: text,
  content: maybe(text),
  oldString: maybe(text),
  newString: maybe(text),
  originalFile: text.nullish().catch(undefined),
  structuredPatch: maybe(z.array(z.object({ oldStart: number, lines: z.array(text) }))),
});

/** The input of AskUserQuestion. */
export interface AskedQuestions {
  readonly questions: readonly {
    readonly question: string;
    readonly header?: string | undefined;
    readonly multiSelect?: boolean | undefined;
    readonly options: readonly { readonly label: string; readonly description?: string | undefined }[];
  }[];
}

export const askedQuestions: z.ZodType<AskedQuestions> = z.object({
  questions: z.array(
    z.object({
      question: text,
      header: maybe(text),
      multiSelect: maybe(z.boolean()),
      options: z.array(z.object({ label: text, description: maybe(text) })).catch([]),
    }),
  ),
});
