import { languages } from "@patchbay/languages";
import type {
  LocalizationContribution,
  LocalizationRegistry,
} from "@theia/core/lib/node/i18n/localization-contribution";
import { injectable } from "@theia/core/shared/inversify";
import { windowTexts } from "./backend-texts.ts";

/** The windows' texts in every language; Theia asks for one where its own language pack is installed. */
@injectable()
export class PatchbayLocalizations implements LocalizationContribution {
  async registerLocalizations(registry: LocalizationRegistry): Promise<void> {
    for (const languageId of languages) {
      registry.registerLocalization({ languageId, getTranslations: async () => windowTexts(languageId) });
    }
  }
}
