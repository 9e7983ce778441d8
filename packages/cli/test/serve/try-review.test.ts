import { readdirSync } from "node:fs";
import { PassThrough } from "node:stream";
import { type Clock, createNodePlatform, toDisposable } from "@patchbay/core";
import { createTestPlatform, type TestPlatform } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServeCommand } from "../../src/command-line.ts";
import { serve } from "../../src/serve/serve.ts";
import { serveInTerminal } from "../../src/serve/serve-in-terminal.ts";
import { createPaint } from "../../src/terminal/paint.ts";

const command: ServeCommand = {
  kind: "serve",
  folder: "",
  demo: false,
  json: false,
  difftool: undefined,
  port: undefined,
  open: [],
  moreFolders: [],
  problems: false,
  reviews: undefined,
};

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

let platform: TestPlatform;
let input: PassThrough;
let output: PassThrough;
let written: string;
let abort: AbortController;
let running: Promise<void> | undefined;

beforeEach(() => {
  platform = createTestPlatform();
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
  running = undefined;
  platform.dispose();
});

function start(trial = false): void {
  running = serveInTerminal({
    command,
    folder: platform.workspace,
    platform: { ...platform, clock: patientClock() },
    signal: abort.signal,
    streams: { input, output },
    paint: createPaint(false),
    environment: {},
    others: [],
    suspend: () => {},
    onDidContinue: () => toDisposable(() => {}),
    trial,
  });
}

async function seen(part: string | RegExp): Promise<void> {
  await expect.poll(() => written, { timeout: 15_000 }).toMatch(part);
}

const left = (): readonly string[] => readdirSync(platform.tmp).filter((name) => name.startsWith("patchbay-try-"));

describe("a review without an agent", () => {
  it("is offered, explained, decided as any other, and followed by a choice", async () => {
    start();
    await seen("Type try for a review without an agent");
    input.write("try\n");
    await seen("No agent is running, and none of your files is touched.");
    await seen(/Patchbay wants to change sample\.js {2}\+3 -3/u);
    await seen("sample.js: [a]ccept [r]eject [p]atch");
    expect(left()).toHaveLength(1);
    input.write("a\n");
    await seen("An agent would now write what you accepted: 3 of its 3 changes.");
    await seen("What next?");
    await seen("patchbay run claude");
    expect(written).not.toContain("Patchbay writes");
    expect(left()).toEqual([]);
    written = "";
    input.write("try\n");
    await seen("[a]ccept [r]eject [p]atch");
    input.write("r\n");
    await seen("An agent would now write nothing, and know that you said no.");
    input.write("quit\n");
    await running;
  });

  it("can be the first thing, and is left at any time with nothing behind it", async () => {
    start(true);
    await seen("[a]ccept [r]eject [p]atch");
    input.write("q\n");
    await seen("Press q again to reject it and quit.");
    input.write("q\n");
    await running;
    expect(left()).toEqual([]);
    expect(written).not.toContain("What next?");
  });
});

describe("the demonstration in a terminal", () => {
  it("ends with a choice, and what is no answer is no", async () => {
    const terminal = { isTTY: true };
    const streams = { input: Object.assign(input, terminal), output: Object.assign(output, terminal) };
    const ended = serve({ ...command, folder: platform.workspace, demo: true }, streams);
    await seen("What next?");
    input.end();
    expect(await ended).toBe(0);
  });
});
