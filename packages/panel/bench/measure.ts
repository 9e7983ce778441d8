import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import type { CDPSession, Page } from "playwright-core";
import { PanelLab } from "../test/browser/panel-lab.ts";
import { serveBench } from "./serve.ts";

/**
 * Measures a bench page in Chromium: this one, a bare one (`--page bare`), or another that offers `panelBench` and shows
 * `?history=n` at once (`--page http://…`). On a quiet machine; medians of `--rounds`. `--turns n`: the heap after n turns instead.
 */
const { values: options } = parseArgs({
  options: {
    page: { type: "string", default: "" },
    rounds: { type: "string", default: "3" },
    turns: { type: "string" },
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

interface Row {
  readonly firstPaint: number;
  readonly heap: number;
  readonly nodes: number;
  /** Share of the main thread's time while something streams, and nothing else happens. */
  readonly mainThread: number;
  /** The same while every frame is counted and somebody types. */
  readonly withKeys: number;
  readonly framesPerSecond: number;
  readonly longestTask: number;
  readonly delay: number;
  readonly key: number;
  readonly keyMedian: number;
}

const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(numbers.length * share) - 1)] ?? Number.NaN;
const median = (numbers: readonly number[]): number => percentile(numbers, 0.5);

/** Chromium's own counters: busy time of the main thread, s; heap, bytes; nodes. */
async function counters(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await session.send("Performance.getMetrics");
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** 100 chunks a second, of 12 characters, with paragraphs and code. `isWatched`: what can be seen of it is noted, which has its cost. */
async function stream(page: Page, duration: number, isWatched: boolean): Promise<Streaming> {
  return await page.evaluate(
    async ({ duration, isWatched }): Promise<Streaming> => {
      const sentence = "The total is **rounded** twice, `round(x)` and so on. ";
      const delays: number[] = [];
      const keys: number[] = [];
      let [frames, longestTask, isOver, waiting] = [0, 0, false, 0];
      const frame = (): void => {
        frames += 1;
        if (!isOver) requestAnimationFrame(frame);
      };
      const afterPaint = (callback: () => void): void => {
        requestAnimationFrame(() => setTimeout(callback));
      };
      if (isWatched) {
        requestAnimationFrame(frame);
        new PerformanceObserver((list) => {
          for (const { duration: task } of list.getEntries()) longestTask = Math.max(longestTask, task);
        }).observe({ type: "longtask" });
        new MutationObserver(() => {
          const since = waiting;
          waiting = 0;
          if (since > 0) afterPaint(() => delays.push(performance.now() - since));
        }).observe(document.body, { subtree: true, childList: true, characterData: true });
        addEventListener(
          "keydown",
          ({ timeStamp }) => afterPaint(() => keys.push(performance.now() - timeStamp)),
          true,
        );
      }
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
    },
    { duration, isWatched },
  );
}

/** A key each 200 ms. */
async function type(page: Page, seconds: number): Promise<void> {
  await page
    .locator("textarea")
    .focus({ timeout: 2000 })
    .catch(() => undefined);
  for (let key = 0; key < seconds * 4; key += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await page.keyboard.press("a", { delay: 20 });
    // oxlint-disable-next-line no-await-in-loop
    await page.waitForTimeout(180);
  }
}

/** Shows a history in a page of its own; the time from the start of the navigation to the end of the first frame with messages, ms. */
async function show(lab: PanelLab, history: number): Promise<{ readonly page: Page; readonly firstPaint: number }> {
  const { page } = await lab.open({ isAnyAddressAllowed: true });
  // No request takes the way through the test's own process.
  await page.unrouteAll();
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (document.querySelector("textarea") === null) return;
      const isEmpty = location.search.endsWith("=0") || location.pathname === "/bare";
      if (!isEmpty && document.querySelector("[data-id], .message") === null) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => Reflect.set(globalThis, "firstPaint", performance.now())));
    });
    observer.observe(document, { subtree: true, childList: true });
  });
  await page.goto(`${address}?history=${history}`);
  await page.waitForFunction(() => Reflect.has(globalThis, "firstPaint"));
  return { page, firstPaint: await page.evaluate(() => Number(Reflect.get(globalThis, "firstPaint"))) };
}

