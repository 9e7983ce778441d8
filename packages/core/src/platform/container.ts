import type { Platform } from "./platform.ts";

/** What tells a program that it runs in a container: left by Docker and by Podman. */
const containerMarks = ["/.dockerenv", "/run/.containerenv"];

/** Whether this machine is a container. Two lstats. Never rejects. */
export async function isInContainer({ files }: Pick<Platform, "files">): Promise<boolean> {
  const marks = await Promise.all(containerMarks.map((path) => files.lstat(path).catch(() => undefined)));
  return marks.some((mark) => mark !== undefined);
}
