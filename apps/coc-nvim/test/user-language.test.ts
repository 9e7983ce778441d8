import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { englishTexts } from "@patchbay/languages";
import { useTexts } from "@patchbay/languages/spoken";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { cocParts, vimParts, writeLanguageFiles } from "../../../packages/languages/scripts/files.ts";
import { l10n, speak } from "../src/user-language.ts";

let lib = "";

beforeAll(async () => {
  lib = mkdtempSync(join(tmpdir(), "patchbay-languages-"));
  await writeLanguageFiles(join(lib, "page", "languages"), cocParts());
  await writeLanguageFiles(join(lib, "vim", "languages"), vimParts());
});

afterEach(() => useTexts(englishTexts));

afterAll(() => rmSync(lib, { recursive: true, force: true }));

/** What is said then, here and in Vim. */
function saidIn(environment: NodeJS.ProcessEnv): {
  readonly here: string;
  readonly vim: Readonly<Record<string, unknown>>;
  readonly calls: readonly string[];
} {
  const vim = {};
  const calls: string[] = [];
  speak(
    lib,
    { notify: (_name, args = []) => void [Object.assign(vim, args[0]), calls.push(JSON.stringify(args))] },
    environment,
  );
  return { here: l10n.t("There is no hunk to decide here."), vim, calls };
}

it.each([
  [{ LANG: "de_DE.UTF-8" }, "Hier ist über"],
  [{ LANG: "en_US.UTF-8", LC_MESSAGES: "de_AT@euro" }, "Hier ist über"],
  [{ LANG: "de_DE", LC_MESSAGES: "de_DE", LC_ALL: "fr_CA.UTF-8" }, "Il n’y a"],
  [{ LANG: "zh_CN.GB18030", LC_ALL: "" }, "此处没有"],
])("the language is that of the first variable that is set: %j", (environment, beginning) => {
  const { here, vim } = saidIn(environment);
  expect(here).toMatch(new RegExp(`^${beginning}`, "u"));
  expect(vim["No proposals are open."]).not.toBe("No proposals are open.");
  expect(Object.keys(vim)).toHaveLength(vimParts().texts.length);
});

it("is told to Vim in messages that it does not lose", () => {
  const { calls } = saidIn({ LANG: "ru_RU.UTF-8" });
  expect(Math.max(...calls.map((call) => Buffer.byteLength(call)))).toBeLessThan(8_000);
});

it("stays English where Patchbay does not speak it, or has no files", () => {
  expect(saidIn({ LANG: "it_IT.UTF-8" })).toEqual({ here: "There is no hunk to decide here.", vim: {}, calls: [] });
  lib = join(lib, "nowhere");
  expect(saidIn({ LANG: "de_DE.UTF-8" }).calls).toEqual([]);
  lib = join(lib, "..");
});
