import type { DiffView } from "@patchbay/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PageReviews } from "../../../src/host/index.ts";
import { linesOf, spliceBetween, textOf } from "../../../src/views/review/lines.ts";
import { breath, opened, SlowPage } from "./slow-page.ts";

const step = fc.oneof(
  fc.record({ kind: fc.constant("type" as const), page: fc.nat(1), line: fc.nat(9), isNewLine: fc.boolean() }),
  fc.record({ kind: fc.constant("undo" as const), page: fc.nat(1) }),
  fc.record({ kind: fc.constant("host" as const), line: fc.nat(9) }),
  fc.record({
    kind: fc.constant("deliver" as const),
    page: fc.nat(1),
    way: fc.constantFrom("host" as const, "page" as const),
  }),
);

describe("a review in two pages, with messages that take their time", () => {
  it("comes to one text everywhere, in which nothing of what one page alone typed is lost", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const reviews = new PageReviews();
        const view = await opened(reviews);
        const pages = [new SlowPage(reviews), new SlowPage(reviews)] as const;
        const drain = async (): Promise<void> => {
          while (pages.some(({ toHost, toPage }) => toHost.length + toPage.length > 0)) {
            for (const page of pages) {
              // oxlint-disable-next-line no-await-in-loop -- one after the other
              await page.deliver("host");
              // oxlint-disable-next-line no-await-in-loop
              await page.deliver("page");
            }
          }
        };
        await drain();
        const typed: string[] = [];
        for (const one of steps) {
          const page = "page" in one ? pages[one.page === 0 ? 0 : 1] : pages[0];
          if (one.kind === "type") {
            typed.push(`<${typed.length}>`);
            page.type(one.line, `${typed.at(-1)}${one.isNewLine ? "\n" : ""}`);
          } else if (one.kind === "undo") page.state.step("undo");
          // oxlint-disable-next-line no-await-in-loop -- in this order
          else if (one.kind === "host") await changeFile(view, one.line);
          // oxlint-disable-next-line no-await-in-loop
          else await page.deliver(one.way);
        }
        await drain();
        const text = await view.currentText();
        expect(pages.map((page) => page.text)).toEqual([text, text]);
        expect(pages.every(({ state }) => state.text.isKept)).toBe(true);
        const isAlone = steps.every((one) => one.kind !== "undo" && (one.kind !== "type" || one.page === 0));
        if (isAlone) expect(typed.filter((word) => !text.includes(word))).toEqual([]);
        expect(text.replaceAll("\r\n", "").includes("\n")).toBe(false);
      }),
      { numRuns: 150, seed: 20_261_123 },
    );
  });
});

/** The file under review has changed, and the proposal is merged onto it. */
async function changeFile(view: DiffView, line: number): Promise<void> {
  const before = await view.currentText();
  const lines = linesOf(before);
  const at = line % lines.length;
  const text = textOf(lines.map((one, index) => (index === at ? `F${one}` : one)));
  if (spliceBetween(lines, linesOf(text)) === undefined) return;
  await view.update({
    originalText: text,
    unsaved: false,
    expectedText: before,
    text,
    proposedText: text,
    standing: "merged",
  });
  await breath();
}
