import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { CDPSession, Page } from "playwright-core";
import { PanelProgram } from "./editors/page/panel-program.ts";
import { TheiaDriver } from "./editors/theia/theia.ts";
import { writeLauncher } from "./agents/agent.ts";
import { panelProgram } from "./agents/panel-agent.ts";
import type { ConversationPanel } from "./editors/vscode/conversation-panel.ts";
import { VsCodeDriver } from "./editors/vscode/vscode.ts";
import { findPackage } from "./editors/find-package.ts";
import { nodeBinary } from "./prerequisites/components.ts";
import { ensurePrerequisites } from "./prerequisites/prerequisites.ts";
import { createLab, type Lab } from "./support/lab.ts";
import { pause, poll } from "./support/poll.ts";
import { findProcesses } from "./support/processes.ts";

/**
 * Measures the conversation panel where it really runs: the packaged extension in code-server, Theia with Patchbay (`--editor theia`), or
 * `patchbay panel` with its page in a browser (`--editor page`), with a scripted agent. What the page costs by itself is measured by the
 * panel's own bench. On a quiet machine.
 */
const { values: options } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  options: {
    editor: { type: "string", default: "vscode" },
    turns: { type: "string", default: "200" },
    seconds: { type: "string", default: "10" },
    entries: { type: "string", default: "10000" },
    rounds: { type: "string", default: "7" },
  },
});

/** Where the agent's own script stands in the lab. */
const scriptName = "speaker.mjs";
const agentName = "Gemini CLI";

/** The process in which conversations are, by its command line. */
const hosts: Readonly<Record<string, RegExp>> = {
  vscode: /--type=extensionHost/u,
  theia: /lib\/backend\/main\.js/u,
  page: /\0panel\0.*--no-open/su,
};

async function measure(lab: Lab): Promise<void> {
  const script = join(import.meta.dirname, "agents", scriptName);
  await writeLauncher(panelProgram(lab, "gemini"), {}, [`exec ${nodeBinary()} ${script} "$@"`]);
  if (options.editor === "theia") await measureTheia(lab);
  else if (options.editor === "page") await measurePage(lab);
  else await measureCode(lab);
}

async function measureTheia(lab: Lab): Promise<void> {
  const theia = new TheiaDriver(findPackage("theia", ".tgz"));
  try {
    await theia.start(lab);
    const { page } = theia.workbench;
    await page.context().addInitScript(noteFrames, false);
    await unopened(lab.root, []);
    const panel = await theia.openPanel();
    await panel.begin(agentName);
    await streaming(lab.root, panel);
    await soak(lab.root, page, panel);
  } finally {
    await theia.stop();
  }
}

async function measurePage(lab: Lab): Promise<void> {
  const program = new PanelProgram();
  try {
    await program.start(lab);
    await unopened(lab.root, []);
    const panel = await program.open();
    const { page } = program;
    await page.context().addInitScript(noteFrames, true);
    await page.reload();
    await panel.waitUntilReady();
    await panel.begin(agentName);
    await streaming(lab.root, panel);
    await soak(lab.root, page, panel);
    await filled(panel);
    const times: number[] = [];
    for (let round = 0; round < Number(options.rounds); round += 1) {
      await page.reload();
      await panel.entries().first().waitFor();
      await pause(1500);
      times.push(await page.evaluate(() => Number(Reflect.get(globalThis, "panelDrawnAt")) - performance.timeOrigin));
    }
    say(`loaded anew with ${options.entries} entries`, ms(times));
  } finally {
    await program.stop();
  }
}

async function measureCode(lab: Lab): Promise<void> {
  const { root } = lab;
  const code = new VsCodeDriver(findPackage("vscode", ".vsix"));
  try {
    await code.start(lab);
    const { page } = code.workbench;
    const loaded: string[] = [];
    page.on("request", (request) => {
      if (/\/dist\/page\//u.test(request.url())) loaded.push(request.url());
    });
    await page.context().addInitScript(noteFrames, false);
    await page.evaluate(noteKeys);
    await unopened(root, loaded);
    const opened = await code.openPanel();
    await opened.begin(agentName);
    await streaming(root, opened);
    await soak(root, page, opened);
    await hiddenAndShown(page, opened);
  } finally {
    await code.stop();
  }
}

function say(what: string, figure: string): void {
  console.log(`${what}: ${figure}`);
}

const percentile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(numbers.length * share) - 1)] ?? Number.NaN;

