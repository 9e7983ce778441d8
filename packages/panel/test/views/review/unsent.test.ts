import fc from "fast-check";
import { expect, it } from "vitest";
import { PageReviews } from "../../../src/host/index.ts";
import { opened, SlowPage, start } from "./slow-page.ts";

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("type" as const), line: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("host" as const, "page" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("reload" as const, "leave" as const) }) },
);

async function drain(page: SlowPage): Promise<void> {
  while (page.toHost.length + page.toPage.length > 0) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await page.deliver("host");
    // oxlint-disable-next-line no-await-in-loop
    await page.deliver("page");
  }
}

it("loses nothing that was typed where the page goes with messages on their way, or the review is left", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const reviews = new PageReviews();
      const view = await opened(reviews);
      let page = new SlowPage(reviews);
      await drain(page);
      const typed: string[] = [];
      for (const one of steps) {
        if (one.kind === "type") {
          const before = page.text;
          page.type(one.line, `<${typed.length}>`);
          if (page.text !== before) typed.push(`<${typed.length}>`);
        } else if (one.kind === "reload") {
          // Nothing that the old page said arrives any more.
          page = new SlowPage(reviews, page.state.text.unsent);
          await drain(page);
        } else if (one.kind === "leave") {
          page.state.dispose();
          while (page.toHost.length > 0) await page.deliver("host");
          page = new SlowPage(reviews);
          await drain(page);
        } else await page.deliver(one.kind);
      }
      await drain(page);
      const text = await view.currentText();
      expect(page.text).toBe(text);
      expect(typed.filter((word) => !text.includes(word))).toEqual([]);
      expect(text.replaceAll(/<\d+>/gu, "")).toBe(start);
    }),
    { numRuns: 300 },
  );
});
