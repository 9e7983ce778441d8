import type { Entry } from "@patchbay/conversations/model";
import { describe, expect, it } from "vitest";
import { sampleConversation } from "../../bench/sample.ts";
import { panelStrings } from "../../src/strings.ts";
import { wordsOf } from "../../src/store/use-panel.ts";
import { Narrator, wholeSentences } from "../../src/views/log/announcer.tsx";

const words = wordsOf(panelStrings);

const message = (text: string, isComplete: boolean): Entry => ({ kind: "message", id: "m", at: 0, text, isComplete });

describe("what a screen reader is told", () => {
  it.each([
    ["One. Two", "One."],
    ["Is it 3.5? Yes", "Is it 3.5?"],
    ["Not yet", ""],
    ["“Done.” Next", "“Done."],
    ["A line\nand", "A line\n"],
    ["終わり。 次", "終わり。"],
  ])("are whole sentences of %j", (text, sentences) => {
    expect(wholeSentences(text)).toBe(sentences);
  });

  it("is each sentence once, when it is complete, without the marks of Markdown", () => {
    const narrator = new Narrator(sampleConversation([], 0), words, "Claude");
    const say = (text: string, isComplete: boolean): string =>
      narrator.listen(sampleConversation([message(text, isComplete)], 0));
    expect(say("The **total", false)).toBe("");
    expect(say("The **total** is low. It", false)).toBe("The total is low.");
    expect(say("The **total** is low. It is `0`", false)).toBe("");
    expect(say("The **total** is low. It is `0`", true)).toBe("It is 0");
    expect(say("The **total** is low. It is `0`", true)).toBe("");
  });

  it("is nothing of what was there before", () => {
    const before = sampleConversation([message("Old text.", true)], 0);
    const narrator = new Narrator(before, words, "Claude");
    expect(narrator.listen(before)).toBe("");
  });

  it("is a question with its title, a notice, and the end of a turn", () => {
    const narrator = new Narrator(sampleConversation([], 0), words, "Claude");
    const entries: readonly Entry[] = [
      {
        kind: "question",
        id: "q",
        at: 0,
        question: { type: "permission", toolId: "t", title: "Run npm test", choices: [] },
      },
      { kind: "notice", id: "n", at: 0, level: "error", text: "It exited." },
      { kind: "turn-end", id: "e", at: 0, reason: "stopped" },
    ];
    expect(narrator.listen(sampleConversation(entries, 0))).toBe(
      "Claude is waiting for your answer: Run npm test It exited. Claude has stopped.",
    );
  });
});
