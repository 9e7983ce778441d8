import { agents, type Companion, messageOf, type Platform } from "@patchbay/core";
import { startTrial, type TrialEnd } from "@patchbay/core/trial";
import { program } from "../own-command.ts";
import { escapeLine } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";

export interface TryingOptions {
  readonly companion: Companion;
  readonly platform: Platform;
  readonly screen: Pick<Screen, "print" | "printLines">;
  readonly paint: Paint;
}

/** `try`: a made-up change, for a user who has no agent at hand, and what to do after it. Never rejects. */
export async function tryReview(options: TryingOptions): Promise<void> {
  const { companion, platform, screen } = options;
  screen.print(
    "This is how a change of an agent is shown. Press a to accept it, r to reject it, p to decide its changes one by one, or e to edit it first. No agent is running, and none of your files is touched.",
  );
  try {
    const end = await (await startTrial(companion, platform))?.ended;
    const sentence = end === undefined ? undefined : wordsOf(end);
    if (sentence === undefined) return;
    screen.print(sentence);
    offerMore(options);
  } catch (error) {
    screen.print(escapeLine(messageOf(error)));
  }
}

function offerMore({ screen, paint }: TryingOptions): void {
  screen.print("What next? Connect an agent: type one of these in another terminal, in this folder:");
  // As they are, so that they can be copied.
  for (const { id } of agents) screen.printLines(`  ${paint.place(escapeLine(`${program} run ${id}`))}`);
  screen.print(`Or type ${paint.place("try")} here to do this again, ${paint.place("quit")} to leave.`);
}

/** What an agent would do now; undefined where Patchbay ends. */
function wordsOf(end: TrialEnd): string | undefined {
  switch (end.kind) {
    case "accepted":
      return `An agent would now write what you accepted: ${end.taken} of its ${end.proposed} changes${end.isEdited ? ", with your edits" : ""}.`;
    case "rejected":
    case "closed":
      return "An agent would now write nothing, and know that you said no.";
    case "stopped":
      return undefined;
  }
}