async function measure(lab: PanelLab, history: number): Promise<Row> {
  const { page, firstPaint } = await show(lab, history);
  // What comes after the first frame is not streaming: what is read back, and the highlighter.
  await page.waitForTimeout(1000);
  const session = await page.context().newCDPSession(page);
  // The time of the thread: what else the machine does is not counted.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await session.send("HeapProfiler.collectGarbage");
  const start = await counters(session);
  const busy = (from: Readonly<Record<string, number>>, to: Readonly<Record<string, number>>, took: number): number =>
    (((to["TaskDuration"] ?? 0) - (from["TaskDuration"] ?? 0)) / took) * 100;
  const alone = await stream(page, Number(options.seconds), false);
  const between = await counters(session);
  const watched = stream(page, Number(options.seconds), true);
  await type(page, Number(options.seconds));
  const { delays, keys, seconds, framesPerSecond, longestTask } = await watched;
  const end = await counters(session);
  await page.context().close();
  return {
    firstPaint,
    heap: (start["JSHeapUsedSize"] ?? 0) / 1e6,
    nodes: start["Nodes"] ?? 0,
    mainThread: busy(start, between, alone.seconds),
    withKeys: busy(between, end, seconds),
    framesPerSecond,
    longestTask,
    delay: percentile(delays, 0.95),
    key: percentile(keys, 0.95),
    keyMedian: median(keys),
  };
}

/** What so many turns leave behind in a page, with what the host in the page keeps of them. */
async function soak(lab: PanelLab, turns: number): Promise<string> {
  const { page } = await show(lab, 200);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const take = async (count: number): Promise<readonly [number, number]> => {
    await page.evaluate(async (times) => {
      for (let turn = 0; turn < times; turn += 1) {
        panelBench.begin();
        panelBench.chunk(`Turn ${turn}: **done**, as in \`round(${turn})\`.\n\n\`\`\`ts\nround(${turn});\n\`\`\`\n`);
        panelBench.end();
        // oxlint-disable-next-line no-await-in-loop -- each is drawn
        await new Promise((resolve) => setTimeout(resolve, 55));
      }
    }, count);
    await session.send("HeapProfiler.collectGarbage");
    await session.send("HeapProfiler.collectGarbage");
    const { JSHeapUsedSize = 0, Nodes = 0 } = await counters(session);
    return [JSHeapUsedSize / 1e6, Nodes];
  };
  const [heap, nodes] = await take(100);
  const [heapThen, nodesThen] = await take(turns);
  await page.context().close();
  return `after ${turns} turns: heap ${heap.toFixed(1)} to ${heapThen.toFixed(1)} MB, nodes ${nodes} to ${nodesThen}`;
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

async function table(lab: PanelLab): Promise<readonly string[]> {
  const lines = [
    "| messages | first paint, ms | heap, MB | nodes | main thread, % | with keys, % | frames/s | longest task, ms | chunk to screen p95, ms | key to screen p50 / p95, ms |",
    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
  ];
  for (const history of options.histories.split(",").map(Number)) {
    const rows: Row[] = [];
    for (let round = 0; round < Number(options.rounds); round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one at a time, or they disturb each other
      rows.push(await measure(lab, history));
    }
    const of = (name: keyof Row, digits = 0): string => median(rows.map((row) => row[name])).toFixed(digits);
    lines.push(
      `| ${history.toLocaleString("en")} | ${of("firstPaint")} | ${of("heap", 1)} | ${of("nodes")} | ${of("mainThread", 1)} | ${of("withKeys", 1)} | ${of("framesPerSecond")} | ${of("longestTask")} | ${of("delay")} | ${of("keyMedian")} / ${of("key")} |`,
    );
  }
  return lines;
}

const server = await serveBench();
const address = options.page.startsWith("http") ? options.page : `${server.address}/${options.page}`;
const lab = await PanelLab.start();
const turns = Number(options.turns ?? 0);
const lines = turns > 0 ? [await soak(lab, turns)] : [sizes(), "", ...(await table(lab))];
await lab.close();
server.close();
process.stdout.write(`${lines.join("\n")}\n`);
