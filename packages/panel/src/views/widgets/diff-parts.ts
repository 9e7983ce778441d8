import type { FileChange } from "@patchbay/conversations/model";
import { type Later, later } from "./later.tsx";

/** A change as lines. Where the whole is not in `limit` lines, the rest is counted. */
export const DiffView: Later<{ readonly change: FileChange; readonly path: string; readonly limit: number }> = later();

/** How many lines come and go, e.g. "+3 −1". */
export const DiffCounts: Later<{ readonly change: FileChange }> = later();
