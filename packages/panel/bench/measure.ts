import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import type { CDPSession, Page } from "playwright-core";
import { PanelLab } from "../test/browser/panel-lab.ts";

/**
 * Measures a bench page in Chromium: this one, or another that offers `panelBench` and shows `?history=n` at once (`--page
 * http://…`). On a quiet machine; medians of `--rounds`.
 */
const { values: options } = parseArgs({
  options: {
    page: { type: "string", default: "http://panel.test/" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "5" },
    histories: { type: "string", default: "0,1000,10000" },
  },
});

interface Streaming {
  readonly framesPerSecond: number;
  readonly longestTask: number;
  readonly seconds: number;
  /** From a chunk to the frame that shows it, ms. */
  readonly delays: readonly number[];
  /** From a key to the frame that shows it, ms. */
  readonly keys: readonly number[];
}

interface Row extends Omit<Streaming, "delays" | "keys" | "seconds"> {
  readonly firstPaint: number;
  readonly heap: number;
  readonly nodes: number;
  readonly mainThread: number;
  readonly delay: number;
  readonly key: number;
}

const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(numbers.length * share) - 1)] ?? Number.NaN;
const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

/** Chromium's own counters: busy time of the main thread, s; heap, bytes; nodes. */
async function counters(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** 100 chunks a second, of 12 characters, with paragraphs and code; a key each 200 ms. */
async function stream(page: Page, seconds: number): Promise<Streaming> {
  await page
    .locator("textarea")
    .focus({ timeout: 2000 })
    .catch(() => undefined);
  const running = page.evaluate(async (duration): Promise<Streaming> => {
    const sentence = "The total is **rounded** twice, `round(x)` and so on. ";
    const delays: number[] = [];
    const keys: number[] = [];
    let [frames, longestTask, isOver, waiting] = [0, 0, false, 0];
    const frame = (): void => {
      frames += 1;
      if (!isOver) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    new PerformanceObserver((list) => {
      for (const { duration: task } of list.getEntries()) longestTask = Math.max(longestTask, task);
    }).observe({ type: "longtask" });
    const afterPaint = (callback: () => void): void => {
      requestAnimationFrame(() => setTimeout(callback));
    };
    new MutationObserver(() => {
      const since = waiting;
      waiting = 0;
      if (since > 0) afterPaint(() => delays.push(performance.now() - since));
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    addEventListener("keydown", ({ timeStamp }) => afterPaint(() => keys.push(performance.now() - timeStamp)), true);
    panelBench.begin();
    const start = performance.now();
    let sent = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const due = Math.floor((performance.now() - start) / 10);
        for (; sent < due; sent += 1) {
          const at = (sent * 12) % 48;
          if (waiting === 0) waiting = performance.now();
          if (sent % 400 === 200) panelBench.chunk("\n\n```ts\nconst a = 1;\n");
          else if (sent % 400 === 260) panelBench.chunk("\n```\n\n");
          else panelBench.chunk(sent % 150 === 149 ? "\n\n" : sentence.slice(at, at + 12));
        }
        if (sent < duration * 100) return;
        clearInterval(timer);
        resolve();
      }, 10);
    });
    isOver = true;
    const took = (performance.now() - start) / 1000;
    panelBench.end();
    return { framesPerSecond: frames / took, longestTask, seconds: took, delays, keys };
  }, seconds);
  for (let key = 0; key < seconds * 4; key += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await page.keyboard.press("a", { delay: 20 });
    // oxlint-disable-next-line no-await-in-loop
    await page.waitForTimeout(180);
  }
  return await running;
}

async function measure(lab: PanelLab, history: number): Promise<Row> {
  const { page } = await lab.open({ isAnyAddressAllowed: true });
  await page.addInitScript(() => {
    // The frame after the newest message has been drawn.
    const observer = new MutationObserver(() => {
      if (document.querySelector("[data-id], .message") === null && !location.search.endsWith("=0")) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => Reflect.set(globalThis, "firstPaint", performance.now())));
    });
    observer.observe(document, { subtree: true, childList: true });
  });
  await page.goto(`${options.page}?history=${history}`);
  await page.waitForFunction(() => Reflect.has(globalThis, "firstPaint"));
  const firstPaint = await page.evaluate(() => Number(Reflect.get(globalThis, "firstPaint")));
  const session = await page.context().newCDPSession(page);
  // The time of the thread: what else the machine does is not counted.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await session.send("HeapProfiler.collectGarbage");
  const before = await counters(session);
  const { delays, keys, seconds, ...streaming } = await stream(page, Number(options.seconds));
  const after = await counters(session);
  await page.context().close();
  return {
    ...streaming,
    firstPaint,
    heap: (before["JSHeapUsedSize"] ?? 0) / 1e6,
    nodes: before["Nodes"] ?? 0,
    mainThread: (((after["TaskDuration"] ?? 0) - (before["TaskDuration"] ?? 0)) / seconds) * 100,
    delay: percentile(delays, 0.95),
    key: percentile(keys, 0.95),
  };
}

function sizes(): string {
  const folder = join(import.meta.dirname, "..", "dist", "page");
  const of = (first: boolean): string => {
    const files = readdirSync(folder).filter(
      (file) => file.endsWith(".js") && /^(?:panel|chunk)/u.test(file) === first,
    );
    const texts = files.map((file) => readFileSync(join(folder, file)));
    const sum = (numbers: readonly number[]): string => (numbers.reduce((all, one) => all + one, 0) / 1000).toFixed(1);
    return `${sum(texts.map(({ length }) => length))} kB, ${sum(texts.map((text) => gzipSync(text, { level: 9 }).length))} kB zipped`;
  };
  return `first part: ${of(true)}; what comes later, the highlighter included: ${of(false)}`;
}

const lab = await PanelLab.start();
const lines = [
  sizes(),
  "",
  "| messages | first paint, ms | heap, MB | nodes | main thread, % | frames/s | longest task, ms | chunk to screen p95, ms | key to screen p95, ms |",
  "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
];
for (const history of options.histories.split(",").map(Number)) {
  const rows: Row[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one at a time, or they disturb each other
    rows.push(await measure(lab, history));
  }
  const of = (name: keyof Row, digits = 0): string => median(rows.map((row) => row[name])).toFixed(digits);
  lines.push(
    `| ${history.toLocaleString("en")} | ${of("firstPaint")} | ${of("heap", 1)} | ${of("nodes")} | ${of("mainThread", 1)} | ${of("framesPerSecond")} | ${of("longestTask")} | ${of("delay")} | ${of("key")} |`,
  );
}
await lab.close();
process.stdout.write(`${lines.join("\n")}\n`);
