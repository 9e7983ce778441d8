import { join } from "node:path";
import { PanelLab } from "../test/browser/panel-lab.ts";

/** Captures the pictures of the panel that the documents show. */
const pictures = [
  { name: "dark", theme: "dark", width: 420, height: 980 },
  { name: "light", theme: "light", width: 420, height: 980 },
  { name: "contrast", theme: "contrast", width: 420, height: 980 },
  { name: "narrow", theme: "dark", width: 230, height: 780 },
] as const;

const folder = join(import.meta.dirname, "..", "..", "..", "docs", "images");
const lab = await PanelLab.start();
for (const { name, ...options } of pictures) {
  // oxlint-disable-next-line no-await-in-loop -- one browser, one picture at a time
  const { page } = await lab.open(options);
  // oxlint-disable-next-line no-await-in-loop
  await page.evaluate(() => {
    const now = Date.now();
    const src = "/home/me/shop/src/cart/discounts.ts";
    const test = "/home/me/shop/test/cart/discounts.test.ts";
    panelHost.selection = { type: "mention", path: src, lines: { start: 12, end: 31 } };
    panelHost.open({
      ...panelSamples.conversation(panelSamples.entries(now), now),
      state: { kind: "waiting", since: now },
      waiting: 1,
      turns: [
        {
          turn: "p1",
          files: [
            {
              path: src,
              kind: "changed",
              mark: "exact",
              state: "kept",
              lines: { added: 4, removed: 2 },
              canRedo: false,
            },
            { path: test, kind: "created", mark: "likely", state: "applied", canRedo: false },
          ],
          more: 0,
        },
      ],
    });
    panelHost.hello();
  });
  // oxlint-disable-next-line no-await-in-loop
  await page.locator("[data-question] button").first().waitFor();
  // oxlint-disable-next-line no-await-in-loop
  await page.locator(".diff-line").first().waitFor();
  // oxlint-disable-next-line no-await-in-loop
  await page.evaluate(async () => await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
  // oxlint-disable-next-line no-await-in-loop
  await page.screenshot({ path: join(folder, `panel-${name}.png`), animations: "disabled" });
  // oxlint-disable-next-line no-await-in-loop
  await page.context().close();
}
await lab.close();
