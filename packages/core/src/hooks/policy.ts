import * as z from "zod";
import { readExclusions } from "../context/exclusions.ts";
import type { Files, Platform } from "../platform/platform.ts";
import { joinPath } from "../storage/private-directory.ts";

/**
 * Which writes of an agent its hook has reviewed (docs/decisions/0007-hooks.md). `asks-itself`: none, the agent asks by its own protocol
 * in the modes that ask.
 */
export type ReviewPolicy = "never" | "asks-itself" | { readonly paths: readonly string[] } | "always";

/** By the ids of agents; `*` stands for those that are not named. */
export type ReviewPolicies = Readonly<Record<string, ReviewPolicy>>;

/** Whether an agent's hook asks about each shell command before it runs. */
export type CommandPolicy = "ask" | "never";

/** By the ids of agents; `*` stands for those that are not named. */
export type CommandPolicies = Readonly<Record<string, CommandPolicy>>;

/** Whoever installs the hook wants it. */
const usual: ReviewPolicy = "always";

/** In each folder of the workspace. */
export const projectFileName = ".patchbay.json";

const policy = z.union([
  z.enum(["never", "asks-itself", "always"]),
  z.object({ paths: z.array(z.string().max(1_000)).max(200) }),
]);
const commandPolicy = z.enum(["ask", "never"]);
/** Described for people and editors in docs/patchbay.schema.json. */
export const projectFile: z.ZodType<{ readonly reviews?: Readonly<Record<string, unknown>> | undefined }> = z.object({
  reviews: z
    .object({ commands: z.record(z.string(), commandPolicy).optional() })
    .catchall(policy)
    .optional(),
});

const largestProjectFileBytes = 262_144;

/** What could loosen a policy, or take a hook away. */
const guardedPaths = [
  projectFileName,
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".gemini/settings.json",
  ".qwen/settings.json",
  ".codex/config.toml",
  ".codex/hooks.json",
  ".pi/settings.json",
  ".pi/extensions/**",
  ".opencode/plugin/**",
  ".opencode/plugins/**",
  ".kilo/plugin/**",
  ".kilo/plugins/**",
];

/**
 * The user's policies for a file, from the setting as they wrote it: by the ids of agents, and the same again for `folders`, of which
 * the nearest that says something of an agent counts. What cannot be understood is no leave to write unseen.
 */
export async function policiesAt(
  setting: unknown,
  path: string,
  platform: Pick<Platform, "files" | "process">,
): Promise<ReviewPolicies> {
  return nearest((await layersAt(setting, path, platform)).map(policiesOf));
}

/** The user's policies for commands in a folder, from the `commands` of the same setting. What cannot be understood means that they want to be asked. */
export async function commandPoliciesAt(
  setting: unknown,
  folder: string,
  platform: Pick<Platform, "files" | "process">,
): Promise<CommandPolicies> {
  return nearest((await layersAt(setting, folder, platform)).map(commandPoliciesOf));
}

/** What is said in general, then for folders in which the path is, the nearest last. */
async function layersAt(
  setting: unknown,
  path: string,
  platform: Pick<Platform, "files" | "process">,
): Promise<readonly Members[]> {
  const { folders, ...general } = membersOf(setting);
  const found: { readonly real: string; readonly members: Members }[] = [];
  for (const [folder, policies] of Object.entries(membersOf(folders))) {
    const named = folder.replace(/^~(?=$|[\\/])/u, platform.process.homeDirectory);
    const real = (await platform.files.realPath(named).catch(() => undefined)) ?? named;
    if (isInside(path, real, platform)) found.push({ real, members: membersOf(policies) });
  }
  const byDepth = found.toSorted((one, other) => one.real.length - other.real.length);
  return [general, ...byDepth.map(({ members }) => members)];
}

function nearest<T>(layers: readonly Readonly<Record<string, T>>[]): Readonly<Record<string, T>> {
  // A folder's "*" stands before what is said of an agent elsewhere.
  return layers.reduce<Readonly<Record<string, T>>>(
    (outer, inner) => (Object.hasOwn(inner, "*") ? inner : { ...outer, ...inner }),
    {},
  );
}

function policiesOf({ commands: _commands, ...members }: Members): ReviewPolicies {
  return Object.fromEntries(
    Object.entries(members).map(([agent, value]) => [agent, policy.safeParse(value).data ?? usual]),
  );
}

