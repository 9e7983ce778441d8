import type { TurnEndEntry } from "@patchbay/conversations/model";
import { type Later, later } from "../widgets/later.tsx";

/** The files that a command changed. */
export const CommandFiles: Later<{ readonly id: string }> = later();

/** What a turn did to the files, below it. */
export const TurnBar: Later<{ readonly entry: TurnEndEntry }> = later();

/** What would be restored before it is, and whether it is wanted. */
export const RestoringView: Later<{ readonly prompt: string }> = later();
