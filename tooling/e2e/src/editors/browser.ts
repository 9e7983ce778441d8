import { type Browser, chromium } from "playwright-core";
import { findBrowser } from "../prerequisites/debian.ts";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  // Terminals then draw text as elements, which can be read.
  "--disable-3d-apis",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
] as const;

/** Starts the browser in which editors show their windows. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error("no browser: bring one with apt-get install chromium");
  return await chromium.launch({ executablePath, headless: true, args: [...flags] });
}
