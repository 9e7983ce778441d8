import { expect, it } from "vitest";
import { builtTexts } from "../../../languages/scripts/texts-of.ts";
import { leftInLanguage, patchInLanguage } from "../../src/host/in-language.ts";
import { panelTextsIn, saidIn } from "../../src/messages/index.ts";

const german = saidIn(panelTextsIn(builtTexts("de")));

it("says why files are left alone in the user's language, and leaves what is not ours as it is", () => {
  const left = [
    { path: "/w/b.ts", reason: "It has been changed since, and stays." },
    { path: "/w/c.ts", reason: "EACCES: permission denied" },
  ];
  expect(leftInLanguage(left, german)).toEqual([
    { path: "/w/b.ts", reason: "Die Datei wurde seitdem geändert und bleibt." },
    { path: "/w/c.ts", reason: "EACCES: permission denied" },
  ]);
});

it("says of a changed file why it cannot be undone, and leaves the rest of a patch alone", () => {
  const file = { path: "/w/a.ts", kind: "changed", mark: "exact", state: "applied", canRedo: false } as const;
  const obstacle = "No copy of it was kept: it cannot be undone here";
  const turns = [{ turn: "t", files: [{ ...file, obstacle }, file], more: 0 }];
  const patch = { sequence: 1, status: { title: "Plan", turns }, entries: [], appends: [] };
  const shown = "Keine Kopie davon aufbewahrt: kann hier nicht zurückgenommen werden";
  expect(patchInLanguage(patch, german)).toEqual({
    ...patch,
    status: { title: "Plan", turns: [{ turn: "t", files: [{ ...file, obstacle: shown }, file], more: 0 }] },
  });
});

it("gives the answers that Patchbay offers in the user's language, with what would hold from then on, and an agent's as they are", () => {
  const choice = (name: string, rule: string) => ({ id: name, name, kind: "allow-always", rule }) as const;
  const edits = "Changes files without asking, also by commands such as rm; asks for other commands.";
  const choices = [
    choice(`Yes, and switch to “Edit freely” for this session. ${edits}`, edits),
    choice("Yes, and always allow Bash(npm test *) in this folder", "Bash(npm test *)"),
    choice("Yes, and don't ask again", "npm test"),
  ];
  const question = { type: "permission", toolId: "t", title: "Edit a.ts", choices } as const;
  const open = { kind: "question", id: "q", at: 0, question } as const;
  const shown = patchInLanguage({ sequence: 1, status: {}, entries: [{ place: 0, entry: open }], appends: [] }, german);
  expect(shown.entries[0]?.entry).toMatchObject({
    question: {
      choices: [
        {
          name: "Ja, und in dieser Sitzung zu „Frei ändern“ wechseln. Ändert Dateien, ohne zu fragen, auch durch Befehle wie rm; fragt vor anderen Befehlen.",
          rule: "Ändert Dateien, ohne zu fragen, auch durch Befehle wie rm; fragt vor anderen Befehlen.",
        },
        { name: "Ja, und Bash(npm test *) in diesem Ordner immer erlauben", rule: "Bash(npm test *)" },
        { name: "Yes, and don't ask again", rule: "npm test" },
      ],
    },
  });
});
