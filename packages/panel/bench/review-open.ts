import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright-core";
import type { ReviewInfo } from "../src/messages/index.ts";
import { PanelLab } from "../test/browser/panel-lab.ts";
import { serveBench } from "./serve.ts";

/**
 * Measures how a review of a large file opens in a page in Chromium: the longest task, how long the page was busy, and when the review was
 * there. `--kilobytes 1000`, `--rounds 5`; `--dist …/dist` measures another build; `--profile` says where the time goes.
 */
const { values: options } = parseArgs({
  options: {
    kilobytes: { type: "string", default: "1000" },
    rounds: { type: "string", default: "5" },
    dist: { type: "string" },
    profile: { type: "boolean", default: false },
  },
});

interface Opening {
  /** All of more than 50 ms, as browsers report them, ms. */
  readonly tasks: readonly number[];
  readonly longest: number;
  readonly busy: number;
  readonly shown: number;
}

const line = "const value = someFunction(withArguments, andMore, 12345);";
const before = Array.from(
  { length: Math.round((Number(options.kilobytes) * 1000) / (line.length + 10)) },
  (_, index) => `${line} // ${index}\n`,
).join("");
const after = before.replaceAll(/\/\/ (\d*00)\n/gu, "// changed $1\n");

/** Every task of the main thread, not only the long ones, in the thread's own time: what else the machine does is not counted. */
async function tasksOf(session: CDPSession, work: () => Promise<void>): Promise<readonly number[]> {
  const found: number[] = [];
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value) {
      const { name, dur, tdur } = Object.assign({ name: "", dur: 0, tdur: undefined }, event);
      if (name === "RunTask") found.push(Number(tdur ?? dur) / 1000);
    }
  });
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["devtools.timeline", "toplevel", "disabled-by-default-devtools.timeline"] },
  });
  await work();
  const over = new Promise<void>((resolve) => session.once("Tracing.tracingComplete", () => resolve()));
  await session.send("Tracing.end");
  await over;
  return found;
}

/** Where the script's own time went, the most first. */
async function profileOf(session: CDPSession, work: () => Promise<void>): Promise<readonly string[]> {
  await session.send("Profiler.enable");
  await session.send("Profiler.setSamplingInterval", { interval: 100 });
  await session.send("Profiler.start");
  await work();
  const { profile } = await session.send("Profiler.stop");
  const self = new Map<string, number>();
  const names = new Map(
    profile.nodes.map(({ id, callFrame }) => [
      id,
      `${callFrame.functionName} ${callFrame.url.split("/").at(-1) ?? ""}:${callFrame.lineNumber}:${callFrame.columnNumber}`,
    ]),
  );
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const name = names.get(id) ?? "";
    self.set(name, (self.get(name) ?? 0) + (profile.timeDeltas?.[index] ?? 0) / 1000);
  }
  return Array.from(self)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 45)
    .map(([name, ms]) => `${ms.toFixed(1).padStart(8)} ms  ${name}`);
}

async function open(
  lab: PanelLab,
  address: string,
): Promise<{ readonly opening: Opening; readonly profile: readonly string[] }> {
  const { page } = await lab.open({ isAnyAddressAllowed: true, width: 1_200 });
  // No request takes the way through the test's own process.
  await page.unrouteAll();
  await page.goto(`${address}/?history=10`);
  await page.locator("textarea").waitFor();
  // What draws reviews is loaded with the first one: what it costs to read that is not measured.
  await page.evaluate(
    ({ first }) => panelHost.say({ type: "review", about: { type: "reviews", reviews: [first], unwritten: [] } }),
    {
      first: info,
    },
  );
  await page.locator(".waiting-reviews button").waitFor();
  // What it costs to hand the text over is no part of it.
  await page.evaluate((text) => Reflect.set(globalThis, "reviewText", text), reviewText);
  await page.waitForTimeout(1_000);
  const session = await page.context().newCDPSession(page);
  let shown = 0;
  const work = async (): Promise<void> => {
    shown = await shownAfter(page);
    await page.waitForTimeout(2_000);
  };
  const profile = options.profile ? await profileOf(session, work) : [];
  const tasks = options.profile ? [] : await tasksOf(session, work);
  await page.context().close();
  const longest = Math.max(0, ...tasks);
  const busy = tasks.reduce((sum, task) => sum + task, 0);
  return { opening: { tasks: tasks.filter((task) => task > 50), longest, busy, shown }, profile };
}

const info: ReviewInfo = {
  id: "large",
  agentName: "Claude Code",
  path: "/home/me/shop/src/cart/cart.ts",
  kind: "change",
  standing: "unchanged",
  isUnsaved: false,
  isReadOnly: false,
  isAgentPresent: true,
  isDecidedInTerminal: false,
  readsReasons: true,
  decided: 0,
};

const reviewText = JSON.stringify({
  type: "review",
  about: { type: "review", id: "large", revision: 1, left: before, right: after, cause: "asked", isRevealed: true },
});

/** From the message to the frame with the first hunk, ms. The message is parsed in the page, as where it comes over a socket. */
async function shownAfter(page: Page): Promise<number> {
  return await page.evaluate(
    async () =>
      await new Promise<number>((resolve) => {
        const start = performance.now();
        const observer = new MutationObserver(() => {
          if (document.querySelector(".review-row.differs") === null) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
        });
        observer.observe(document.body, { subtree: true, childList: true });
        setTimeout(() => {
          const data: unknown = JSON.parse(String(Reflect.get(globalThis, "reviewText")));
          dispatchEvent(new MessageEvent("message", { data }));
        });
      }),
  );
}

const server = await serveBench(options.dist);
const lab = await PanelLab.start();
const lines: string[] = [];
for (let round = 0; round < Number(options.rounds); round += 1) {
  // oxlint-disable-next-line no-await-in-loop -- one at a time, or they disturb each other
  const { opening, profile } = await open(lab, server.address);
  const { longest, busy, shown, tasks } = opening;
  lines.push(
    ...(options.profile
      ? profile
      : [
          `longest task ${longest.toFixed(0)} ms, busy ${busy.toFixed(0)} ms, first hunk after ${shown.toFixed(0)} ms, tasks of more than 50 ms: ${tasks.map((task) => task.toFixed(0)).join(", ") || "none"}`,
        ]),
  );
}
await lab.close();
server.close();
process.stdout.write(`${lines.join("\n")}\n`);