const ms = (numbers: readonly number[]): string =>
  `median ${percentile(numbers, 0.5).toFixed(0)} ms, p95 ${percentile(numbers, 0.95).toFixed(0)} ms, most ${Math.max(...numbers).toFixed(0)} ms (${numbers.length})`;

/**
 * In every frame, and in the window itself where it is the page: when entries were first drawn, and how old the texts were that a frame showed. The agent writes the time into
 * what it says, and all clocks are the machine's own.
 */
function noteFrames(isWindowToo: boolean): void {
  const delays: number[] = [];
  Reflect.set(globalThis, "panelDelays", delays);
  let latest = 0;
  let isDrawn = false;
  const afterFrame = (callback: () => void): void => {
    requestAnimationFrame(() => setTimeout(callback));
  };
  const look = (): void => {
    const entries = document.querySelectorAll("#panel .log-content > .entry");
    if (entries.length === 0) return;
    if (!isDrawn) {
      isDrawn = true;
      afterFrame(() => Reflect.set(globalThis, "panelDrawnAt", Date.now()));
    }
    const text = entries[entries.length - 1]?.querySelector(".markdown")?.lastElementChild?.textContent ?? "";
    const times = Array.from(text.matchAll(/@(\d{13})/gu), ([, time]) => Number(time)).filter((time) => time > latest);
    if (times.length === 0) return;
    latest = Math.max(...times);
    afterFrame(() => delays.push(...times.map((time) => Date.now() - time)));
  };
  // The frame's document is written anew before it is the page's.
  const begin = (): void => {
    const root = document.querySelector("#panel");
    if (root === null) setTimeout(begin, 4);
    else new MutationObserver(look).observe(root, { subtree: true, childList: true, characterData: true });
  };
  if (isWindowToo || self !== top) begin();
}

/** In the window: when a key was pressed last. */
function noteKeys(): void {
  addEventListener("keydown", () => Reflect.set(globalThis, "pressedAt", Date.now()), true);
}

/** Seconds of a processor that a process has used. */
async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "latin1")).replace(/^.*\) /u, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident memory, MB. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "latin1");
  return Number(/^VmRSS:\s+(\d+)/mu.exec(status)?.[1] ?? Number.NaN) / 1000;
}

async function hostOf(root: string): Promise<number> {
  const [host] = await findProcesses(root, hosts[options.editor] ?? hosts["vscode"] ?? /^$/u);
  if (host === undefined) throw new Error("There is no host of conversations.");
  return host;
}

const agentsOf = async (root: string): Promise<number> => (await findProcesses(root, /speaker\.mjs/u)).length;

async function unopened(root: string, loaded: readonly string[]): Promise<void> {
  await pause(2000);
  say("unopened", `${await agentsOf(root)} processes, ${loaded.length} files of the page loaded`);
}

async function streaming(root: string, panel: ConversationPanel): Promise<void> {
  const host = await hostOf(root);
  const share = async (): Promise<readonly [number, number]> => [await cpuOf(host), Date.now()];
  const since = ([cpu, at]: readonly [number, number], [now, then]: readonly [number, number]): string =>
    `${(((now - cpu) / (then - at)) * 100_000).toFixed(1)} % of a core`;
  await panel.send("turn");
  await panel.waitUntilIdle();
  await pause(3000);
  const idle = await share();
  await pause(5000);
  say("host, idle", since(idle, await share()));
  await panel.send(`stream ${options.seconds}`);
  await panel.waitForText(/@\d{13}/u);
  await pause(1000);
  const before = await share();
  await pause((Number(options.seconds) - 3) * 1000);
  say("host, streaming at 100 chunks/s", since(before, await share()));
  await panel.waitUntilIdle();
  const delays: unknown = await panel.composer.evaluate(() => Reflect.get(globalThis, "panelDelays"));
  say("agent's write to screen", ms(Array.isArray(delays) ? delays.map(Number) : []));
}

