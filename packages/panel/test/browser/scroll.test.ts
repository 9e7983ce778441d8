import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PanelLab, whyNoBrowser } from "./panel-lab.ts";

const why = whyNoBrowser();

describe.skipIf(why !== undefined)(`scrolling in a real browser (${why ?? "Chromium"})`, () => {
  let lab: PanelLab;
  let page: Page;

  beforeAll(async () => {
    lab = await PanelLab.start();
  });
  afterAll(async () => lab.close());
  afterEach(async () => page.context().close());

  /** The panel with a history. */
  const show = async (count: number): Promise<void> => {
    ({ page } = await lab.open());
    await page.evaluate((messages) => panelBench.history(messages), count);
    await page.locator(`[data-id=h${count - 1}]`).waitFor();
  };
  /** How much of the conversation is below the view, px: by what is seen, whatever way it is laid out. */
  const fromEnd = async (): Promise<number> =>
    await page.locator(".log").evaluate((log) => {
      const end = log.firstElementChild?.getBoundingClientRect().bottom ?? 0;
      const padding = Number.parseFloat(getComputedStyle(log).paddingBottom);
      return Math.abs(Math.round(end + padding - log.getBoundingClientRect().bottom));
    });
  /** Where an entry stands in the view, px. */
  const topOf = async (id: string): Promise<number> =>
    await page.locator(`[data-id=${id}]`).evaluate((entry) => Math.round(entry.getBoundingClientRect().top));
  const stream = async (chunks: number): Promise<void> => {
    for (let index = 0; index < chunks; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- a frame each
      await page.evaluate(
        async (at) =>
          await new Promise<void>((resolve) => {
            panelBench.chunk(`Sentence ${at} of the answer.${at % 5 === 4 ? "\n\n" : " "}`);
            requestAnimationFrame(() => resolve());
          }),
        index,
      );
    }
  };
  const wheel = async (delta: number): Promise<void> => {
    await page.locator(".log").hover();
    await page.mouse.wheel(0, delta);
  };
  /** The middle of the view, after it has come to rest. */
  const anEntryInView = async (): Promise<string> =>
    await page.evaluate(() => {
      const log = document.querySelector(".log")?.getBoundingClientRect();
      const middle = (log?.top ?? 0) + (log?.height ?? 0) / 2;
      const entries = Array.from(document.querySelectorAll<HTMLElement>(".log-content > .entry"));
      return entries.find((entry) => entry.getBoundingClientRect().bottom > middle)?.dataset["id"] ?? "";
    });

  /** Whether the page keeps the place that is read now. */
  const isKeptAsShown = async (): Promise<boolean> =>
    await page.evaluate(() => {
      const { place, offset } = JSON.parse(JSON.stringify(panelHost.viewApi.getState())).anchor ?? {};
      const top = document.querySelector(".log")?.getBoundingClientRect().top ?? 0;
      const entry = document.querySelector(`.log-content > [data-place="${place}"]`);
      return entry !== null && Math.abs(top - entry.getBoundingClientRect().top - offset) < 2;
    });

  it("begins at the end, with the newest 60 in the document", async () => {
    await show(10_000);
    expect(await fromEnd()).toBe(0);
    expect(await page.locator(".log-content > .entry").count()).toBe(60);
    expect(await page.locator("*").count()).toBeLessThan(5000);
  });

  it("follows what streams", async () => {
    await show(100);
    await page.evaluate(() => panelBench.begin());
    await stream(60);
    expect(await fromEnd()).toBe(0);
  });

  it("follows where each new entry is as high as the oldest one, which goes", async () => {
    await show(200);
    await page.evaluate(async () => {
      for (let turn = 0; turn < 90; turn += 1) {
        panelBench.begin();
        panelBench.chunk("Done.");
        panelBench.end();
        // oxlint-disable-next-line no-await-in-loop -- each is drawn
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      }
    });
    expect(await fromEnd()).toBeLessThanOrEqual(2);
    expect(await page.locator(".log-content > .entry").count()).toBe(60);
  });

  it("leaves the end with the smallest wheel upwards, and stays where one reads", async () => {
    await show(100);
    await page.evaluate(() => panelBench.begin());
    await stream(10);
    await wheel(-1);
    await page.locator(".latest").waitFor();
    await stream(40);
    const below = await fromEnd();
    expect(below).toBeGreaterThan(100);
    await wheel(-300);
    // A wheel is carried out when the browser comes to it.
    await expect.poll(async () => await fromEnd()).toBeGreaterThanOrEqual(below + 299);
    const entry = await anEntryInView();
    const before = await topOf(entry);
    await stream(40);
    expect(await topOf(entry)).toBe(before);
  });

  it("stays where something is selected, also at the very end", async () => {
    await show(100);
    await page.evaluate(() => panelBench.begin());
    await stream(10);
    const text = page.locator("[data-id=h98] p").first();
    await text.click({ clickCount: 3 });
    await page.locator(".latest").waitFor();
    const before = await topOf("h98");
    await stream(40);
    expect(Math.abs((await topOf("h98")) - before)).toBeLessThanOrEqual(1);
  });

  it("comes back to the end by the button, by the wheel, and with what one sends", async () => {
    await show(100);
    await wheel(-500);
    await page.locator(".latest").click();
    await expect.poll(fromEnd).toBe(0);
    await wheel(-200);
    await page.locator(".latest").waitFor();
    await wheel(3000);
    await page.locator(".latest").waitFor({ state: "detached" });
    await wheel(-500);
    await expect.poll(fromEnd).toBe(500);
    await page.locator("textarea").fill("And now?");
    await page.keyboard.press("Enter");
    await expect.poll(fromEnd).toBe(0);
    await page.getByText("And now?").waitFor();
  });

  it.each(["PageUp", "ArrowUp", "Home"])("leaves the end with %s", async (key) => {
    await show(100);
    await page.locator(".log").focus();
    await page.keyboard.press(key);
    await page.locator(".latest").waitFor();
  });

  it("loads older pages as one scrolls back, and nothing jumps", async () => {
    await show(400);
    const seen = new Set<string>();
    for (let step = 0; step < 80 && !seen.has("h0"); step += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [entry, before] = await wheelAndLook();
      seen.add(entry);
      // oxlint-disable-next-line no-await-in-loop
      expect(before).toBe(await topOf(entry));
      // oxlint-disable-next-line no-await-in-loop
      if (await page.locator("[data-id=h0]").isVisible()) seen.add("h0");
    }
    expect(seen).toContain("h0");
    expect(await page.locator(".log-content > .entry").count()).toBeLessThanOrEqual(300);
  });

  /** Scrolls up, waits until that is done, and says where an entry stands; another frame later it must stand there still. */
  async function wheelAndLook(): Promise<readonly [string, number]> {
    const below = await fromEnd();
    await wheel(-900);
    const isCarriedOut = async (): Promise<boolean> =>
      (await fromEnd()) !== below || (await page.locator(".log").evaluate(({ scrollTop }) => scrollTop <= 1));
    await expect.poll(isCarriedOut).toBe(true);
    const frames = async (): Promise<void> =>
      await page.evaluate(
        async () =>
          await new Promise<void>((resolve) => {
            requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
          }),
      );
    await frames();
    const entry = await anEntryInView();
    const before = await topOf(entry);
    return [entry, before];
  }

  it("is where one was reading after the page was gone", async () => {
    await show(100);
    await wheel(-700);
    await expect.poll(fromEnd).toBe(700);
    const kept = async (): Promise<string> =>
      await page.evaluate(() => JSON.stringify(panelHost.viewApi.getState() ?? {}));
    await expect.poll(kept).toContain("place");
    await expect.poll(isKeptAsShown).toBe(true);
    const state = await page.evaluate(() => panelHost.viewApi.getState());
    const entry = await anEntryInView();
    const before = await topOf(entry);
    await page.addInitScript((kept) => {
      Reflect.set(globalThis, "keptState", kept);
    }, state);
    await page.goto(`${page.url()}?history=100`);
    await page.locator(`[data-id=${entry}]`).waitFor();
    expect(Math.abs((await topOf(entry)) - before)).toBeLessThanOrEqual(2);
  });

  it("is where one was reading also if that is not loaded any more", async () => {
    await show(400);
    await page.getByLabel("Find in conversation").click();
    await page.keyboard.type("Answer 254.");
    await page.getByText("1 of 1").waitFor();
    const kept = async (): Promise<string> =>
      await page.evaluate(() => JSON.stringify(panelHost.viewApi.getState() ?? {}));
    await expect.poll(kept).toContain('"place":25');
    // Kept a moment after each scrolling: until it is where one has come to.
    await expect.poll(isKeptAsShown).toBe(true);
    const state = await page.evaluate(() => panelHost.viewApi.getState());
    // The bar to find with stands above the log, and is gone afterwards.
    const offset = async (): Promise<number> =>
      (await topOf("h254")) - (await page.locator(".log").evaluate((log) => log.getBoundingClientRect().top));
    const before = await offset();
    await page.addInitScript((value) => Reflect.set(globalThis, "keptState", value), state);
    await page.goto(`${page.url()}?history=400`);
    await page.locator("[data-id=h254]").waitFor();
    await expect.poll(async () => Math.abs((await offset()) - before)).toBeLessThanOrEqual(2);
  });

  it("finds text in entries that are not loaded", async () => {
    await show(2000);
    await page.getByLabel("Find in conversation").click();
    await page.keyboard.type("Answer 14.");
    await page.getByText("1 of 1").waitFor();
    await expect.poll(async () => await page.locator("[data-id=h14]").count()).toBe(1);
    await expect
      .poll(async () => {
        const box = await page.locator("[data-id=h14]").boundingBox();
        return box !== null && box.y > 0 && box.y < 800;
      })
      .toBe(true);
  });

  it("goes from one match to the next, also among entries that are there already", async () => {
    await show(60);
    await page.getByLabel("Find in conversation").click();
    await page.keyboard.type("Answer 5.");
    await page.getByText("1 of 1").waitFor();
    await expect.poll(async () => Math.abs((await topOf("h5")) - 300)).toBeLessThan(300);
    await page.getByLabel("Find", { exact: true }).fill("Answer 32.");
    await expect.poll(async () => Math.abs((await topOf("h32")) - 300)).toBeLessThan(300);
  });

  it("takes the first key after Find was asked for, before a frame is drawn", async () => {
    await show(20);
    const button = page.getByLabel("Find in conversation");
    const focused = await button.evaluate(async (element: HTMLElement) => {
      element.click();
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      return document.activeElement?.getAttribute("aria-label");
    });
    expect(focused).toBe("Find");
  });

  it("goes from prompt to prompt with Alt and the arrows", async () => {
    await show(100);
    await page.locator(".log").focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.keyboard.press("Alt+ArrowUp");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-id"))).toBe("h80");
    await page.keyboard.press("Alt+ArrowDown");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-id"))).toBe("h90");
  });
});
