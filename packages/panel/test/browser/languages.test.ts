import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { languages, textsOf } from "@patchbay/languages";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { englishFile, languageFile, panelParts } from "../../../languages/scripts/files.ts";
import { pseudoTranslations } from "../../../languages/scripts/pseudo.ts";
import { builtTexts } from "../../../languages/scripts/texts-of.ts";
import { panelStrings, panelTextsIn } from "../../src/messages/index.ts";
import { PanelLab, whyNoBrowser } from "./panel-lab.ts";

const why = whyNoBrowser();

const english: readonly string[] = Object.values(panelStrings);

const parts = panelParts();
// Longer than any real language, and its texts are known by their brackets.
const pseudo = textsOf(englishFile(parts), languageFile("de", parts, pseudoTranslations()));

const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pseudo: panelTextsIn(pseudo),
  ...Object.fromEntries(languages.map((language) => [language, panelTextsIn(builtTexts(language))])),
};

/** What a page of the panel may show. */
const scenes = ["conversation", "welcome", "list", "menu", "facts", "signed out", "plan", "form", "running"] as const;

/** Where to put pictures of all of them, for whoever wants to look. */
const pictures = process.env["PATCHBAY_PANEL_PICTURES"];

describe.skipIf(why !== undefined)(`the page in other languages, in a real browser (${why ?? "Chromium"})`, () => {
  let lab: PanelLab;
  let page: Page;

  beforeAll(async () => {
    lab = await PanelLab.start();
  });
  afterAll(async () => lab.close());
  afterEach(async () => page.context().close());

  const show = async (scene: (typeof scenes)[number], language: string, width: number): Promise<void> => {
    ({ page } = await lab.open({ width, height: 900 }));
    await page.evaluate(
      ({ scene, strings, locale }) => {
        const now = Date.now();
        panelHost.strings = strings;
        panelHost.settings = { ...panelHost.settings, locale };
        panelHost.conversations = [
          { id: "c1", agent: "claude", folder: "/home/me/shop", title: "", changedAt: now, state: "waiting" },
          { id: "c2", agent: "gemini", folder: "/home/me/shop", title: "", changedAt: now - 9e7, state: "running" },
          { id: "c3", agent: "gemini", folder: "/home/me/shop", title: "", changedAt: now - 9e8, state: "failed" },
        ];
        const file = { path: "/home/me/shop/a.ts", mark: "likely", lines: { added: 12, removed: 3 } } as const;
        const turns = [
          {
            turn: "p1",
            files: [
              { ...file, kind: "created", state: "applied", canRedo: false },
              { ...file, path: "/home/me/shop/b.ts", kind: "mode", mark: "unknown", state: "partly", canRedo: true },
            ],
            more: 12,
          },
        ] as const;
        const field = { label: "1", isRequired: true } as const;
        const entries = {
          form: {
            kind: "question",
            id: "f",
            at: now,
            question: { type: "form", message: "1", fields: [{ ...field, id: "a", input: "number" }] },
          },
          plan: {
            kind: "question",
            id: "f",
            at: now,
            question: { type: "plan", plan: "1", choices: [{ id: "y", name: "Yes", kind: "allow-once" }] },
          },
        } as const;
        const conversation = panelSamples.conversation(panelSamples.entries(now), now);
        const own = scene === "form" || scene === "plan" ? [entries[scene]] : undefined;
        const shown = own === undefined ? conversation : panelSamples.conversation(own, now);
        const queue = [{ id: "w", blocks: [{ type: "text", text: "1" }] }] as const;
        const states = {
          running: { kind: "running", since: now },
          "signed out": { kind: "signed-out", methods: [] },
        } as const;
        const state =
          scene === "running" || scene === "signed out" ? states[scene] : ({ kind: "waiting", since: now } as const);
        panelHost.open(scene === "welcome" ? undefined : { ...shown, state, turns, queue, waiting: 1 });
        panelHost.hello();
      },
      { scene, strings: texts[language] ?? {}, locale: language === "pseudo" ? "en" : language },
    );
    await page.locator(".composer, .welcome").first().waitFor();
    if (scene === "list") await page.locator(".head button").first().click();
    if (scene === "menu" || scene === "facts") await page.locator(".head button[aria-haspopup=menu]").last().click();
    if (scene === "facts") await page.locator(".popup [role=menuitem]").last().click();
    if (scene === "form") await page.locator("form button[type=submit]").click();
    await page.waitForTimeout(0);
  };

  /** What is cut off, or sticks out of the page: what agents and people write may be, the page's own words may not. */
  const wrong = async (): Promise<readonly string[]> =>
    await page.evaluate(() => {
      // Names of files, titles and tasks; and code, which scrolls.
      const mayBeCut =
        ".change-path, .change-folder, .tool-title, .head-title, .row-title, .row-note, .queue-text, .chip span, pre, .diff, .table, .sr-only, textarea, .thumbnail";
      const isShown = (element: Element): boolean =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      return Array.from(document.querySelectorAll("#panel *")).flatMap((element) => {
        if (element.closest(mayBeCut) !== null || !isShown(element)) return [];
        const { left, right, width } = element.getBoundingClientRect();
        const isOut = width > 0 && (left < -1 || right > innerWidth + 1);
        const { overflowX, overflowY } = getComputedStyle(element);
        const isCut =
          (overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1) ||
          (overflowY === "hidden" && element.scrollHeight > element.clientHeight + 2);
        const ownText = Array.from(element.childNodes).some(
          (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== "",
        );
        return isOut || (isCut && (ownText || element.matches("button")))
          ? [`${isOut ? "out" : "cut"}: ${element.outerHTML.slice(0, 160)}`]
          : [];
      });
    });

  /** What the page says: texts, and what is said of elements. Code is an agent's, and a name in it stands alone once it has its colours. */
  const said = async (): Promise<readonly string[]> =>
    await page.evaluate(() => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const all: string[] = [];
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        if (node.parentElement?.closest("pre") === null) all.push(node.textContent ?? "");
      }
      for (const element of document.querySelectorAll("#panel *")) {
        for (const name of ["aria-label", "title", "placeholder"]) all.push(element.getAttribute(name) ?? "");
      }
      return all.map((text) => text.trim()).filter((text) => text !== "");
    });

  const cases = scenes.flatMap((scene) => [250, 420].map((width) => [scene, width] as const));

  it.each(cases)("has room for its words where they are long: %s, %i px", async (scene, width) => {
    await show(scene, "pseudo", width);
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `pseudo-${scene}-${width}.png`) });
    }
    expect(await wrong()).toEqual([]);
    // What the agent in the samples offers, and what it says was answered.
    const own = ["Reject", "Accepted"];
    // A log is drawn piece by piece, and drawn anew with the language, which comes after it here.
    await expect
      .poll(async () => (await said()).filter((text) => english.includes(text) && !own.includes(text)))
      .toEqual([]);
  });

  it.each(languages)("has room for those of %s on the narrowest side bar", async (language) => {
    for (const scene of scenes) {
      // oxlint-disable-next-line no-await-in-loop -- one browser, one page at a time
      await show(scene, language, 250);
      if (pictures !== undefined) {
        mkdirSync(pictures, { recursive: true });
        // oxlint-disable-next-line no-await-in-loop
        await page.screenshot({ path: join(pictures, `${language}-${scene}.png`) });
      }
      // oxlint-disable-next-line no-await-in-loop
      expect([scene, await wrong()]).toEqual([scene, []]);
      // oxlint-disable-next-line no-await-in-loop
      if (scene !== scenes.at(-1)) await page.context().close();
    }
  });
});
