import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostMessage } from "@patchbay/core";
import { englishTexts } from "@patchbay/languages";
import { useTexts } from "@patchbay/languages/spoken";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cocParts } from "../../../../packages/languages/scripts/files.ts";
import { builtTexts } from "../../../../packages/languages/scripts/texts-of.ts";
import { createHostUnderTest, type HostUnderTest } from "../simulated/create-host.ts";

let test: HostUnderTest;

beforeEach(() => {
  test = createHostUnderTest();
});

afterEach(() => {
  test.dispose();
  useTexts(englishTexts);
});

const question: HostMessage = {
  code: "outside-workspace",
  severity: "warning",
  text: "Gemini CLI proposes a change to /etc/hosts, which is outside this workspace. Show it?",
  values: { agent: "Gemini CLI", path: "/etc/hosts" },
  actions: ["Show", "Do Not Show"],
};

it("takes a question away with its answer, and goes to what the user then wants to see", async () => {
  const { messages } = test.parts.host;
  writeFileSync(join(test.folder, "a.txt"), "");
  const asked = messages.show(question);
  expect(test.vim.closedNotices).toEqual([]);
  test.vim.openFile(join(test.folder, "a.txt"));
  expect(test.parts.editors.isIdle()).toBe(false);
  await expect.poll(() => test.parts.questions.all.length).toBe(1);
  const [waiting] = test.parts.questions.all;
  if (waiting === undefined) throw new Error("nothing waits");
  test.parts.questions.answer(waiting, "Show");
  expect(await asked).toBe("Show");
  expect(test.vim.closedNotices).toEqual(test.vim.notices);
  expect(test.parts.editors.isIdle()).toBe(true);
  test.clock.advance(1_001);
  expect(test.parts.editors.isIdle()).toBe(false);
});

it("asks in the user's language, and core hears its own words", async () => {
  useTexts(builtTexts("de", cocParts()));
  const { messages } = test.parts.host;
  const asked = messages.show(question);
  await expect.poll(() => test.parts.questions.all.length).toBe(1);
  const [waiting] = test.parts.questions.all;
  if (waiting === undefined) throw new Error("nothing waits");
  expect(waiting.text).toBe(
    "Gemini CLI schlägt eine Änderung an /etc/hosts außerhalb dieses Arbeitsbereichs vor. Anzeigen?",
  );
  expect(waiting.actions).toEqual(["Anzeigen", "Nicht anzeigen"]);
  expect(test.vim.notices).toEqual([`${waiting.text} Antworten Sie mit :CocCommand patchbay.answer`]);
  test.parts.questions.answer(waiting, "Nicht anzeigen");
  expect(await asked).toBe("Do Not Show");
});

it("says how to answer, and shows no plain notice that is not wanted", async () => {
  const { messages } = test.parts.host;
  void messages.show(question);
  test.settings.set("notices", "problems");
  await messages.show({ ...question, severity: "info", actions: [] });
  await messages.show({ ...question, text: "Something is wrong.", actions: [] });
  test.settings.set("notices", "none");
  await messages.show({ ...question, actions: [] });
  expect(test.vim.notices).toEqual([`${question.text} Answer with :CocCommand patchbay.answer`, "Something is wrong."]);
});
