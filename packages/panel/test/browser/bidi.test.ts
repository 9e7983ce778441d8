import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PanelLab, whyNoBrowser } from "./panel-lab.ts";

const why = whyNoBrowser();

describe.skipIf(why !== undefined)(`texts from right to left, in a real browser (${why ?? "Chromium"})`, () => {
  let lab: PanelLab;
  let page: Page;

  beforeAll(async () => {
    lab = await PanelLab.start();
  });
  afterAll(async () => lab.close());
  afterEach(async () => page.context().close());

  const show = async (): Promise<void> => {
    ({ page } = await lab.open());
    await page.evaluate(() => {
      panelHost.open(panelSamples.conversation([], 0));
      panelHost.hello();
    });
    await page.locator("textarea").waitFor();
  };

  /** The letters of an element as they are seen, from left to right, line by line; what cannot be seen is left out. */
  const seen = async (selector: string): Promise<string> =>
    await page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const letters: { readonly letter: string; readonly left: number; readonly top: number }[] = [];
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
          const text = node.textContent ?? "";
          for (let at = 0; at < text.length; at += 1) {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            const { left, top, width, height } = range.getBoundingClientRect();
            if (width > 0 && height > 0) letters.push({ letter: text.charAt(at), left, top: Math.round(top) });
          }
        }
        return letters
          .toSorted((one, other) => one.top - other.top || one.left - other.left)
          .map(({ letter }) => letter)
          .join("");
      });

  /** Where the text of an element begins: at its left or its right edge. */
  const side = async (selector: string): Promise<"left" | "right"> =>
    await page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const [text = element.getBoundingClientRect()] = range.getClientRects();
        const box = element.getBoundingClientRect();
        return text.left - box.left < box.right - text.right ? "left" : "right";
      });

  const backwards = (text: string): string => Array.from(text).toReversed().join("");

  it("begin at their own side in messages, prompts and what is being written; code begins at the left", async () => {
    await show();
    await page.evaluate(() => {
      const hebrew = "שלום עולם";
      const text = `${hebrew}\n\nHello\n\n- ${hebrew}\n\n\`\`\`ts\n// ${hebrew}\nlet a = 1;\n\`\`\``;
      panelHost.add({ kind: "prompt", id: "prompt", at: 0, blocks: [{ type: "text", text: hebrew }] });
      panelHost.add({ kind: "message", id: "message", at: 0, text, isComplete: true });
    });
    await page.locator("[data-id=message] pre").waitFor();
    expect(await side("[data-id=prompt] .prompt-text")).toBe("right");
    expect(await side("[data-id=message] p:nth-of-type(1)")).toBe("right");
    expect(await side("[data-id=message] p:nth-of-type(2)")).toBe("left");
    expect(await side("[data-id=message] pre")).toBe("left");
    expect(await page.locator("[data-id=message] pre").evaluate((element) => getComputedStyle(element).direction)).toBe(
      "ltr",
    );
    await page.locator("textarea").fill("مرحبا");
    expect(await page.locator("textarea").evaluate((element) => element.matches(":dir(rtl)"))).toBe(true);
  });

  it("do not change the order of a path's names, nor put an ending before its name", async () => {
    await show();
    await page.evaluate(() => {
      const path = "/home/me/shop/אב/גד/הו.ts";
      const change = { path, before: "x\n", after: "y\n", isEditable: true };
      panelHost.add({
        kind: "tool",
        id: "tool",
        at: 0,
        tool: "edit",
        name: "Edit",
        title: "Edit",
        state: "done",
        changes: [change],
      });
      panelHost.add({
        kind: "question",
        id: "question",
        at: 0,
        question: { type: "permission", toolId: "x", title: "Write קובץ?", choices: [], change },
      });
    });
    const mirrored = { folder: `${backwards("אב")}/${backwards("גד")}`, file: `${backwards("הו")}.ts` };
    expect(await seen("[data-id=tool] .change-folder")).toBe(mirrored.folder);
    expect(await seen("[data-id=tool] .change-path")).toBe(mirrored.file);
    const question = "[data-id=question] .change-path";
    expect(await seen(question)).toBe(`${mirrored.folder}/${mirrored.file}`);
    // What is copied is the path itself.
    expect(await page.locator(question).first().textContent()).toBe("אב/גד/הו.ts");
  });

  it("stay in their place in a sentence", async () => {
    await show();
    const name = "אב/גד";
    await page.evaluate((agent) => {
      panelHost.agents = panelHost.agents.map((one) => (one.id === "claude" ? { ...one, name: agent } : one));
      panelHost.hello();
      panelHost.add({
        kind: "question",
        id: "question",
        at: 0,
        question: { type: "permission", toolId: "x", title: "1", choices: [] },
      });
    }, name);
    const sentence = await seen("[data-id=question] .card-title");
    expect(sentence).toBe(`${backwards("אב")}/${backwards("גד")} asks for permission`);
  });

  it("are spelled out in what is shown to who points at it, and on chips", async () => {
    await show();
    await page.evaluate(() => {
      const path = "/home/me/shop/a\u202eb.ts";
      panelHost.add({ kind: "prompt", id: "prompt", at: 0, blocks: [{ type: "mention", path }] });
      const files = [{ path, kind: "changed", mark: "exact", state: "applied", canRedo: false }] as const;
      panelHost.status({ turns: [{ turn: "prompt", files, more: 0 }] });
    });
    const spelled = "a\\u{202e}b.ts";
    expect(await page.locator(".chip").first().textContent()).toBe(spelled);
    expect(await page.locator(".chip").first().getAttribute("title")).toBe(spelled);
    const file = page.locator(".changes .change-path").first();
    if (!(await file.isVisible())) await page.locator(".changes button").first().click();
    expect(await file.textContent()).toBe(spelled);
    expect(await file.getAttribute("title")).toContain(spelled);
  });

  it("do not reach out of what they are said in, even where they try to turn what follows", async () => {
    await show();
    await page.evaluate(() => {
      const odd = "\u202eאב";
      panelHost.add({ kind: "notice", id: "notice", at: 0, level: "info", text: `${odd} 1, 2` });
      panelHost.add({
        kind: "question",
        id: "question",
        at: 0,
        question: {
          type: "permission",
          toolId: "x",
          title: odd,
          choices: [
            { id: "yes", name: `${odd} (1)`, kind: "allow-once" },
            { id: "always", name: "Always", kind: "allow-always", rule: `rm ${odd}` },
          ],
        },
      });
      return undefined;
    });
    // Spelled out, and the letters behind it by themselves.
    expect(await seen("[data-id=question] .question-title")).toContain("\\u{202e}");
    expect(await seen("[data-id=question] .rule code")).toBe(`rm \\u{202e}${backwards("אב")}`);
    const buttons = page.locator("[data-id=question] .buttons .button");
    const lefts = await buttons.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
    expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
    const isolation = await page
      .locator("[data-id=notice] p, [data-id=question] .question-title, [data-id=question] .button")
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).unicodeBidi));
    expect(isolation).toEqual(["isolate", "isolate", "isolate", "isolate", "isolate"]);
  });
});
