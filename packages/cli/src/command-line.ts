import { parseArgs } from "node:util";
import { type AgentId, agents, messageOf, PatchbayError } from "@patchbay/core";
import { program } from "./own-command.ts";

export type Command =
  | { readonly kind: "help"; readonly topic: string | undefined }
  | { readonly kind: "version" }
  | ServeCommand
  | { readonly kind: "status"; readonly json: boolean; readonly watch: boolean }
  | {
      readonly kind: "env";
      readonly folder: string;
      readonly shell: string | undefined;
      /** Which editor, where several serve the folder. */
      readonly port: number | undefined;
    }
  | HookCommand
  | PanelCommand
  | RunCommand
  | TurnsCommand
  | {
      readonly kind: "doctor";
      readonly folder: string;
      readonly json: boolean;
      /** To be shown to strangers. */
      readonly report: boolean;
      /** Only these; empty: all. */
      readonly agents: readonly AgentId[];
      /** The code of a finding that is explained instead; undefined: the findings are looked for. */
      readonly explain: string | undefined;
    };

/** What is done about agents' hooks; the hook itself is a program of its own (hook/main.ts). */
export interface HookCommand {
  readonly kind: "hook";
  readonly action: "install" | "remove" | "status";
  /** Undefined: all that are used here. */
  readonly agent: AgentId | undefined;
  readonly folder: string;
  /** In the folder's settings, and not in the user's. */
  readonly project: boolean;
  /** Without a question. */
  readonly yes: boolean;
}

/** What agents did, and taking it back. */
export interface TurnsCommand {
  readonly kind: "turns" | "diff" | "undo" | "redo";
  readonly folder: string;
  readonly json: boolean;
  /** Its number, which stays the same; undefined: the newest. */
  readonly turn: number | undefined;
  readonly path: string | undefined;
  /** Its number in the file, from 1. */
  readonly hunk: number | undefined;
  /** Of all turns of this session, or of the one session whose name begins so. */
  readonly session: string | undefined;
  /** What the agent is told. */
  readonly reason: string | undefined;
  /** Also while the agent works. */
  readonly now: boolean;
  /** Without a question. */
  readonly yes: boolean;
}

/** The conversation panel in the browser. */
export interface PanelCommand {
  readonly kind: "panel";
  readonly folder: string;
  /** In a browser that is started for it. */
  readonly open: boolean;
  readonly port: number | undefined;
  /** With which a conversation begins at once; also one that the settings add. */
  readonly agent: string | undefined;
}

/** Starts an agent. */
export interface RunCommand {
  readonly kind: "run";
  readonly agent: AgentId;
  readonly folder: string;
  /** The agent's own, as they are. */
  readonly args: readonly string[];
}

export interface ServeCommand {
  readonly kind: "serve";
  readonly folder: string;
  readonly demo: boolean;
  readonly json: boolean;
  readonly difftool: string | undefined;
  readonly port: number | undefined;
  /** `file`, `file:line` or `file:line-line`. */
  readonly open: readonly string[];
  /** Served along with the folder. */
  readonly moreFolders: readonly string[];
  /** The program that reads the JSON says what problems files have. */
  readonly problems: boolean;
  /** Which changes are reviewed of agents with a hook; undefined: all of them. A folder's `.patchbay.json` can ask for more, except with `never`. */
  readonly reviews: ServeReviews | undefined;
}

const serveReviews = ["always", "asks-itself", "never"] as const;
export type ServeReviews = (typeof serveReviews)[number];

const help = { type: "boolean", short: "h" } as const;

