import { OriginalTexts } from "./original-texts.ts";
import { ProposalFiles } from "./proposal-files.ts";

/** What both sides of reviews show. */
export interface ProposalTexts {
  readonly files: ProposalFiles;
  readonly originals: OriginalTexts;
}

/** `restored` resolves when every proposal of an earlier run is back: who asks earlier waits. */
export function createProposalTexts(restored: Promise<void>): ProposalTexts {
  return { files: new ProposalFiles(restored), originals: new OriginalTexts(restored) };
}
