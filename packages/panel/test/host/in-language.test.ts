import { expect, it } from "vitest";
import { builtTexts } from "../../../languages/scripts/texts-of.ts";
import { patchInLanguage, refusalsInLanguage } from "../../src/host/in-language.ts";
import { panelTextsIn, saidIn } from "../../src/messages/index.ts";

const german = saidIn(panelTextsIn(builtTexts("de")));

it("says why files cannot be changed back in the user's language, each behind its path", () => {
  const refusals = "/w/a: b.ts: The same lines have been changed since.\n/w/c.ts: EACCES: permission denied";
  expect(refusalsInLanguage(refusals, german)).toBe(
    "/w/a: b.ts: Dieselben Zeilen wurden seitdem geändert.\n/w/c.ts: EACCES: permission denied",
  );
  expect(refusalsInLanguage("No files have changed since.", german)).toBe("Seitdem wurde keine Datei geändert.");
});

it("says of a changed file why it cannot be undone, and leaves the rest of a patch alone", () => {
  const file = { path: "/w/a.ts", kind: "changed", state: "applied", isAsked: true } as const;
  const obstacle = "The earlier content of the file is not known.";
  const turns = [{ turn: "t", files: [{ ...file, obstacle }, file], ranCommands: false }];
  const patch = { sequence: 1, status: { title: "Plan", turns }, entries: [], appends: [] };
  const shown = "Was vorher in der Datei stand, ist nicht bekannt.";
  expect(patchInLanguage(patch, german)).toEqual({
    ...patch,
    status: { title: "Plan", turns: [{ turn: "t", files: [{ ...file, obstacle: shown }, file], ranCommands: false }] },
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
