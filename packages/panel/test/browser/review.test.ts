import { englishTexts } from "@patchbay/languages";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { nullLogger } from "@patchbay/core";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { PageReviews } from "../../src/host/index.ts";
import { guardTime } from "../../src/views/review/review-state.ts";
import { startPanelServer } from "../../src/server/panel-server.ts";
import { createPanelLab, type PanelLab as HostLab, type ScriptedAgent, until } from "../host/panel-lab.ts";
import { PanelLab, whyNoBrowser } from "./panel-lab.ts";

const why = whyNoBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** For what a browser draws on a busy machine, ms. */
const patience = 20_000;
const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe.skipIf(why !== undefined)(`reviews in the page, in a real browser (${why ?? "Chromium"})`, () => {
  let lab: PanelLab;
  let page: Page;
  let problems: readonly string[];
  let host: HostLab;
  let agent: ScriptedAgent;

  beforeAll(async () => {
    lab = await PanelLab.start();
  });
  afterAll(async () => lab.close());
  afterEach(async () => page.context().close());

  /** A conversation in which an agent asks to change the file, with the review of it open. */
  const review = async (
    before: string,
    after: string,
    viewport?: { width: number; height: number },
    watch?: () => void,
  ): Promise<void> => {
    host = createPanelLab({ reviews: new PageReviews() });
    writeFileSync(host.file, before);
    const server = await startPanelServer({
      panels: host.panels,
      pageDirectory: join(import.meta.dirname, "..", "..", "dist", "page"),
      locale: "en",
      texts: englishTexts,
      clock: host.platform.clock,
      logger: nullLogger,
      onIdle: () => {},
    });
    onTestFinished(async () => await server.close());
    ({ page, problems } = await lab.visit(server.url(), viewport));
    await page.getByRole("button", { name: "Claude Code" }).first().click();
    await page.locator("textarea").fill("Do it");
    await page.keyboard.press("Enter");
    agent = await until(() => host.agents.find(({ prompts }) => prompts.length > 0));
    agent.asks("q1", { path: host.file, before, after, isEditable: true });
    const button = page.getByRole("button", { name: "Review", exact: true });
    await button.waitFor();
    if (watch !== undefined) await page.evaluate(watch);
    await button.click();
    await page.locator(".review-row").first().waitFor();
  };

  /** Clicks until it counts: what has only just come into view takes no verdict. */
  const answers = async (name: string): Promise<unknown> => {
    const button = page.getByRole("button", { name, exact: true }).last();
    await expect
      .poll(
        async () => {
          // It goes with the review: whoever waits for it then waits in vain.
          if (agent.answers.length === 0) await button.click({ timeout: 1_000 }).catch(() => {});
          return agent.answers.length;
        },
        { timeout: patience },
      )
      .toBe(1);
    return agent.answers[0];
  };

  it("takes what was typed, byte for byte, with the line ends of the file", async () => {
    await review("one\r\ntwo\r\nthree", "one\r\nTWO\t2\r\nthree");
    const field = page.locator(".review-row.differs textarea");
    await field.click();
    await page.keyboard.press("End");
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await page.keyboard.type("more");
    expect(await answers("Accept")).toEqual({
      type: "choice",
      choiceId: "yes",
      text: "one\r\nTWO\t2!\r\nmore\r\nthree",
    });
    await page.locator(".review").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  const ten = numbered(40);
  const changed = ten.replace("line 5\n", "FIVE\n").replace("line 20\n", "").replace("line 35\n", "line 35\nnew\n");

  /** Presses a key once what is in view takes verdicts: not in the first moment. */
  const decide = async (key: string, count: string): Promise<void> => {
    await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), guardTime);
    await page.keyboard.press(key);
    await expect.poll(() => page.locator(".review-count").textContent(), { timeout: patience }).toBe(count);
  };

  it("decides hunk by hunk, by keys alone", async () => {
    await review(ten, changed);
    await expect
      .poll(async () => await page.locator(".change-bar:focus").textContent(), { timeout: patience })
      .toContain("Hunk 1 of 3");
    await page.keyboard.press("F7");
    await expect
      .poll(async () => await page.locator(".change-bar:focus").textContent(), { timeout: patience })
      .toContain("Hunk 2 of 3");
    await decide("r", "Hunks left: 2 · decided: 1");
    await page.keyboard.press("Shift+F7");
    await decide("a", "Hunks left: 1 · decided: 2");
    await decide("u", "Hunks left: 2 · decided: 1");
    expect(await answers("Accept")).toMatchObject({
      type: "choice",
      text: changed.replace("line 19\n", "line 19\nline 20\n"),
    });
    expect(problems).toEqual([]);
  });

  it("takes no key that was on its way elsewhere", async () => {
    // In the page, since they come at once there, however busy the machine is.
    await review(ten, changed, undefined, () => {
      document.addEventListener("focusin", ({ target }) => {
        if (!(target instanceof Element) || !target.matches(".change-bar")) return;
        for (const key of ["a", "r"]) target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        Reflect.set(globalThis, "keysCame", true);
      });
    });
    await page.waitForFunction(() => Reflect.get(globalThis, "keysCame"));
    expect(await page.locator(".review-count").textContent()).toBe("Hunks left: 3");
    await page.locator(".review-row.differs textarea").first().focus();
    await page.keyboard.type("aru");
    await expect
      .poll(async () => (await host.companion.hunks(host.companion.proposals[0]?.id ?? ""))?.length, {
        timeout: patience,
      })
      .toBe(3);
    expect(agent.answers).toEqual([]);
  });

  it("keeps what was typed over a reload of the page, and on the host's disk", async () => {
    await review(ten, changed);
    await page.locator(".review-row.differs textarea").first().fill("MINE");
    await expect.poll(() => host.companion.proposals[0]?.edited, { timeout: patience }).toBe(true);
    await page.reload();
    await expect
      .poll(async () => await page.locator(".review-row.differs textarea").first().inputValue(), { timeout: patience })
      .toBe("MINE");
    const kept = (): string =>
      readdirSync(join(host.platform.root, "storage"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
        .join("\n");
    await expect.poll(kept, { timeout: patience }).toContain("MINE");
    expect(await answers("Accept")).toMatchObject({ text: changed.replace("FIVE", "MINE") });
  });

  it("loses no letter that was typed just before a reload, or before the review was left", async () => {
    await review(ten, changed);
    const field = (): Locator => page.locator(".review-row.differs textarea").first();
    const write = async (): Promise<string> => {
      await field().click();
      await field().press("End");
      await page.keyboard.type("abcdefghijklmnop");
      return await field().inputValue();
    };
    for (let round = 0; round < 4; round += 1) {
      const written = await write();
      await page.reload();
      await expect.poll(async () => await field().inputValue(), { timeout: patience }).toBe(written);
    }
    const written = await write();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Review", exact: true }).click();
    await expect.poll(async () => await field().inputValue(), { timeout: patience }).toBe(written);
    expect(await answers("Accept")).toMatchObject({ text: changed.replace("FIVE", written) });
  });

  it("follows the file, and says so", async () => {
    await review(ten, changed);
    await page.locator(".review-row.differs textarea").first().fill("MINE");
    writeFileSync(host.file, `first\n${ten}`);
    await page.getByText("The proposal was applied to the new text.").waitFor();
    expect(await answers("Accept")).toMatchObject({ text: `first\n${changed.replace("FIVE", "MINE")}` });
  });

  it("shows a conflict, and accepts what the user has made of it", async () => {
    await review(ten, changed);
    writeFileSync(host.file, ten.replace("line 5\n", "theirs\n"));
    await page.getByText("The file has changed in the same lines.").waitFor();
    expect(await page.getByRole("button", { name: "Accept", exact: true }).isDisabled()).toBe(true);
    const fields = page.locator(".review-row.differs textarea");
    await fields.last().waitFor();
    await fields.filter({ hasText: "FIVE" }).fill("both");
    await fields.first().fill("");
    await page.keyboard.press("Backspace");
    await page.getByText("The file has changed in the same lines.").waitFor({ state: "detached" });
    expect(await answers("Accept")).toMatchObject({ text: changed.replace("FIVE", "theirs\nboth") });
  });

  it("rejects with a reason", async () => {
    await review(ten, changed);
    await page.locator(".review-foot input").fill("Leave line 20 alone");
    expect(await answers("Reject")).toEqual({ type: "reject", message: "Leave line 20 alone" });
  });

  it("is one text for who writes in it: lines are joined, and steps taken back", async () => {
    await review(ten, changed);
    const first = page.locator(".review-row.differs textarea").first();
    await first.focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Backspace");
    await expect
      .poll(() => page.locator("textarea.review-field:focus").inputValue(), { timeout: patience })
      .toContain("line 4FIVE");
    await page.keyboard.type("!");
    await expect
      .poll(() => page.locator("textarea.review-field:focus").inputValue(), { timeout: patience })
      .toContain("line 4!FIVE");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await expect
      .poll(() => page.locator(".review-row.differs textarea").first().inputValue(), { timeout: patience })
      .toBe("FIVE");
    expect(await answers("Accept")).toEqual({ type: "choice", choiceId: "yes" });
  });

  it("keeps the caret where lines were joined, also once the texts are compared anew", async () => {
    await review(ten, changed);
    await page.locator(".review-row.differs textarea").first().focus();
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Backspace");
    await expect
      .poll(() => page.locator("textarea.review-field:focus").inputValue(), { timeout: patience })
      .toContain("line 4FIVE");
    // Long enough for that: nothing on the page says when it was.
    await page.waitForTimeout(1_500);
    await page.keyboard.type("!");
    await expect
      .poll(() => page.locator("textarea.review-field:focus").inputValue(), { timeout: patience })
      .toContain("line 4!FIVE");
  });

  /** What axe finds wrong. */
  const violations = async (): Promise<readonly string[]> => {
    const session = await page.context().newCDPSession(page);
    await session.send("Runtime.evaluate", { expression: axe });
    return await page.evaluate(async () => {
      const { violations: found } = await globalThis.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
      });
      return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
    });
  };

  it.each([
    { width: 1_200, height: 800 },
    { width: 420, height: 700 },
  ])("has nothing that axe finds wrong, %o", async (viewport) => {
    await review(ten, changed, viewport);
    await page.locator(".change-bar:focus").waitFor();
    expect(await page.locator(".review").getAttribute("class")).toContain(viewport.width > 800 ? "beside" : "unified");
    for (const colorScheme of ["dark", "light"] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await page.emulateMedia({ colorScheme });
      // oxlint-disable-next-line no-await-in-loop
      expect(await violations()).toEqual([]);
    }
    const wider = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    expect(wider).toBe(false);
  });

  it("draws only what is seen of a megabyte", async () => {
    const line = "const value = someFunction(withArguments, andMore, 12345);";
    const before = Array.from({ length: 17_000 }, (_, index) => `${line} // ${index}\n`).join("");
    const after = before.replaceAll(/\/\/ (\d*00)\n/gu, "// changed $1\n");
    await review(before, after, undefined, () => {
      const counts: number[] = [];
      // Called once for each task that draws.
      const observer = new MutationObserver((records) => {
        const added = records.flatMap(({ addedNodes }) => Array.from(addedNodes));
        const rows = added.filter((node) => node instanceof Element);
        counts.push(rows.reduce((sum, row) => sum + row.querySelectorAll(".review-line").length, 0));
        Reflect.set(globalThis, "mostLinesAtOnce", Math.max(...counts));
      });
      observer.observe(document, { subtree: true, childList: true });
    });
    await page.keyboard.press("F7");
    await page.locator(".review-row.differs textarea").first().focus();
    await page.keyboard.type("typed here ");
    await expect.poll(() => host.companion.proposals[0]?.edited, { timeout: patience }).toBe(true);
    await page.keyboard.press("F7");
    await page.locator(".change-bar:focus").waitFor();
    expect(await page.locator("textarea.review-field").count()).toBeLessThan(40);
    expect(await page.evaluate(() => Number(Reflect.get(globalThis, "mostLinesAtOnce")))).toBeLessThan(300);
  });

  it("finds in all of a megabyte, and goes there to write", async () => {
    const before = Array.from({ length: 17_000 }, (_, index) => `const value${index} = call(${index});\n`).join("");
    await review(before, before.replace("value5000 ", "changed "));
    await page.locator(".change-bar:focus").waitFor();
    await page.keyboard.press("Control+f");
    await page.keyboard.type("VALUE1600");
    // 1600 and 16000 to 16009.
    await expect.poll(() => page.locator(".find-count").textContent(), { timeout: patience }).toBe("1 of 11");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator(".find-count").textContent(), { timeout: patience }).toBe("2 of 11");
    await expect
      .poll(
        () =>
          page.evaluate(() => {
            const marked = Array.from(CSS.highlights.get("find") ?? [], (range) => {
              if (!(range instanceof Range)) return "";
              const { top } = range.getBoundingClientRect();
              return top > 0 && top < innerHeight ? range.toString() : "";
            });
            return marked.filter((text) => text !== "").length;
          }),
        { timeout: patience },
      )
      .toBeGreaterThan(0);
    await page.keyboard.press("Escape");
    await page.locator("textarea.review-field:focus").waitFor();
    await page.keyboard.type("// here ");
    await expect.poll(() => host.companion.proposals[0]?.edited, { timeout: patience }).toBe(true);
    expect(await answers("Accept")).toMatchObject({ text: expect.stringContaining("const // here value16000 =") });
    expect(problems).toEqual([]);
  });
});
