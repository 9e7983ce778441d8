import { basename, isAbsolute, relative } from "node:path";
import { l10n } from "@patchbay/languages/spoken";
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

/** @param ms How long it has waited; a clock that was set back counts as now. */
export function ageOf(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return l10n.t("now");
  if (minutes < 60) return l10n.t("{0} min", minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? l10n.t("{0} h", hours) : l10n.t("{0} d", Math.floor(hours / 24));
}
