import { basename, isAbsolute, relative } from "node:path";
import { plainLine } from "../vim/shape.ts";

/** As much of a proposal's id as keeps the names of two reviews apart: Vim shows them in its messages. */
const idLength = 6;

/** Names of a review's two buffers; the last part is what tab lines and buffer lists show. */
export function reviewNames(
  id: string,
  agentName: string,
  path: string,
): { readonly left: string; readonly right: string } {
  const file = plainLine(basename(path));
  const place = `patchbay://${id.slice(0, idLength)}`;
  return { left: `${place}/now: ${file}`, right: `${place}/${plainLine(agentName)}: ${file}` };
}

/** A path as people read it, as text: relative to the first folder that holds it. */
export function shortPath(path: string, folders: readonly string[]): string {
  for (const folder of folders) {
    const short = relative(folder, path);
    if (short !== "" && !short.startsWith("..") && !isAbsolute(short)) return plainLine(short);
  }
  return plainLine(path);
}
