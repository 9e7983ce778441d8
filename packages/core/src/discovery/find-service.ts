import type { AgentService } from "../agents/service.ts";
import type { FileFacts, Platform } from "../platform/platform.ts";
import {
  findPrivateDirectory,
  isKeptFromOthers,
  isOwn,
  joinPath,
  ownLinksBelow,
  splitPath,
  sticky,
} from "../storage/private-directory.ts";

/** Who starts a service is its first client, after which it calls itself, ms. */
const firstClientMs = 2_000;

/** Where a service listens. */
export interface ServicePoint {
  readonly path: string;
  /** Differs from that of a service that listened there before. */
  readonly mark: string;
  readonly openToOthers?: undefined;
}

/** Others may put something else in the place of what listens there. */
export interface OpenServicePoint {
  readonly openToOthers: string;
}

/** Where an agent's service listens; undefined: there is nothing, or it is not this user's, or too new to be joined. */
export async function findService(
  platform: Platform,
  service: Pick<AgentService, "place">,
): Promise<ServicePoint | OpenServicePoint | undefined> {
  const { files, clock } = platform;
  const place = service.place({ platform, folder: undefined });
  if (place === undefined) return undefined;
  const { root, directories: levels, name } = place;
  const ownLinks = ownLinksBelow(platform, root);
  const directory = await findPrivateDirectory(platform, { root, levels, intent: "look", ownLinks });
  const named = joinPath(platform, directory.path, name);
  if (directory.kind !== "private") return undefined;
  const found = await files.lstat(named);
  if (found === undefined || !isOwn(platform, found)) return undefined;
  const isNew = ({ modifiedMs }: FileFacts): boolean => {
    const ageMs = clock.now() - modifiedMs;
    return ageMs >= 0 && ageMs < firstClientMs;
  };
  if (isNew(found)) return undefined;
  const since = `${found.id} ${found.changedMs}`;
  if (found.kind === "other") return { path: named, mark: since };
  const target = found.kind === "link" ? await files.realPath(named) : undefined;
  const facts = target === undefined ? undefined : await files.lstat(target);
  // The next service listens at the same place, and may leave the link as it is.
  if (target === undefined || facts?.kind !== "other" || !isOwn(platform, facts) || isNew(facts)) return undefined;
  const { parent } = splitPath(platform, target);
  const isPrivate =
    (await isKeptFromOthers(platform, parent)) &&
    (await isKeptFromOthers(platform, splitPath(platform, parent).parent, sticky));
  return isPrivate ? { path: target, mark: `${since} ${facts.id} ${facts.changedMs}` } : { openToOthers: target };
}
