import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PanelLab, whyNoBrowser } from "./panel-lab.ts";

const why = whyNoBrowser();

describe.skipIf(why !== undefined)(`what agents and tools say, in a real browser (${why ?? "Chromium"})`, () => {
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
      panelHost.open(panelSamples.conversation([], 0));
      panelHost.hello();
    });
    await page.locator("textarea").waitFor();
  };

  /** What is wider than the page, and no element around it cuts or scrolls. */
  const sticksOut = async (): Promise<readonly string[]> =>
    await page.evaluate(() => {
      const isOut = (element: Element): boolean => {
        const { left, right, width } = element.getBoundingClientRect();
        return width > 0 && (left < -1 || right > innerWidth + 1);
      };
      const isHeld = (element: Element): boolean => {
        for (let around = element.parentElement; around !== null; around = around.parentElement) {
          if (around.id === "panel") return false;
          if (getComputedStyle(around).overflowX !== "visible" && !isOut(around)) return true;
        }
        return false;
      };
      return Array.from(document.querySelectorAll("#panel *")).flatMap((element) =>
        isOut(element) && !isHeld(element)
          ? [`${element.parentElement?.className} ${element.outerHTML.slice(0, 80)}`]
          : [],
      );
    });

  it("leads nowhere but to the web and to files, and only through the editor", async () => {
    await show();
    const before = page.url();
    await page.evaluate(() => {
      const addresses = [
        "command:workbench.action.terminal.new",
        "command://x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "JavaScript&colon;alert(1)",
        "vscode://a.b/c",
        "data:text/html,<script>alert(1)</script>",
        "blob:https://evil.test/1",
        "//evil.test/a",
        "\\\\\\\\evil.test\\\\share",
        "https://github.com@evil.test/",
        "https://good.test/\u202etxt.exe",
        "https://good.test/a",
        "src/a.ts",
      ];
      const text = addresses.map((address, index) => `[link ${index}](<${address}>)`).join("\n\n");
      panelHost.add({ kind: "message", id: "links", at: 0, text, isComplete: true });
    });
    await page.locator("[data-id=links] a").first().waitFor();
    for (const link of await page.locator("[data-id=links] :is(a, button.link)").all()) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await link.click();
      // oxlint-disable-next-line no-await-in-loop
      await link.click({ button: "middle" });
    }
    const opened = await page.evaluate(() =>
      panelHost.heard.flatMap((message) =>
        message.type === "open-link" ? [message.href] : message.type === "open-file" ? [message.path] : [],
      ),
    );
    expect([...new Set(opened)]).toEqual(["https://good.test/a", "src/a.ts"]);
    expect(page.url()).toBe(before);
    expect(page.context().pages()).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  it("is shown with what turns or hides text: in commands, paths, outputs, diffs, code and what was decided", async () => {
    await show();
    const shown = await page.evaluate(async () => {
      const odd = "a\u202eb\u200bc\u2066d";
      panelHost.add({
        kind: "tool",
        id: "tool",
        at: 0,
        tool: "execute",
        name: "run",
        title: odd,
        state: "done",
        command: odd,
        output: odd,
        changes: [{ path: `/home/me/shop/${odd}/${odd}.ts`, before: "x\n", after: `${odd}\r\n` }],
      });
      const question = { type: "permission", toolId: "x", title: odd, choices: [] } as const;
      const outcome = { type: "answered", isAllowed: true, summary: odd } as const;
      panelHost.add({ kind: "question", id: "settled", at: 0, question, outcome });
      panelHost.add({ kind: "message", id: "code", at: 0, text: `\`\`\`ts\nlet ${odd}\n\`\`\``, isComplete: true });
      await new Promise((resolve) => setTimeout(resolve, 0));
      return odd;
    });
    await page.locator("[data-id=tool] .tool-head").click();
    const spelled = String.raw`a\u{202e}b\u{200b}c\u{2066}d`;
    const texts = async (selector: string): Promise<readonly string[]> =>
      await page.locator(selector).allTextContents();
    expect(await texts("[data-id=tool] .tool-title")).toEqual([spelled]);
    expect(await texts("[data-id=tool] .tool-details pre")).toEqual([spelled, spelled]);
    expect(await texts("[data-id=tool] .change-path")).toEqual([`${spelled}.ts`]);
    expect(await texts("[data-id=tool] .change-folder")).toEqual([spelled]);
    expect(await texts("[data-id=tool] .diff-line.added .diff-text")).toEqual([spelled]);
    expect(await texts("[data-id=settled] .settled p")).toEqual([spelled + spelled]);
    expect(await texts("[data-id=code] pre")).toEqual([`let ${spelled}`]);
    await page.locator("[data-id=code] .code-actions button").last().click();
    const heard = await page.evaluate(() => panelHost.heard.filter(({ type }) => type === "open-text"));
    expect(heard).toMatchObject([{ text: `let ${shown}` }]);
  });

  it("has nothing of what is meant for terminals: colours, links, titles, bells, lines that are drawn over", async () => {
    await show();
    await page.evaluate(() => {
      const output = [
        "\u001b[1;31mred\u001b[0m \u001b[38:2::1:2:3mdeep\u001b[m",
        "\u001b]8;;https://evil.test\u0007link\u001b]8;;\u0007 \u001b]0;title\u001b\\end",
        "10 %\r20 %\r\r\ndone\u0007\u0008!",
        "\u001b[2J\u001b[H\u001b7\u001b8\u001b=\u001bcclear",
      ].join("\r\n");
      panelHost.add({
        kind: "tool",
        id: "t",
        at: 0,
        tool: "execute",
        name: "run",
        title: "run",
        state: "done",
        output,
      });
    });
    await page.locator("[data-id=t] .tool-head").click();
    expect(await page.locator("[data-id=t] pre").textContent()).toBe(
      ["red deep", "link end", "10 %", "20 %", "done!", "clear"].join("\n"),
    );
  });

  it.each(["ltr", "rtl"] as const)("may have lines without a blank as long as it likes, %s", async (direction) => {
    await show({ width: 250, direction });
    await page.evaluate(() => {
      const long = "x".repeat(300_000);
      panelHost.add({
        kind: "prompt",
        id: "p",
        at: 0,
        blocks: [
          { type: "text", text: long },
          { type: "mention", path: `/${long}` },
        ],
      });
      panelHost.add({
        kind: "message",
        id: "m",
        at: 0,
        isComplete: true,
        text: `# ${long}\n\n${long} \`${long}\`\n\n- ${long}\n\n> ${long}\n\n| a |\n| - |\n| ${long} |\n\n[${long}](https://good.test/${long})`,
      });
      panelHost.add({ kind: "plan", id: "l", at: 0, steps: [{ text: long, state: "running" }] });
      panelHost.add({ kind: "notice", id: "n", at: 0, level: "error", text: long });
      panelHost.add({
        kind: "tool",
        id: "t",
        at: 0,
        tool: "edit",
        name: "e",
        title: long,
        state: "done",
        command: long,
        output: long,
        changes: [{ path: `/home/me/shop/${long}.ts`, before: long, after: `${long}y` }],
      });
      const choices = [{ id: "y", name: long, kind: "allow-once", rule: `${long}y` }] as const;
      panelHost.add({
        kind: "question",
        id: "q",
        at: 0,
        question: {
          type: "permission",
          toolId: "t",
          title: long,
          reason: long,
          command: long,
          change: { path: `/${long}`, after: long, isEditable: true },
          choices,
        },
      });
      panelHost.add({
        kind: "question",
        id: "f",
        at: 0,
        question: {
          type: "form",
          message: long,
          fields: [
            {
              id: "a",
              label: long,
              description: long,
              input: "one-of",
              isRequired: true,
              options: [{ value: "b", label: long, description: long }],
            },
            { id: "c", label: long, input: "text", isRequired: false },
          ],
        },
      });
      panelHost.status({ title: long, state: { kind: "retrying", attempt: 1, reason: long, nextAt: Date.now() } });
    });
    await page.locator("[data-question=q]").waitFor();
    await page.locator("[data-question=f] .option").waitFor();
    await page.locator("[data-id=t] .tool-head").click();
    expect(await sticksOut()).toEqual([]);
    // Browsers look for the direction of such a text again in each of its lines: seconds without an answer.
    const slow = await page.evaluate(() =>
      Array.from(document.querySelectorAll("#panel *"))
        .filter((one) => one.textContent.length > 10_000)
        .filter((one) => {
          const { unicodeBidi, whiteSpace } = getComputedStyle(one);
          return unicodeBidi === "plaintext" && whiteSpace !== "nowrap";
        })
        .map((one) => one.outerHTML.slice(0, 80)),
    );
    expect(slow).toEqual([]);
    const lengths = await page
      .locator(".diff-text")
      .evaluateAll((lines) => lines.map((line) => line.textContent.length));
    expect(Math.max(...lengths)).toBeLessThan(2_100);
    expect(problems).toEqual([]);
  });

  it("may come in a hundred thousand pieces of one character", async () => {
    await show();
    const drawn = await page.evaluate(async () => {
      panelHost.status({ state: { kind: "running", since: 0 } });
      const place = panelHost.add({ kind: "message", id: "m", at: 0, text: "", isComplete: false });
      for (let count = 0; count < 100_000; count += 1) {
        panelHost.patch({ appends: [{ place, text: count % 50 === 49 ? "\n\n" : "y" }] });
        if (count % 10_000 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
      return document.querySelector("[data-id=m] .markdown")?.textContent.replaceAll(/\s/gu, "").length;
    });
    expect(drawn).toBe(98_000);
    await page.locator("textarea").pressSequentially("still there");
    expect(await page.locator("textarea").inputValue()).toBe("still there");
  });
});
