import { join } from "node:path";
import process from "node:process";
import { readTexts } from "@patchbay/languages/node";
import { useTexts } from "@patchbay/languages/spoken";
import type { Vim } from "./vim/vim.ts";

export { l10n } from "@patchbay/languages/spoken";

/** So many texts are told in one message: Vim may lose long ones (see long-text.ts). */
const toldAtOnce = 10;

/** From now on the extension and its scripts in Vim speak the user's language, if its files are in the folder of the build. */
export function speak(directory: string, vim: Pick<Vim, "notify">, environment: NodeJS.ProcessEnv = process.env): void {
  const locale = localeIn(environment);
  useTexts(readTexts(join(directory, "page", "languages"), locale));
  const ofVim = [...readTexts(join(directory, "vim", "languages"), locale).texts];
  for (let at = 0; at < ofVim.length; at += toldAtOnce) {
    vim.notify("patchbay#speak", [Object.fromEntries(ofVim.slice(at, at + toldAtOnce))]);
  }
}

/** As `de-DE`. Vim goes by the same variables, and sets them for its processes where it was told another language (`:language`). */
function localeIn({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string {
  const name = [LC_ALL, LC_MESSAGES, LANG].find((one) => one !== undefined && one !== "");
  if (name === undefined) return Intl.DateTimeFormat().resolvedOptions().locale;
  return name.replace(/[.@].*$/u, "").replaceAll("_", "-");
}
