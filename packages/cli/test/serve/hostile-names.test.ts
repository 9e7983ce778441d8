import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { type Clock, createNodePlatform, toDisposable } from "@patchbay/core";
import {
  createClaudeDriver,
  createGeminiDriver,
  createQwenDriver,
  createTestPlatform,
  type TestPlatform,
} from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServeCommand } from "../../src/command-line.ts";
import { serveAsJson } from "../../src/serve/serve-as-json.ts";
import { serveInTerminal } from "../../src/serve/serve-in-terminal.ts";
import { createPaint } from "../../src/terminal/paint.ts";

/** What a name, a version or a text could try: clear the screen, set the title, ring, colour, reorder, hide. */
const evil = "x\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\u200b\u3164\u{e0101}";
/** What the terminal must never get: control characters (but for newline and tab), and characters that reorder or hide. */
const speaking =
  // oxlint-disable-next-line no-control-regex -- these are the characters to be found
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u3164]|[\u{e0000}-\u{e0fff}]/u;
// oxlint-disable-next-line no-control-regex -- the program's own colours
const colours = /\u001b\[(?:0|1|2|31|32|36)m/gu;

let platform: TestPlatform;
let folder: string;
let written: string;
let input: PassThrough;
let output: PassThrough;
let abort: AbortController;
let running: Promise<void>;

function where(): { cwd: string; home: string; temporaryDirectory: string; version: string } {
  return { cwd: folder, home: platform.home, temporaryDirectory: platform.tmp, version: evil };
}

async function seen(part: string | RegExp): Promise<void> {
  await expect.poll(() => written, { timeout: 15_000 }).toMatch(part);
}

/** Enters a line, and waits for one more of what it brings. */
async function enter(line: string, then: string): Promise<void> {
  const before = written.split(then).length;
  input.write(`${line}\n`);
  await expect.poll(() => written.split(then).length, { timeout: 15_000 }).toBeGreaterThan(before);
}

/** Whenever it is asked, two seconds have passed: no answer comes too soon after its question. */
function patientClock(): Clock {
  let asked = 0;
  return {
    ...createNodePlatform().clock,
    monotonic: () => {
      asked += 1;
      return asked * 2000;
    },
  };
}

const command: ServeCommand = {
  kind: "serve",
  folder: "",
  demo: false,
  json: false,
  difftool: undefined,
  port: undefined,
  open: [`${evil}.txt:1-2`, `none${evil}`],
  moreFolders: [],
  problems: false,
  reviews: undefined,
};

beforeEach(() => {
  platform = createTestPlatform({ clock: patientClock() });
  folder = join(platform.workspace, evil);
  mkdirSync(folder);
  mkdirSync(join(platform.root, "outside"));
  writeFileSync(join(folder, `${evil}.txt`), `one ${evil}\ntwo\nthree\n`);
  abort = new AbortController();
  input = new PassThrough();
  output = new PassThrough();
  written = "";
  output.on("data", (chunk) => {
    written += String(chunk);
  });
});

afterEach(async () => {
  abort.abort();
  await running;
  platform.dispose();
});

describe.skipIf(process.platform === "win32")("names that speak to a terminal", () => {
  it("are only shown, in everything that `serve` prints", async () => {
    running = serveInTerminal({
      command,
      folder,
      platform,
      signal: abort.signal,
      streams: { input, output },
      paint: createPaint(true),
      environment: { EDITOR: "printf mine >" },
      others: [`Code ${evil} (port 7)`],
      suspend: () => {},
      onDidContinue: () => toDisposable(() => {}),
    });
    await seen("patchbay > ");
    await seen("File not found: none");
    const gemini = createGeminiDriver(where());
    const qwen = createQwenDriver(where());
    // A header of its handshake takes no such version.
    const claude = createClaudeDriver({ ...where(), version: "1" });
    for (const agent of [gemini, qwen, claude]) await agent.connect();
    await seen(/(?:has connected[^]*){3}/u);
    for (const line of [`dance${evil}`, `open ${evil}.txt:1`, `open ${evil}`, `open ${evil}.txt:99`, `close ${evil}`]) {
      input.write(`${line}\n`);
    }
    input.write(`mention ${evil}.txt\nsessions\nproposals\nreview ${evil}\nkept ${evil}\nkept show ${evil}\nhelp\n`);
    await seen("agent's prompt");
    await seen("end Patchbay");
    const path = join(folder, `${evil}.txt`);
    // A change that is seen whole, edited, and loses its agent; another one that is superseded.
    const first = gemini.propose({ path, text: `${evil}\n` });
    await seen(/Gemini CLI.* wants to change/u);
    await enter("help", "accept: Gemini CLI writes");
    await enter("v", "wants to change");
    qwen.propose({ path: join(folder, `new${evil}.txt`), text: `${evil}\n` });
    await seen("2 proposals are waiting");
    input.write("proposals\n");
    await enter("e", "with your edits");
    await first.decideInTerminal("reject");
    // Whoever answers before the next question is asked answers nothing.
    await seen(/'s terminal[^]*\[a\]ccept/u);
    await enter("r", "Rejected");
    claude.propose({ path, text: `${evil}\n` });
    await seen("Claude Code wants to change");
    await enter("e", "with your edits");
    await claude.end();
    await seen("Claude Code 1 has disconnected");
    await enter("kept", "kept show <number>");
    await enter("kept show 1", "mine");
    await enter("kept save 1", "Your text was saved to");
    gemini.propose({ path: join(platform.root, "outside", `${evil}.txt`), text: evil });
    await seen("outside this workspace");
    await enter("1", "wants to create");
    await enter("r", "Rejected");
    for (const agent of [gemini, qwen]) await agent.end();
    expect(written).toContain("\\e[2J");
    expect(
      written
        .replace(colours, "")
        .split("\n")
        .filter((line) => speaking.test(line)),
    ).toEqual([]);
  });

  it("are escaped in the JSON for programs, and mean the same there", async () => {
    running = serveAsJson({ command, folder, platform, input, output, signal: abort.signal });
    await seen('"listening"');
    const gemini = createGeminiDriver(where());
    await gemini.connect();
    gemini.propose({ path: join(folder, `${evil}.txt`), text: `${evil}\n` });
    await seen('"proposal"');
    input.write(
      `${evil}\n{"command":"accept","id":${JSON.stringify(evil)}}\n{"command":"open","file":${JSON.stringify(evil)}}\n`,
    );
    await seen("File not found: x");
    await gemini.end();
    expect(written.split("\n").filter((line) => speaking.test(line))).toEqual([]);
    const events = written
      .split("\n")
      .filter(Boolean)
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(events.find(({ event }) => event === "proposal")).toMatchObject({ text: `${evil}\n` });
  });
});
