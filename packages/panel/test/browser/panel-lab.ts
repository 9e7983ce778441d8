import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { panelDocument } from "../../src/messages/index.ts";
import { editorSheet, fonts, themes } from "./themes.ts";

const dist = join(import.meta.dirname, "..", "..", "dist");
const address = "http://panel.test";
const nonce = "bm9uY2Ugb2YgYSB0ZXN0";

const types: Readonly<Record<string, string>> = { js: "text/javascript", css: "text/css" };

export function findBrowser(): string | undefined {
  const chosen = process.env["PATCHBAY_E2E_BROWSER"];
  if (chosen !== undefined) return chosen;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
}

/** Why the panel cannot be run in a browser here. */
export function whyNoBrowser(): string | undefined {
  if (!existsSync(join(dist, "page", "panel.js"))) return "needs a build";
  return findBrowser() === undefined ? "needs Chromium, on the path or named by PATCHBAY_E2E_BROWSER" : undefined;
}

/** Longest wait for anything in the page, ms: a bound for what hangs, on a machine that is busy. Tests take a minute at most. */
const patience = 50_000;

/** The real bundle in a real browser, under the policy that hosts set. */
export class PanelLab {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<PanelLab> {
    const executablePath = findBrowser();
    if (executablePath === undefined) throw new Error("no browser");
    return new PanelLab(
      await chromium.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] }),
    );
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  /** A page that a server of the panel serves. */
  async visit(
    url: string,
    viewport = { width: 1_200, height: 800 },
  ): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
    const context = await this.#browser.newContext({ viewport });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error.stack)));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
    });
    await page.goto(url);
    return { page, problems };
  }

  /** A page with the panel in it. `problems` collects what the browser complains about. */
  async open({
    theme = "dark",
    width = 420,
    height = 800,
    direction = "ltr",
    isAnyAddressAllowed = false,
  }: {
    /** For pages that are measured beside this one. */
    readonly isAnyAddressAllowed?: boolean;
    readonly theme?: keyof typeof themes;
    readonly width?: number;
    readonly height?: number;
    readonly direction?: "ltr" | "rtl";
  } = {}): Promise<{ readonly page: Page; readonly context: BrowserContext; readonly problems: readonly string[] }> {
    const context = await this.#browser.newContext({ viewport: { width, height }, deviceScaleFactor: 2 });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error.stack)));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
    });
    await page.route("**/*", async (route) => {
      const { hostname, pathname } = new URL(route.request().url());
      const file = join(dist, pathname);
      if (hostname !== "panel.test" && isAnyAddressAllowed) await route.continue();
      else if (hostname !== "panel.test") {
        problems.push(`asked for ${route.request().url()}`);
        await route.abort();
      } else if (pathname === "/") {
        await route.fulfill({ contentType: "text/html", body: benchDocument({ source: address, theme, direction }) });
      } else if (existsSync(file)) {
        const contentType = types[pathname.slice(pathname.lastIndexOf(".") + 1)] ?? "text/plain";
        await route.fulfill({ contentType, body: readFileSync(file) });
      } else await route.fulfill({ status: 404 });
    });
    await page.goto(`${address}/`);
    await page.locator("#panel > *").first().waitFor();
    return { page, context, problems };
  }
}

/** The document that hosts use, with the bench in the place of the editor. */
export function benchDocument({
  source,
  theme = "dark",
  direction = "ltr",
}: {
  readonly source: string;
  readonly theme?: keyof typeof themes;
  readonly direction?: "ltr" | "rtl";
}): string {
  return panelDocument({
    script: "/page/panel.js",
    style: "/page/panel.css",
    nonce,
    source,
    locale: "en",
    theme: themes[theme] + fonts,
  })
    .replace("<html", `<html dir="${direction}"`)
    .replace("<link", `<style nonce="${nonce}">${editorSheet}</style>\n<link`)
    .replace("<script", `<script nonce="${nonce}" src="/bench/panel-bench.js"></script>\n<script`);
}
