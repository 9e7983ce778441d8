import * as z from "zod";
import { listOf, maybe, meta, text } from "../lenient.ts";
import type { ConfigOption, Initialized, Opened, Selection, StoredSessions } from "../wire.ts";

/**
 * The Agent Client Protocol in its version 1, as agents really send it (docs/protocols/acp.md): what is missing, null or of
 * another kind than the protocol says is left out, never a reason to refuse the rest. All that the shapes of this version
 * decide is in this folder, so that version 2 can become a second one beside it.
 */
export const protocolVersion = 1;

/** There or not: an empty object says yes. */
const isThere = z
  .unknown()
  .optional()
  .transform((value) => value !== undefined && value !== null && value !== false);

const authMethod = z
  .object({
    id: text,
    name: maybe(text),
    description: maybe(text),
    type: maybe(text),
    args: maybe(z.array(text)),
    _meta: meta,
  })
  .transform(({ id, name, description, type, args, _meta }) => {
    const own = terminalAuth.safeParse(_meta["terminal-auth"]).data;
    const isTerminal = type === "terminal" || _meta["type"] === "terminal";
    const ownArgs = args ?? terminalArgs.safeParse(_meta["args"]).data ?? [];
    return {
      id,
      name: own?.label ?? name ?? id,
      description,
      args: isTerminal ? ownArgs : undefined,
      command: own === undefined ? undefined : [own.command, ...own.args],
    };
  });
const terminalArgs = z.array(text);
const terminalAuth = z.object({ command: text, args: terminalArgs.catch([]), label: maybe(text) });

const authMethods = listOf(authMethod);

const promptCapabilities = maybe(z.object({ image: isThere, embeddedContext: isThere }));

const agentCapabilities = maybe(
  z.object({
    loadSession: isThere,
    promptCapabilities,
    mcpCapabilities: maybe(z.object({ http: isThere })),
    sessionCapabilities: meta,
  }),
);

const initialized = z.object({
  protocolVersion: z.number(),
  agentInfo: maybe(z.object({ name: maybe(text), title: maybe(text), version: maybe(text) })),
  authMethods,
  agentCapabilities,
});

/** What we are and can do, as `initialize` takes it. */
export function initializeParams(version: string, hasFiles: boolean): unknown {
  return {
    protocolVersion,
    clientInfo: { name: "patchbay", title: "Patchbay", version },
    clientCapabilities: {
      fs: { readTextFile: hasFiles, writeTextFile: hasFiles },
      session: { configOptions: { boolean: {} } },
      elicitation: { form: {} },
      auth: { terminal: true },
    },
  };
}

/** What an agent answers to `initialize`; undefined where it cannot be understood. */
export function readInitialized(value: unknown): Initialized | undefined {
  const found = initialized.safeParse(value).data;
  if (found === undefined) return undefined;
  const { agentInfo, agentCapabilities: can } = found;
  const actions = Object.entries(can?.sessionCapabilities ?? {}).filter(([, offer]) => isThere.parse(offer));
  return {
    protocolVersion: found.protocolVersion,
    agentName: agentInfo?.title ?? agentInfo?.name,
    agentVersion: agentInfo?.version,
    signIn: found.authMethods,
    loadsSessions: can?.loadSession === true,
    takesImages: can?.promptCapabilities?.image === true,
    takesResources: can?.promptCapabilities?.embeddedContext === true,
    takesHttpServers: can?.mcpCapabilities?.http === true,
    sessionActions: new Set(actions.map(([name]) => name)),
  };
}

/** The ways to sign in that come with the error that asks for it. */
export function readSignIn(data: unknown): Initialized["signIn"] {
  return z.object({ authMethods }).safeParse(data).data?.authMethods ?? [];
}

// --- Sessions

const mode = z.object({ id: text, name: maybe(text), description: maybe(text) });
const modes = z.object({ currentModeId: text, availableModes: listOf(mode) }).transform(
  ({ currentModeId, availableModes }): Selection => ({
    current: currentModeId,
    values: availableModes.map(({ id, name, description }) => ({
      id,
      name: name ?? id,
      description,
      contextSize: undefined,
    })),
  }),
);

const model = z.object({ modelId: text, name: maybe(text), description: maybe(text), _meta: meta });
const models = z.object({ currentModelId: text, availableModels: listOf(model) }).transform(
  ({ currentModelId, availableModels }): Selection => ({
    current: currentModelId,
    values: availableModels.map(({ modelId, name, description, _meta }) => ({
      id: modelId,
      name: name ?? modelId,
      description,
      contextSize: maybe(z.number()).parse(_meta["contextLimit"]),
    })),
  }),
);

const choice = z
  .object({ value: text, name: maybe(text), description: maybe(text) })
  .transform(({ value, name, description }) => ({
    id: value,
    name: name ?? value,
    description,
    contextSize: undefined,
  }));
/** Values may stand in groups, whose names do not matter here. */
const choices = listOf(z.union([choice, z.object({ options: listOf(choice) })])).transform((items) =>
  items.flatMap((item) => ("options" in item ? item.options : [item])),
);
const configOption = z
  .object({
    id: text,
    name: maybe(text),
    description: maybe(text),
    category: maybe(text),
    currentValue: z.union([text, z.boolean()]),
    options: choices,
  })
  .transform(
    ({ id, name, description, category, currentValue, options }): ConfigOption => ({
      id,
      name: name ?? id,
      description,
      category,
      current: currentValue,
      values: typeof currentValue === "boolean" ? undefined : options,
    }),
  );
/** The options of a session. */
export const configOptions: z.ZodType<readonly ConfigOption[]> = listOf(configOption);

const opened = z.object({
  sessionId: maybe(text),
  modes: maybe(modes),
  models: maybe(models),
  configOptions: maybe(configOptions),
});

/** What `session/new`, `load`, `resume` and `fork` answer. */
export function readOpened(value: unknown): Opened {
  const found = opened.safeParse(value).data;
  return {
    sessionId: found?.sessionId,
    modes: found?.modes,
    models: found?.models,
    options: found?.configOptions,
  };
}

/** The options that `session/set_config_option` answers with; undefined where it says nothing of them. */
export function readOptions(value: unknown): readonly ConfigOption[] | undefined {
  return z.object({ configOptions }).safeParse(value).data?.configOptions;
}

const storedSessions = z.object({
  sessions: listOf(
    z.object({
      sessionId: text,
      cwd: maybe(text),
      title: maybe(text),
      updatedAt: maybe(z.union([z.number(), text.transform((value) => Date.parse(value)).pipe(z.number())])),
    }),
  ),
  nextCursor: maybe(text),
});

/** What `session/list` answers. */
export function readStoredSessions(value: unknown): StoredSessions {
  return storedSessions.safeParse(value).data ?? { sessions: [], nextCursor: undefined };
}