/** Reads the arguments after the program's name. Throws PatchbayError `invalid-argument` with a sentence for the user. */
export function parseCommandLine(args: readonly string[], cwd: string): Command {
  const [name, ...rest] = args;
  switch (name) {
    case undefined:
    case "help":
    case "-h":
    case "--help":
      return { kind: "help", topic: rest[0] };
    case "-v":
    case "--version":
    case "version":
      return { kind: "version" };
    case "serve":
      return parseServe(rest, cwd);
    case "status": {
      const { values } = read(rest, { json: { type: "boolean" }, watch: { type: "boolean" }, help }, 0);
      if (values.help === true) return { kind: "help", topic: name };
      return { kind: "status", json: values.json === true, watch: values.watch === true };
    }
    case "env": {
      const { values, positionals } = read(rest, { shell: { type: "string" }, port: { type: "string" }, help }, 1);
      if (values.help === true) return { kind: "help", topic: name };
      const port = values.port === undefined ? undefined : parsePort(values.port);
      return { kind: "env", folder: positionals[0] ?? cwd, shell: values.shell, port };
    }
    case "doctor": {
      const options = {
        json: { type: "boolean" },
        report: { type: "boolean" },
        agent: { type: "string", multiple: true },
        explain: { type: "string" },
        help,
      } as const;
      const { values, positionals } = read(rest, options, 1);
      if (values.help === true) return { kind: "help", topic: name };
      const agents = (values.agent ?? []).map(parseAgent);
      const [json, report] = [values.json === true, values.report === true];
      if (json && report) throw new PatchbayError("invalid-argument", "Use either --json or --report.");
      return { kind: "doctor", folder: positionals[0] ?? cwd, json, report, agents, explain: values.explain };
    }
    case "hook":
      return parseHook(rest, cwd);
    case "panel": {
      const options = {
        "no-open": { type: "boolean" },
        port: { type: "string" },
        agent: { type: "string" },
        help,
      } as const;
      const { values, positionals } = read(rest, options, 1);
      if (values.help === true) return { kind: "help", topic: name };
      const port = values.port === undefined ? undefined : parsePort(values.port);
      const { agent, "no-open": isClosed } = values;
      return { kind: "panel", folder: positionals[0] ?? cwd, open: isClosed !== true, port, agent };
    }
    case "turns":
    case "diff":
    case "undo":
    case "redo":
      return parseTurns(name, rest, cwd);
    case "run": {
      const [agent, ...args] = rest;
      if (agent === undefined || agent === "-h" || agent === "--help") return { kind: "help", topic: name };
      return { kind: "run", agent: parseAgent(agent), folder: cwd, args };
    }
    default:
      throw new PatchbayError("invalid-argument", `Unknown command "${name}". Type: ${program} --help`);
  }
}

const serveOptions = {
  demo: { type: "boolean" },
  json: { type: "boolean" },
  difftool: { type: "string" },
  port: { type: "string" },
  open: { type: "string", multiple: true },
  folder: { type: "string", multiple: true },
  problems: { type: "boolean" },
  reviews: { type: "string" },
  help,
} as const;

function parseServe(args: readonly string[], cwd: string): Command {
  const { values, positionals } = read(args, serveOptions, 1);
  if (values.help === true) return { kind: "help", topic: "serve" };
  for (const name of ["folder", "problems"] as const) {
    if (values[name] !== undefined && values.json !== true)
      throw new PatchbayError("invalid-argument", `--${name} is for programs: use it with --json.`);
  }
  return {
    kind: "serve",
    folder: positionals[0] ?? cwd,
    demo: values.demo === true,
    json: values.json === true,
    difftool: values.difftool,
    port: values.port === undefined ? undefined : parsePort(values.port),
    open: values.open ?? [],
    moreFolders: values.folder ?? [],
    problems: values.problems === true,
    reviews: values.reviews === undefined ? undefined : parseReviews(values.reviews),
  };
}

function parseReviews(text: string): ServeReviews {
  const reviews = serveReviews.find((one) => one === text);
  if (reviews !== undefined) return reviews;
  throw new PatchbayError("invalid-argument", `Invalid reviews "${text}". Use ${serveReviews.join(", ")}.`);
}

