import { chmodSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PuppetAgent } from "@patchbay/testkit";
import { chromium } from "playwright-core";
import { it, expect } from "vitest";
import { startServerLab } from "../server/server-lab.ts";
import { findBrowser } from "./panel-lab.ts";

const pageDirectory = join(import.meta.dirname, "..", "..", "dist", "page");
it("pictures", async () => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-browser-")));
  const agent = await PuppetAgent.create(place);
  const lab = await startServerLab({ agent, pageDirectory, root: place, beginWith: "puppet" });
  const browser = await chromium.launch({
    executablePath: findBrowser() ?? "",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const code = Array.from(
    { length: 60 },
    (_, i) => `export function step${i}(order: Order): number {\n  return order.total * ${i};\n}\n`,
  ).join("\n");
  mkdirSync(join(lab.folder, "src", "cart"), { recursive: true });
  const file = join(lab.folder, "src", "cart", "total.ts");
  const other = join(lab.folder, "src", "index.ts");
  writeFileSync(file, code);
  writeFileSync(other, "import { step1 } from './cart/total';\r\nstep1();\r\n");
  writeFileSync(join(lab.folder, "run.sh"), "#!/bin/sh\n");
  const context = await browser.newContext({ colorScheme: "dark", viewport: { width: 1100, height: 760 } });
  const page = await context.newPage();
  await page.goto(lab.panel.url());
  await page.locator("textarea").fill("Round the totals");
  await page.keyboard.press("Enter");
  await expect.poll(() => agent.prompts.length).toBe(1);
  agent.do({ act: "run", id: "one", command: "make one", isOver: false });
  await new Promise((r) => setTimeout(r, 1500));
  await page.screenshot({ path: "/tmp/shots/a.png" });
  await new Promise((r) => setTimeout(r, 500));
  writeFileSync(
    file,
    code
      .replace("return order.total * 3;", "const total = order.total * 3;\n  return Math.round(total);")
      .replace("return order.total * 40;", "return Math.round(order.total * 40);")
      .replace("export function step41(order: Order): number {\n", ""),
  );
  writeFileSync(other, "import { step1 } from './cart/total';\nstep1();\nstep2();");
  writeFileSync(join(lab.folder, "src", "new.ts"), "export const a = 1;\n");
  chmodSync(join(lab.folder, "run.sh"), 0o755);
  symlinkSync("src/new.ts", join(lab.folder, "link"));
  agent.do({ act: "run", id: "one", command: "make one", isOver: true });
  await new Promise((r) => setTimeout(r, 1500));
  agent.do({ act: "end" });
  await page.getByRole("button", { name: "Review All" }).click();
  await page.locator(".past-files").waitFor();
  await new Promise((r) => setTimeout(r, 600));
  const shot = async (name: string): Promise<void> => void (await page.screenshot({ path: `/tmp/shots/${name}.png` }));
  for (const scheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width: 1100, height: 760 });
    await page.locator(".past-files button").filter({ hasText: "total.ts" }).click();
    await new Promise((r) => setTimeout(r, 500));
    await shot(`past-1100-${scheme}`);
    await page.locator(".past-files button").filter({ hasText: "index.ts" }).click();
    await new Promise((r) => setTimeout(r, 400));
    await shot(`past-ends-1100-${scheme}`);
    await page.locator(".past-files button").filter({ hasText: "total.ts" }).click();
    await page.setViewportSize({ width: 320, height: 700 });
    await new Promise((r) => setTimeout(r, 500));
    await shot(`past-320-${scheme}`);
  }
  await page.setViewportSize({ width: 1100, height: 760 });
  await page.locator(".past-files button").filter({ hasText: "run.sh" }).click();
  await new Promise((r) => setTimeout(r, 400));
  await shot("past-mode-1100-light");
  await browser.close();
  await lab.close();
  await agent.dispose();
});
