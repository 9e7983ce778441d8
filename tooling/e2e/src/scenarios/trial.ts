import { readdir } from "node:fs/promises";
import type { EditorDriver } from "../editors/editor-driver.ts";
import { poll } from "../support/poll.ts";
import { must, type Scenario } from "./scenario.ts";

const sample = /sample\.js/u;

/** What the user writes into the first one. */
const mine = " Mine.";

/** The made-up proposal in the foreground, and none of before: one that was decided goes away by itself, on a busy machine after a while. */
async function waitForSample(editor: EditorDriver): Promise<void> {
  const { tabsNamed } = editor;
  if (tabsNamed !== undefined) {
    await poll("one made-up proposal", async () => (await tabsNamed.call(editor, sample)) === 1, { timeout: 20_000 });
  }
  await editor.showDiff(sample);
  let text = "";
  await poll(
    "the made-up proposal",
    async () => {
      text = (await editor.diffText?.()) ?? "";
      return text.includes("for (const price of prices)") && !text.includes(mine);
    },
    { timeout: 20_000, describe: () => `It is:\n${text}` },
  );
}

/** A newcomer's first minute without any agent: a review that is edited and accepted, once more and rejected; and nothing is left. */
export const trial: Scenario = {
  name: "trial",
  // No agent is started: the one is as good as the other.
  agents: ["gemini"],
  isFor: (editor) => editor.tryReview !== undefined && editor.answerTrial !== undefined,
  mayTell: /This is how a change of an agent opens|An agent would now write/u,
  run: async ({ editor, lab }) => {
    await editor.tryReview?.();
    await waitForSample(editor);
    await editor.typeInDiff(mine);
    await editor.acceptDiff();
    const accepted = (await editor.answerTrial?.("again")) ?? "";
    must(`what an agent would write is told: ${accepted}`, /3 of its 3 changes, with your edits/u.test(accepted));
    await waitForSample(editor);
    await editor.rejectDiff();
    const rejected = (await editor.answerTrial?.("leave")) ?? "";
    must(`it is told that nothing would be written: ${rejected}`, /an agent would now write nothing/iu.test(rejected));
    const left = async (): Promise<readonly string[]> =>
      (await readdir(lab.temporary, { recursive: true })).filter((name) => name.includes("patchbay-try-"));
    await poll("an end with nothing left", async () => (await left()).length === 0, { timeout: 5_000 });
    const waiting = async (): Promise<number> =>
      (await editor.tabsNamed?.(sample)) ?? (await editor.openDiffs()).filter((title) => sample.test(title)).length;
    await poll("an end without a tab of it", async () => (await waiting()) === 0, { timeout: 5_000 });
  },
};
