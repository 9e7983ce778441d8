import { describe, expect, it } from "vitest";
import { englishTexts } from "@patchbay/languages";
import { builtTexts } from "../../languages/scripts/texts-of.ts";
import { hostSaysIn, panelStrings, panelStringsIn, panelTextsIn, saidIn } from "../src/messages/index.ts";

const german = builtTexts("de");

describe("the texts of the page", () => {
  it("are those of the language, by their keys", () => {
    expect(panelStringsIn(german)["compose.send"]).toBe("Senden");
    expect(Object.keys(panelStringsIn(german))).toEqual(Object.keys(panelStrings));
    expect(panelTextsIn(englishTexts)).toEqual(panelStrings);
  });
});

describe("what Patchbay says in conversations", () => {
  it("is shown in the user's language, also where it has values, and a sentence in a sentence", () => {
    const said = saidIn(panelTextsIn(german));
    expect(said("The agent starts over: it does not remember the messages above.")).toContain("beginnt neu");
    expect(said("Your text for /w/a (1).txt was not written. It is kept here.")).toBe(
      "Ihr Text für /w/a (1).txt wurde nicht geschrieben. Er bleibt hier erhalten.",
    );
    expect(said("The conversation goes on, but cannot be saved. The disk is full: free some space.")).toBe(
      "Die Unterhaltung geht weiter, kann aber nicht gespeichert werden. Der Datenträger ist voll: Schaffen Sie Platz.",
    );
    const switching =
      "Yes, and switch to “Edit freely” for this session. Changes files without asking, also by commands such as rm; asks for other commands.";
    expect(said(switching)).toBe(
      "Ja, und in dieser Sitzung zu „Frei ändern“ wechseln. Ändert Dateien, ohne zu fragen, auch durch Befehle wie rm; fragt vor anderen Befehlen.",
    );
    expect(said("Yes, and don't ask again")).toBe("Yes, and don't ask again");
    expect(said("Overloaded: {0} $& try again")).toBe("Overloaded: {0} $& try again");
    expect(saidIn(panelTextsIn(englishTexts))("The conversation is saved again.")).toBe(
      "The conversation is saved again.",
    );
  });
});

describe("what a host tells", () => {
  it("is core's and the panel's, in the user's language with their values in it", () => {
    const says = hostSaysIn(german);
    expect(says("Open a folder first: agents work in one.")).toBe(
      german.texts.get("Open a folder first: agents work in one."),
    );
    const message =
      "Claude Code has written /w/a.ts without your edits. Apply them now? They are kept in the list of proposals until then.";
    expect(says(message)).toContain("Claude Code hat /w/a.ts ohne Ihre Änderungen geschrieben.");
    expect(says("Claude Code is not installed.")).toBe("Claude Code ist nicht installiert.");
  });

  it("is not taken for what an edition says with numbered values", () => {
    const says = hostSaysIn({ ...german, texts: new Map([["{0} held", "{0} zurückgestellt"]]) });
    expect(says("The lock is held")).toBe("The lock is held");
  });
});
