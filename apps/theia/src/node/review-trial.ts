import { type AgentId, agents, createNodePlatform, type HostMessage, messageOf } from "@patchbay/core";
import { isInstalled } from "@patchbay/core/diagnosis";
import { startTrial, type TrialEnd } from "@patchbay/core/trial";
import type { WorkspaceCompanion } from "./workspace-companion.ts";

const again = "Try Again";
const connect = "Connect an Agent";

/** What the user wants after it: an agent, or to see how to connect one; undefined: nothing. */
export type AfterTrial = AgentId | "diagnose" | undefined;

/**
 * "Try a Review": a made-up change in Theia's own diff editor, for a user who has no agent at hand. Resolves once they have chosen what
 * is next. Never rejects.
 */
export async function tryReview({ companion, host }: WorkspaceCompanion, mayStart: boolean): Promise<AfterTrial> {
  const platform = createNodePlatform();
  const show = async (
    code: string,
    text: string,
    actions: readonly string[],
    signal?: AbortSignal,
  ): Promise<string | undefined> => {
    const message: HostMessage = { code: `trial-${code}`, severity: "info", text, values: {}, actions };
    return await host.messages.show(signal === undefined ? message : { ...message, signal });
  };
  for (;;) {
    const trial = await startTrial(companion, platform).catch((error: unknown) => {
      void show("failed", messageOf(error), []);
    });
    if (trial === undefined) return undefined;
    // What to do is said until it is done.
    const underway = new AbortController();
    void show(
      "begun",
      "This is how a change of an agent opens: the file on the left, the proposal on the right. Edit the right side, accept or reject single changes, then press Accept or Reject. No agent is running, and none of your files is touched.",
      [],
      underway.signal,
    );
    const end = await trial.ended;
    underway.abort();
    const sentence = wordsOf(end);
    if (sentence === undefined) return undefined;
    const there = await Promise.all(
      agents.map(async (agent) => (mayStart && (await isInstalled(platform, agent.program.command)) ? [agent] : [])),
    );
    const runs = new Map(there.flat().map(({ id, agentName }) => [`Run ${agentName}`, id]));
    const answer = await show(end.kind, sentence, [...(runs.size === 0 ? [connect] : runs.keys()), again]);
    if (answer !== again) return answer === connect ? "diagnose" : runs.get(answer ?? "");
  }
}

/** What an agent would do now; undefined where nobody is there to be told. */
function wordsOf(end: TrialEnd): string | undefined {
  switch (end.kind) {
    case "accepted": {
      const { taken, proposed, isEdited } = end;
      const edits = isEdited ? ", with your edits" : "";
      return `Accepted. An agent would now write what stood on the right: ${taken} of its ${proposed} changes${edits}.`;
    }
    case "rejected":
      return "Rejected. An agent would now write nothing, and know that you said no.";
    case "closed":
      return "Closed. To an agent in a terminal that is a no: it would now write nothing.";
    case "stopped":
      return undefined;
  }
}