/** The heap of the window's page with all frames in it, after a collection, MB. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
}

/** Turn after turn in one conversation. */
async function soak(root: string, page: Page, panel: ConversationPanel): Promise<void> {
  const host = await hostOf(root);
  const session = await page.context().newCDPSession(page);
  const turn = async (count: number): Promise<void> => {
    await panel.composer.fill(`turns ${count}`);
    await panel.composer.press("Enter");
    const isOver = async (): Promise<boolean> =>
      (await panel.entries("message").last().innerText()) === `Turn ${count} is over.`;
    await poll("the answer", isOver, { timeout: 60_000, describe: () => panel.text() });
    await panel.waitUntilIdle();
  };
  const turns = Number(options.turns);
  for (let index = 0; index < 30; index += 1) await turn(index);
  const [heap, memory, start] = [await heapOf(session), await memoryOf(host), Date.now()];
  for (let index = 30; index < 30 + turns; index += 1) await turn(index);
  const took = Math.round((Date.now() - start) / 1000);
  say(
    `after ${turns} more turns (${took} s)`,
    `window's heap ${((await heapOf(session)) - heap).toFixed(1)} MB more than ${heap.toFixed(0)} MB; host ${((await memoryOf(host)) - memory).toFixed(0)} MB more than ${memory.toFixed(0)} MB, resident`,
  );
  await session.detach();
}

/** As many entries as were asked for are in the conversation. */
async function filled(panel: ConversationPanel): Promise<void> {
  await panel.send(`fill ${options.entries}`);
  const start = Date.now();
  await poll("the end of the history", async () => (await panel.text()).includes("All is said."), {
    timeout: 120_000,
    describe: async () => (await panel.text()).slice(-600),
  });
  await panel.waitUntilIdle();
  say(`${options.entries} entries said and drawn`, `${Date.now() - start} ms`);
}

/** A conversation of so many entries is hidden with its side bar and shown again. */
async function hiddenAndShown(page: Page, panel: ConversationPanel): Promise<void> {
  await filled(panel);
  await panel.write("a draft");
  await panel.frame.locator(".log").hover();
  await page.mouse.wheel(0, -900);
  await pause(1500);
  const first = async (): Promise<string> =>
    await panel.frame.locator(".log").evaluate((log) => {
      const { top } = log.getBoundingClientRect();
      const entries = Array.from(log.querySelectorAll<HTMLElement>(".log-content > .entry"));
      const entry = entries.find((one) => one.getBoundingClientRect().bottom > top + 1);
      return `${entry?.dataset["place"]} at ${Math.round((entry?.getBoundingClientRect().top ?? 0) - top)}`;
    });
  const where = await first();
  const box = await page.locator("iframe.webview.ready").first().boundingBox();
  const toggle = (box?.x ?? 0) > 800 ? "Control+Alt+B" : "Control+B";
  const times: number[] = [];
  const kept: boolean[] = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    // The keys are the window's, not the page's.
    await page
      .locator(".part.titlebar")
      .click({ position: { x: 5, y: 5 }, force: true })
      .catch(() => undefined);
    await page.keyboard.press(toggle);
    await page
      .locator("iframe.webview.ready")
      .first()
      .waitFor({ state: "detached" })
      .catch(() => undefined);
    await pause(1500);
    await page.keyboard.press(toggle);
    await panel.entries().first().waitFor();
    await pause(1500);
    const shown = await panel.composer.evaluate(() => Number(Reflect.get(globalThis, "panelDrawnAt")));
    times.push(shown - (await page.evaluate(() => Number(Reflect.get(globalThis, "pressedAt")))));
    kept.push((await first()) === where && (await panel.composer.inputValue()) === "a draft");
  }
  say(`hidden to shown with ${options.entries} entries`, ms(times));
  say("place and draft as left", `${kept.filter(Boolean).length} of ${kept.length}`);
}

const lab = await createLab();
try {
  await ensurePrerequisites(options.editor === "page" ? [] : [options.editor], console.log);
  await measure(lab);
} finally {
  await lab.dispose();
}