function parseHook(args: readonly string[], folder: string): Command {
  const { values, positionals } = read(args, { project: { type: "boolean" }, yes: { type: "boolean" }, help }, 2);
  const [action, agent] = positionals;
  if (values.help === true || action === undefined) return { kind: "help", topic: "hook" };
  if (action !== "install" && action !== "remove" && action !== "status") {
    throw new PatchbayError("invalid-argument", `Unknown "hook ${action}". Use install, remove or status.`);
  }
  return {
    kind: "hook",
    action,
    agent: agent === undefined ? undefined : parseAgent(agent),
    folder,
    project: values.project === true,
    yes: values.yes === true,
  };
}

const turnOptions = {
  turns: { json: { type: "boolean" }, help },
  diff: { help },
  undo: {
    hunk: { type: "string" },
    session: { type: "string" },
    reason: { type: "string" },
    now: { type: "boolean" },
    yes: { type: "boolean" },
    help,
  },
  redo: { reason: { type: "string" }, now: { type: "boolean" }, yes: { type: "boolean" }, help },
} as const satisfies Readonly<Record<TurnsCommand["kind"], Options>>;

/** `[turn] [path]`: what is no number is a path. */
function parseTurns(kind: TurnsCommand["kind"], args: readonly string[], folder: string): Command {
  const options: Options = turnOptions[kind];
  const { values, positionals } = read(args, options, kind === "turns" ? 0 : 2);
  if (values["help"] === true) return { kind: "help", topic: kind };
  const [first, second] = positionals;
  const isTurn = first !== undefined && /^\d+$/u.test(first);
  if (!isTurn && second !== undefined) throw notANumber(first ?? "");
  const textOf = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
  const [hunk, session] = [textOf("hunk"), textOf("session")];
  if (session !== undefined && (first !== undefined || hunk !== undefined)) {
    throw new PatchbayError(
      "invalid-argument",
      "--session is about all of its turns: leave out turn, path and --hunk.",
    );
  }
  return {
    kind,
    folder,
    json: values["json"] === true,
    turn: isTurn ? parseCount(first) : undefined,
    path: isTurn ? second : first,
    hunk: hunk === undefined ? undefined : parseCount(hunk),
    session,
    reason: textOf("reason"),
    now: values["now"] === true,
    yes: values["yes"] === true,
  };
}

function parseCount(text: string): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw notANumber(text);
}

function notANumber(text: string): PatchbayError {
  return new PatchbayError("invalid-argument", `"${text}" is no number of the list. They count from 1.`);
}

function parseAgent(text: string): AgentId {
  const agent = agents.find(({ id }) => id === text)?.id;
  if (agent !== undefined) return agent;
  throw new PatchbayError("invalid-argument", `Unknown agent "${text}". Use ${agents.map(({ id }) => id).join(", ")}.`);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new PatchbayError("invalid-argument", `Invalid port "${text}". Use a number from 1 to 65535.`);
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

function read<const T extends Options>(
  args: readonly string[],
  options: T,
  mostPositionals: number,
): ReturnType<typeof parseArgs<{ args: string[]; options: T; allowPositionals: true }>> {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true });
    const tooMany = parsed.positionals[mostPositionals];
    if (tooMany !== undefined) throw new Error(`Unexpected argument "${tooMany}".`);
    return parsed;
  } catch (error) {
    throw new PatchbayError("invalid-argument", `${whatIsWrong(error)} Type: ${program} --help`, { cause: error });
  }
}

/** In words of ours: the library's sentences tell programmers how to use it. */
function whatIsWrong(error: unknown): string {
  const message = messageOf(error);
  const option = /--?[\w-]+/u.exec(message)?.[0] ?? "This option";
  switch (error instanceof Error && "code" in error ? error.code : undefined) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION":
      return `Unknown option ${option}.`;
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE":
      return message.includes("does not take") ? `${option} takes no value.` : `${option} needs a value.`;
    default:
      return message;
  }
}
