import type { Page } from "playwright-core";

/** How often the page is looked at, ms: a toast stands for seconds. */
const interval = 100;

/** What the window told the user in toasts. While one stands, Escape closes it instead of going to the terminal. */
export class ToastRecord {
  #texts: string[] = [];

  /** Records from the next load of the page on. */
  async follow(page: Page): Promise<void> {
    await page.exposeFunction("patchbayToast", (text: string) => this.#texts.push(text));
    await page.addInitScript((every) => {
      const seen = new WeakSet<Element>();
      setInterval(() => {
        for (const toast of document.querySelectorAll<HTMLElement>(".notifications-toasts .notification-toast")) {
          if (seen.has(toast) || toast.innerText.trim() === "") continue;
          seen.add(toast);
          const report: unknown = Reflect.get(window, "patchbayToast");
          if (typeof report === "function") report(toast.innerText);
        }
      }, every);
    }, interval);
  }

  /** What was told since the last call. */
  take(): readonly string[] {
    const texts = this.#texts;
    this.#texts = [];
    return texts;
  }
}
