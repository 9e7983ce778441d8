import { languages } from "@patchbay/languages";
import { LazyLocalization } from "@theia/core/lib/node/i18n/localization-provider";
import { LocalizationRegistry } from "@theia/core/lib/node/i18n/localization-contribution";
import { describe, expect, it } from "vitest";
import { theiaTexts } from "../../../../packages/languages/scripts/english.ts";
import { theiaParts } from "../../../../packages/languages/scripts/files.ts";
import { theiaFiles } from "../../../../packages/languages/scripts/theia-files.ts";
import { builtTexts } from "../../../../packages/languages/scripts/texts-of.ts";
import { translated, translationsOf } from "../../../../packages/languages/scripts/translations.ts";
import { backendTexts, windowTexts } from "../../src/node/languages/backend-texts.ts";
import { PatchbayLocalizations } from "../../src/node/languages/localizations.ts";

const files = theiaFiles();

describe("a window's texts", () => {
  it.each(languages)("are in %s what its translators wrote, by the keys that Theia asks for", (language) => {
    const texts = windowTexts(language, files);
    const translations = translationsOf(language);
    for (const one of theiaTexts()) {
      expect(texts[one.place.replace("theia/", "patchbay/")]).toBe(translated(translations, one));
    }
    const message = "Open a folder first: agents work in one.";
    expect(texts[`patchbay/message/${message}`]).toBe(translations[message]);
  });

  it("name each agent in its command", () => {
    expect(windowTexts("de", files)["patchbay/command/runGemini"]).toBe("Gemini CLI starten");
  });

  it("are English where Theia is, and so is what the backend says", () => {
    expect(windowTexts("it", files)).toEqual({});
    expect(backendTexts("en", files).texts.size).toBe(0);
    expect(backendTexts("pt-BR", files)).toEqual(builtTexts("pt-br", theiaParts()));
    expect(backendTexts("de", files).findings).toContain(translationsOf("de")["What to do"]);
  });
});

describe("Theia", () => {
  it("is offered every language, and is given it when it asks", async () => {
    const offered: unknown[] = [];
    const registry = Object.create(LocalizationRegistry.prototype);
    registry.registerLocalization = (one: unknown): void => void offered.push(one);
    await new PatchbayLocalizations().registerLocalizations(registry);
    const lazy = offered.filter((one) => LazyLocalization.is(one));
    expect(lazy.map(({ languageId }) => languageId)).toEqual(languages);
    // From the sources there is English alone.
    expect(await lazy[0]?.getTranslations()).toEqual({});
  });
});
