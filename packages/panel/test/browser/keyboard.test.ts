import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PanelLab, whyNoBrowser } from "./panel-lab.ts";

const why = whyNoBrowser();

describe.skipIf(why !== undefined)(`the keyboard in a real browser (${why ?? "Chromium"})`, () => {
  let lab: PanelLab;
  let page: Page;

  beforeAll(async () => {
    lab = await PanelLab.start();
  });
  afterAll(async () => lab.close());
  afterEach(async () => page.context().close());

  const talk = async (of: Page = page): Promise<void> => {
    const frame = of.frames().find((one) => new URL(one.url()).pathname === "/") ?? of.mainFrame();
    await frame.evaluate(() => {
      const now = Date.now();
      panelHost.open({
        ...panelSamples.conversation(panelSamples.entries(now), now),
        queue: ["one", "two"].map((id) => ({ id, blocks: [{ type: "text", text: id }] })),
      });
      panelHost.hello();
    });
    await frame.locator(".queue li").first().waitFor();
  };

  const open = async (): Promise<void> => {
    ({ page } = await lab.open());
    await talk();
  };

  /** What has the keyboard. */
  const focused = async (): Promise<string> =>
    await page.evaluate(() => {
      const { activeElement: active } = document;
      return active?.getAttribute("aria-label") ?? `${active?.tagName} ${active?.className}`;
    });

  it("is where one writes when the page is loaded anew, and when another conversation is opened", async () => {
    await open();
    await expect.poll(focused).toBe("Message to Claude Code");
    await page.reload();
    await page.locator("#panel > *").first().waitFor();
    await talk();
    await expect.poll(focused).toBe("Message to Claude Code");
    await page.getByLabel("Find in conversation").focus();
    await page.evaluate(() => {
      panelHost.open({ ...panelSamples.conversation([], 0), id: "c9" });
      panelHost.hello();
    });
    await expect.poll(focused).toBe("Message to Claude Code");
  });

  it("stays in the queue when a prompt is removed from it, and goes to where one writes with the last", async () => {
    await open();
    const remove = page.locator(".queue").getByLabel("Remove");
    await remove.nth(1).focus();
    await page.evaluate(() => panelHost.status({ queue: [{ id: "one", blocks: [{ type: "text", text: "one" }] }] }));
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest(".queue") !== null)).toBe(true);
    await page.evaluate(() => panelHost.status({ queue: [] }));
    await expect.poll(focused).toBe("Message to Claude Code");
  });

  it("goes from message to message, from wherever it is, and back to where one writes", async () => {
    await open();
    await page.evaluate(() => {
      panelHost.add({ kind: "prompt", id: "p9", at: 0, blocks: [{ type: "text", text: "Once more" }] });
    });
    await page.locator("[data-id=p9]").waitFor();
    await page.locator("textarea").focus();
    await page.keyboard.press("Alt+ArrowUp");
    expect(await focused()).toMatch(/entry-prompt/u);
    const last = await page.evaluate(() => document.activeElement?.getAttribute("data-place"));
    await page.keyboard.press("Alt+ArrowUp");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-place"))).not.toBe(last);
    await page.keyboard.press("Alt+ArrowDown");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-place"))).toBe(last);
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(focused).toBe("Message to Claude Code");
    expect(await page.locator(".log.following").count()).toBe(1);
  });

  it("is never taken from another page", async () => {
    ({ page } = await lab.open());
    await page.route("**/around", async (route) => {
      const body = '<input aria-label="Elsewhere"><iframe src="/" style="width:420px;height:700px"></iframe>';
      await route.fulfill({ contentType: "text/html", body });
    });
    await page.goto("http://panel.test/around");
    await page.getByLabel("Elsewhere").focus();
    await talk();
    await page.keyboard.type("not there");
    const frame = page.frames()[1];
    if (frame === undefined) throw new Error("There is no frame.");
    await frame.evaluate(() => {
      panelHost.status({ queue: [] });
      panelHost.open({ ...panelSamples.conversation([], 0), id: "c9" });
      panelHost.hello();
    });
    await frame.locator(".queue").waitFor({ state: "detached" });
    expect(await focused()).toBe("Elsewhere");
    expect(await page.getByLabel("Elsewhere").inputValue()).toBe("not there");
  });
});
