import type { FileFacts, Platform } from "../platform/platform.ts";
import { splitPath } from "./join-path.ts";

const othersMayWrite = 0o022;
const sticky = 0o1000;

/**
 * Where a link in the home leads that the user made himself, as people do who keep dotfiles elsewhere. Any other link is
 * given back as it is, for the caller to refuse. The link and its target are the user's, and nobody else can put either there.
 */
export async function followOwnLink(platform: Platform, directory: string, link: string): Promise<string> {
  const { files, process } = platform;
  const isOwn = (facts: FileFacts | undefined): boolean => facts?.uid === process.uid;
  // Windows tells no owner: there, no link is known to be the user's own.
  if (process.uid === -1 || !isOwn(await files.lstat(link))) return link;
  const [place, target] = await Promise.all([files.realPath(directory), files.realPath(link)]);
  if (place === undefined || target === undefined || !(await isKeptFromOthers(platform, place))) return link;
  const facts = await files.lstat(target);
  if (facts?.kind !== "directory" || !isOwn(facts)) return link;
  return (await isKeptFromOthers(platform, splitPath(platform, target).parent, sticky)) ? target : link;
}

/** Whether nobody else can put, rename or remove an entry of this user in a directory: it is this user's or the system's, and no one else's to write. */
async function isKeptFromOthers(platform: Platform, path: string, sufficientMode = 0): Promise<boolean> {
  const facts = await platform.files.lstat(path);
  if (facts?.kind !== "directory" || (facts.uid !== platform.process.uid && facts.uid !== 0)) return false;
  return (facts.mode & othersMayWrite) === 0 || (facts.mode & sufficientMode) !== 0;
}
