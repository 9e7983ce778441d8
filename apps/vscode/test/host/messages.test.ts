import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HostMessage } from "@patchbay/core";
import { englishTexts, languages } from "@patchbay/languages";
import { vscodeParts } from "../../../../packages/languages/scripts/files.ts";
import { builtTexts } from "../../../../packages/languages/scripts/texts-of.ts";
import { localise } from "../../src/host/messages.ts";
import { useTexts } from "@patchbay/languages/spoken";
import { createHostInWindow, type HostInWindow } from "../controls.ts";
import { openFakeWindow } from "../fake-vscode/index.ts";
import { hostileNames } from "../hostile-names.ts";

afterEach(() => useTexts(englishTexts));

/** A sentence of core's as it arrives: in English, with its values in it and apart. */
function messageWith(template: string, value: (name: string) => string): HostMessage {
  const names = Array.from(template.matchAll(/\{([a-z]+)\}/gu), ([, name = ""]) => name);
  const values = Object.fromEntries(names.map((name) => [name, value(name)]));
  return { code: "any", severity: "info", text: filled(template, values), values, actions: [] };
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z]+)\}/gu, (_place, name: string) => values[name] ?? "");
}

/** Values that stand in many sentences anyway, or are short. */
const awkward = ["Claude Code", "Gemini CLI", "not", "the", "a", "agent", "it", ...hostileNames];

describe("a sentence of core", () => {
  it.each(languages)("is found in %s whatever its values are", (language) => {
    const spoken = builtTexts(language, vscodeParts());
    openFakeWindow();
    useTexts(spoken);
    for (const [english, translated] of spoken.texts) {
      if (!/\{[a-z]+\}/u.test(english)) continue;
      for (const value of awkward) {
        const message = messageWith(english, (name) => (name === "path" ? "b.txt" : value));
        expect(localise(message)).toBe(filled(translated, message.values));
      }
    }
  });

  it("stands as it is where there is no translation", () => {
    openFakeWindow();
    useTexts(builtTexts("de", vscodeParts()));
    const message = messageWith("{agent} has done something new.", () => "Claude Code");
    expect(localise(message)).toBe("Claude Code has done something new.");
  });
});

describe("a message that is moot", () => {
  let window: HostInWindow;

  beforeEach(() => {
    window = createHostInWindow();
  });

  afterEach(() => window.dispose());

  const message = { code: "any", severity: "info", text: "Save it?", values: {}, actions: ["Save to File"] } as const;

  it("has no answer any more, and a later press says so", async () => {
    const over = new AbortController();
    let press: (item: string) => void = () => {};
    const pressed = new Promise<string>((resolve) => {
      press = resolve;
    });
    window.bench.answerNext(async () => await pressed);
    const answer = window.host.messages.show({ ...message, signal: over.signal });
    await expect.poll(() => window.bench.shown.length).toBe(1);
    over.abort();
    expect(await answer).toBeUndefined();
    press("Save to File");
    await expect.poll(() => window.bench.shown.at(-1)?.text).toBe("This has already been answered.");
  });

  it("is not shown where it was moot before", async () => {
    expect(await window.host.messages.show({ ...message, signal: AbortSignal.abort() })).toBeUndefined();
    expect(window.bench.shown).toEqual([]);
  });
});
