import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PanelLab, whyNoBrowser } from "./panel-lab.ts";
import { themes } from "./themes.ts";

const why = whyNoBrowser();
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

declare global {
  var axe: {
    readonly run: (
      context: Document,
      options: { readonly runOnly: readonly string[] },
    ) => Promise<{
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
    }>;
  };
}

describe.skipIf(why !== undefined)(`the page in a real browser (${why ?? "Chromium"})`, () => {
  let lab: PanelLab;
  let page: Page;
  let problems: readonly string[];

  beforeAll(async () => {
    lab = await PanelLab.start();
  });
  afterAll(async () => lab.close());
  afterEach(async () => page.context().close());

  const show = async (options: Parameters<PanelLab["open"]>[0] = {}): Promise<void> => {
    ({ page, problems } = await lab.open(options));
    await page.evaluate(() => {
      const now = Date.now();
      panelHost.conversations = [
        {
          id: "c1",
          agent: "claude",
          folder: "/home/me/shop",
          title: "Stack discount codes",
          changedAt: now,
          state: "waiting",
        },
        {
          id: "c2",
          agent: "gemini",
          folder: "/home/me/shop",
          title: "Checkout is slow",
          changedAt: now,
          state: "running",
        },
      ];
      panelHost.open({
        ...panelSamples.conversation(panelSamples.entries(now), now),
        state: { kind: "waiting", since: now },
        queue: [{ id: "w", blocks: [{ type: "text", text: "Then the notes" }] }],
        turns: [
          {
            turn: "p1",
            files: [
              {
                path: "/home/me/shop/lib/a.ts",
                kind: "moved",
                movedFrom: "/home/me/shop/a.ts",
                mark: "unknown",
                state: "partly",
                canRedo: true,
                revision: "1",
              },
            ],
            more: 1,
          },
        ],
      });
      panelHost.hello();
    });
    await page.locator("[data-question]").waitFor();
  };

  /** What axe finds wrong. */
  const violations = async (): Promise<readonly string[]> => {
    // By the debugger's door: the page's own policy lets no script in.
    await page
      .context()
      .newCDPSession(page)
      .then(async (session) => {
        await session.send("Runtime.evaluate", { expression: axe });
      });
    return await page.evaluate(async () => {
      const { violations: found } = await globalThis.axe.run(document, {
        runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
      });
      return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
    });
  };

  it.each(["dark", "light", "contrast"] satisfies (keyof typeof themes)[])(
    "has nothing that axe finds wrong: %s",
    async (theme) => {
      await show({ theme });
      await page.locator(".tool-head[aria-expanded=false]").first().click();
      expect(await violations()).toEqual([]);
      await page.getByText("Changed files: 2").click();
      await page.getByLabel("Show changed lines").click();
      await page.waitForFunction(() => panelHost.heard.some(({ type }) => type === "changes"));
      await page.evaluate(() => {
        const lines = { beforeStart: 0, afterStart: 0, before: ["one\n"], after: ["two\n"], above: [], below: [] };
        const hunks = (["open", "kept", "undone", "queued"] as const).map((state) => ({
          ...lines,
          id: state,
          state,
          more: 1,
        }));
        const view = { hunks, more: 2, mode: { before: 0o644, after: 0o755 }, target: { after: "b.ts" } };
        panelHost.say({ type: "changes", about: { kind: "view", turn: "p1", path: "/home/me/shop/lib/a.ts", view } });
      });
      await page.locator(".hunk").last().waitFor();
      expect(await violations()).toEqual([]);
      await page.getByText("Changed files: 2").click();
      await page.getByLabel("Mode: Ask first").click();
      expect(await violations()).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByLabel("Show conversations").click();
      expect(await violations()).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByLabel("More actions").first().click();
      await page.getByText("About Claude Code").click();
      await page.getByText("61.4K of 200K tokens").waitFor();
      expect(await violations()).toEqual([]);
      await page.keyboard.press("Escape");
      await page.evaluate(() => {
        panelHost.open(undefined);
        panelHost.hello();
      });
      await page.getByText("Start a conversation").waitFor();
      expect(await violations()).toEqual([]);
    },
  );

  it("runs under the policy that hosts set, without a complaint", async () => {
    await show();
    await page.locator(".log").focus();
    await page.keyboard.press("Home");
    await page.locator(".hl-keyword").first().waitFor();
    expect(problems).toEqual([]);
  });

  it("looks the same over what editors set for plain elements", async () => {
    await show();
    await page.evaluate(() => {
      const text = "```ts\nconst a = 1;\n```\n\nA [link](https://example.com) and `code`.\n\n> Quoted\n";
      panelHost.add({ kind: "message", id: "plain", at: 0, text, isComplete: true });
    });
    await page.locator("[data-id=plain] pre code").waitFor();
    const odd = await page.evaluate(() =>
      Array.from(document.querySelectorAll("#panel *")).flatMap((element) => {
        const { color, backgroundColor } = getComputedStyle(element);
        const isOdd = color === "rgb(1, 2, 3)" || backgroundColor === "rgb(250, 0, 250)";
        return isOdd ? [element.outerHTML.slice(0, 80)] : [];
      }),
    );
    expect(odd).toEqual([]);
    expect(await page.locator(".log").evaluate((log) => getComputedStyle(log).scrollbarColor)).toMatch(
      /rgba\(0, 0, 0, 0\)$/,
    );
  });

  it("shows all actions of the first prompt", async () => {
    await show();
    await page.locator(".log").evaluate((log) => log.scrollTo(0, -log.scrollHeight));
    const top = async (selector: string): Promise<number> =>
      (await page.locator(selector).first().boundingBox())?.y ?? 0;
    expect(await top(".entry-prompt .entry-actions")).toBeGreaterThanOrEqual(await top(".log"));
  });

  it("lets no markup run, and asks nobody for anything", async () => {
    await show();
    await page.evaluate(() => {
      for (const [index, text] of [
        "<script>window.hacked = 1</script>",
        "<img src=x onerror='window.hacked = 1'>",
        "![x](https://evil.test/pixel.png)",
        "<iframe src='https://evil.test'></iframe> <link rel=stylesheet href='https://evil.test/a.css'>",
      ].entries()) {
        panelHost.add({ kind: "message", id: `attack-${index}`, at: 0, text, isComplete: true });
      }
    });
    await page.locator("[data-id=attack-3]").waitFor();
    expect(await page.evaluate(() => Reflect.get(globalThis, "hacked"))).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it("can be used by keys alone: a question, a menu, a prompt", async () => {
    await show();
    const focused = async (): Promise<string> =>
      await page.evaluate(() => {
        const { activeElement: element } = document;
        return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
      });
    const tabTo = async (name: string): Promise<void> => {
      for (let step = 0; step < 80; step += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one key after the other
        if ((await focused()) === name) return;
        // oxlint-disable-next-line no-await-in-loop
        await page.keyboard.press("Tab");
      }
      expect(await focused()).toBe(name);
    };
    await tabTo("Always Allow");
    // Pressed too early it does nothing.
    await expect
      .poll(async () => {
        await page.keyboard.press("Enter");
        return await page.evaluate(() => panelHost.heard.filter(({ type }) => type === "answer"));
      })
      .toEqual([{ type: "answer", conversation: "c1", id: "q1", answer: { type: "choice", choiceId: "always" } }]);
    await tabTo("Model: Sonnet");
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("Model: Sonnet");
    await page.locator("textarea").focus();
    await page.keyboard.type("Hello");
    await page.keyboard.press("Enter");
    const heard = await page.evaluate(() => panelHost.heard.filter(({ type }) => type === "option" || type === "send"));
    expect(heard).toMatchObject([
      { type: "option", conversation: "c1", id: "model", value: "opus" },
      { type: "send", conversation: "c1", blocks: [{ type: "text", text: "Hello" }] },
    ]);
  });

  it("has each letter of a draft again, whatever moment the page is loaded anew at", async () => {
    await show();
    await page.locator("textarea").focus();
    await page.keyboard.type("A draft that nobody sen");
    await page.waitForFunction(() => panelHost.heard.some(({ type }) => type === "draft"));
    // The host goes with the page here, and its memory of the page's state, too.
    await page.evaluate(() => {
      const area = document.querySelector("textarea");
      if (area === null) return;
      area.value += "t";
      area.dispatchEvent(new Event("input", { bubbles: true }));
      location.reload();
    });
    await page.waitForLoadState();
    await page.locator("#panel > *").first().waitFor();
    await page.evaluate(() => {
      panelHost.open(panelSamples.conversation([], 0));
      panelHost.hello();
    });
    expect(await page.locator("textarea").inputValue()).toBe("A draft that nobody sent");
  });

  it("takes no focus while things happen", async () => {
    await show();
    await page.locator("textarea").focus();
    await page.evaluate(() => {
      panelHost.add({
        kind: "question",
        id: "q9",
        at: 0,
        question: {
          type: "permission",
          toolId: "x",
          title: "Another",
          choices: [{ id: "y", name: "Yes", kind: "allow-once" }],
        },
      });
    });
    await page.locator("[data-question=q9]").waitFor();
    await page.keyboard.type("going on");
    await page.keyboard.press("Shift+Enter");
    expect(await page.locator("textarea").inputValue()).toBe("going on\n");
  });

  it("does not send what an input method composes", async () => {
    await show();
    await page.locator("textarea").focus();
    const session = await page.context().newCDPSession(page);
    await session.send("Input.imeSetComposition", { text: "にほ", selectionStart: 2, selectionEnd: 2 });
    await session.send("Input.dispatchKeyEvent", { type: "keyDown", key: "Enter", windowsVirtualKeyCode: 229 });
    await session.send("Input.insertText", { text: "日本" });
    expect(await page.locator("textarea").inputValue()).toBe("日本");
    expect(await page.evaluate(() => panelHost.heard.filter(({ type }) => type === "send"))).toEqual([]);
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => panelHost.heard.filter(({ type }) => type === "send").length)).toBe(1);
  });

  it.each([
    ["narrow", { width: 220 }],
    ["right to left", { direction: "rtl" }],
    ["wide", { width: 1100, theme: "light" }],
  ] as const)("has nothing that sticks out: %s", async (_name, options) => {
    await show(options);
    expect(await wider()).toEqual([]);
    // The same where no conversation is open, and those that there are have long titles.
    await page.evaluate(() => {
      const title = "Why the total is too low where several discount codes are used at once";
      panelHost.conversations = panelHost.conversations.map((one) => ({ ...one, title }));
      panelHost.open(undefined);
      panelHost.hello();
    });
    await page.getByText("Start a conversation").waitFor();
    expect(await wider()).toEqual([]);
  });

  /** What is wider than the page. */
  const wider = async (): Promise<readonly string[]> =>
    await page.evaluate(() => {
      const inside = (element: Element): boolean =>
        element.closest("pre, .diff, .table, .popup, .sr-only, .tool-title, .head-title, .queue-text") !== null;
      return Array.from(document.querySelectorAll("#panel *")).flatMap((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        const sticksOut = width > 0 && (left < -1 || right > innerWidth + 1);
        return sticksOut && !inside(element) ? [element.outerHTML.slice(0, 100)] : [];
      });
    });
});
