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

/** Whoever installs the hook wants it. */
const usual: ReviewPolicy = "always";

/** In each folder of the workspace. */
export const projectFileName = ".patchbay.json";

const policy = z.union([
  z.enum(["never", "asks-itself", "always"]),
  z.object({ paths: z.array(z.string().max(1_000)).max(200) }),
]);
/** Described for people and editors in docs/patchbay.schema.json. */
export const projectFile: z.ZodType<{ readonly reviews?: ReviewPolicies | undefined }> = z.object({
  reviews: z.record(z.string(), policy).optional(),
});

const largestProjectFileBytes = 262_144;

/** What could loosen a policy, or take a hook away. */
const guardedPaths = [
  projectFileName,
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".gemini/settings.json",
  ".qwen/settings.json",
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
  const { folders, ...general } = membersOf(setting);
  const found: { readonly real: string; readonly policies: ReviewPolicies }[] = [];
  for (const [folder, policies] of Object.entries(membersOf(folders))) {
    const named = folder.replace(/^~(?=$|[\\/])/u, platform.process.homeDirectory);
    const real = (await platform.files.realPath(named).catch(() => undefined)) ?? named;
    if (isInside(path, real, platform)) found.push({ real, policies: policiesOf(membersOf(policies)) });
  }
  const byDepth = found.toSorted((one, other) => one.real.length - other.real.length);
  // A folder's "*" stands before what is said of an agent elsewhere.
  return byDepth.reduce<ReviewPolicies>(
    (outer, { policies }) => (Object.hasOwn(policies, "*") ? policies : { ...outer, ...policies }),
    policiesOf(general),
  );
}

function policiesOf(members: Readonly<Record<string, unknown>>): ReviewPolicies {
  return Object.fromEntries(
    Object.entries(members).map(([agent, value]) => [agent, policy.safeParse(value).data ?? usual]),
  );
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
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

export interface PolicyFacts {
  readonly platform: Pick<Platform, "files" | "process">;
  readonly agent: string;
  /** The user's. */
  readonly policies: ReviewPolicies;
  /** The folders of the workspace, links resolved. */
  readonly folders: readonly string[];
  /** A repository's file cannot be read as what it should be. */
  readonly onUnclear: (path: string) => void;
}

/** Whether a write of the agent to a file is to be reviewed; the path is absolute, links resolved. */
export async function isReviewed(path: string, facts: PolicyFacts): Promise<boolean> {
  const { agent, policies, platform, folders, onUnclear } = facts;
  const users = policyOf(policies, agent) ?? usual;
  // The user's own word: no repository takes it back.
  if (users === "never") return false;
  if (users === "always") return true;
  const projects = await Promise.all(
    folders.map((folder) => readProject(platform.files, joinPath(platform, folder, projectFileName), onUnclear)),
  );
  const wanted = [users, ...projects.flatMap((project) => policyOf(project, agent) ?? [])];
  if (wanted.includes("always")) return true;
  const patterns = wanted.flatMap((one) => (typeof one === "object" ? one.paths : []));
  if (patterns.length === 0) return false;
  const { platform: system } = platform.process;
  // A pattern that cannot be understood might have meant any path: then all are reviewed.
  const { excludes } = readExclusions([...patterns, ...guardedPaths], system === "darwin" || system === "win32");
  return excludes(path);
}

function policyOf(policies: ReviewPolicies, agent: string): ReviewPolicy | undefined {
  return Object.hasOwn(policies, agent) ? policies[agent] : policies["*"];
}

/** What a repository's file says; undefined where it cannot be read as what it should be. */
export async function readProjectPolicies(files: Files, path: string): Promise<ReviewPolicies | undefined> {
  try {
    const text = await files.readText(path, largestProjectFileBytes);
    if (text === undefined && (await files.lstat(path)) === undefined) return {};
    return projectFile.parse(JSON.parse(text ?? "")).reviews ?? {};
  } catch {
    return undefined;
  }
}

async function readProject(files: Files, path: string, onUnclear: (path: string) => void): Promise<ReviewPolicies> {
  const read = await readProjectPolicies(files, path);
  if (read === undefined) onUnclear(path);
  return read ?? {};
}