function commandPoliciesOf({ commands }: Members): CommandPolicies {
  if (commands === undefined) return {};
  const all = typeof commands === "object" && commands !== null ? { ...commands } : { "*": commands };
  return Object.fromEntries(
    Object.entries(all).map(([agent, value]) => [agent, commandPolicy.safeParse(value).data ?? "ask"]),
  );
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function isInside(path: string, folder: string, { process }: Pick<Platform, "process">): boolean {
  const isWindows = process.platform === "win32";
  const plain = (text: string): string => {
    const even = isWindows ? text.replaceAll("\\", "/").toLowerCase() : text;
    return even.endsWith("/") ? even : `${even}/`;
  };
  return plain(path).startsWith(plain(folder));
}

export interface PolicyFacts<Policies = ReviewPolicies> {
  readonly platform: Pick<Platform, "files" | "process">;
  readonly agent: string;
  /** The user's. */
  readonly policies: Policies;
  /** The folders of the workspace, links resolved. */
  readonly folders: readonly string[];
  /** A repository's file cannot be read as what it should be. */
  readonly onUnclear: (path: string) => void;
}

/**
 * Whether a write of the agent to a file is to be reviewed; the path is absolute, links resolved. Undefined: it may be any file of the
 * workspace.
 */
export async function isReviewed(path: string | undefined, facts: PolicyFacts): Promise<boolean> {
  const { agent, policies, platform } = facts;
  const users = policyOf(policies, agent) ?? usual;
  // The user's own word: no repository takes it back.
  if (users === "never") return false;
  if (users === "always") return true;
  const projects = await readProjects(facts);
  const wanted = [users, ...projects.flatMap(({ reviews }) => policyOf(reviews, agent) ?? [])];
  if (wanted.includes("always")) return true;
  const patterns = wanted.flatMap((one) => (typeof one === "object" ? one.paths : []));
  if (patterns.length === 0) return false;
  if (path === undefined) return true;
  const { platform: system } = platform.process;
  // A pattern that cannot be understood might have meant any path: then all are reviewed.
  const { excludes } = readExclusions([...patterns, ...guardedPaths], system === "darwin" || system === "win32");
  return path === undefined || excludes(path);
}

/** Whether a write is shown about which the agent asks by itself, by a door at which an editor may answer: not where the user wants none. */
export function isShownIfAsked(policies: ReviewPolicies, agent: string): boolean {
  return policyOf(policies, agent) !== "never";
}

/** Whether the user is to be asked about each command of the agent: only where they, or the repository, say so. */
export async function isCommandAsked(facts: PolicyFacts<CommandPolicies>): Promise<boolean> {
  const { agent, policies } = facts;
  const users = policyOf(policies, agent);
  // The user's own word: no repository takes it back.
  if (users !== undefined) return users === "ask";
  const projects = await readProjects(facts);
  return projects.some(({ commands }) => policyOf(commands, agent) === "ask");
}

function policyOf<T>(policies: Readonly<Record<string, T>>, agent: string): T | undefined {
  return Object.hasOwn(policies, agent) ? policies[agent] : policies["*"];
}

/** What a repository's file says. */
export interface ProjectPolicies {
  readonly reviews: ReviewPolicies;
  readonly commands: CommandPolicies;
}

/** What a repository's file says; undefined where it cannot be read as what it should be. */
export async function readProjectPolicies(files: Files, path: string): Promise<ProjectPolicies | undefined> {
  try {
    const text = await files.readText(path, largestProjectFileBytes);
    if (text === undefined && (await files.lstat(path)) === undefined) return { reviews: {}, commands: {} };
    const reviews = projectFile.parse(JSON.parse(text ?? "")).reviews ?? {};
    return { reviews: policiesOf(reviews), commands: commandPoliciesOf(reviews) };
  } catch {
    return undefined;
  }
}

async function readProjects({
  platform,
  folders,
  onUnclear,
}: Pick<PolicyFacts, "platform" | "folders" | "onUnclear">): Promise<readonly ProjectPolicies[]> {
  const read = folders.map(async (folder): Promise<readonly ProjectPolicies[]> => {
    const path = joinPath(platform, folder, projectFileName);
    const found = await readProjectPolicies(platform.files, path);
    if (found === undefined) onUnclear(path);
    return found === undefined ? [] : [found];
  });
  return (await Promise.all(read)).flat();
}
