import type { JSX } from "preact";
import { isRightToLeft } from "../../store/use-panel.ts";
import { visibleLine } from "./visible-text.ts";

/**
 * A path, or a part of one, as it is: each name stands by itself and in its place. Without this, two names in a script that is
 * written from right to left change places around the stroke between them, and an ending comes before its name. What is copied has
 * nothing in it that is not there.
 */
export function PathText({ path }: { readonly path: string }): JSX.Element {
  const shown = visibleLine(path);
  if (!isRightToLeft(shown)) return <>{shown}</>;
  return <>{shown.split(/([/\\])/u).map((part, index) => (index % 2 === 0 ? <bdi dir="ltr">{part}</bdi> : part))}</>;
}
