import { type Disposable, onAbort, type Platform } from "@patchbay/core";
import { safeJson, terminalSafe } from "../terminal/escape-text.ts";
import { fitStart } from "../terminal/layout.ts";
import { readStatus, sessionLine, type Status, statusForPrograms, statusLines } from "./print-status.ts";

/** How often it is looked, ms. */
const lookMs = 1_000;

/** The longest that Node can wait, ms. */
const longestMs = 2 ** 31 - 1;

export interface WatchRequest {
  readonly platform: Platform;
  readonly json: boolean;
  readonly output: {
    write(text: string): unknown;
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  /** Aborted when the user has seen enough. */
  readonly signal: AbortSignal;
}

/** `patchbay status --watch`: resolves with the exit code, once the user ends it. In place on a terminal, elsewhere a line for each change. */
export async function watchStatus({ platform, json, output, signal }: WatchRequest): Promise<number> {
  const draw = json ? drawJson(output) : output.isTTY === true ? drawInPlace(output) : drawLines(output);
  // The platform's timers keep no process alive.
  const alive = setInterval(() => undefined, longestMs);
  try {
    while (!signal.aborted) {
      const status = await readStatus(platform);
      if (isOver(signal)) break;
      draw(status, platform.clock.now());
      await nextLook(platform, signal);
    }
  } finally {
    clearInterval(alive);
  }
  return 0;
}

async function nextLook({ clock }: Platform, signal: AbortSignal): Promise<void> {
  let following: Disposable | undefined;
  await new Promise<void>((resolve) => {
    const timer = clock.setTimeout(resolve, lookMs);
    following = onAbort(signal, () => {
      timer.dispose();
      resolve();
    });
  });
  following?.dispose();
}

type Draw = (status: Status, now: number) => void;

function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Each line cut at the terminal's edge, so that what is drawn over is as high as it was. */
function drawInPlace(output: WatchRequest["output"]): Draw {
  let height = 0;
  return (status, now) => {
    const { columns = 80, rows = 24 } = output;
    const lines = statusLines(status, now)
      .slice(0, rows - 1)
      .map((line) => fitStart(terminalSafe(line), columns - 1));
    const up = height === 0 ? "" : `\u001b[${height}A`;
    output.write(`${up}\r\u001b[J${lines.map((line) => `${line}\n`).join("")}`);
    height = lines.length;
  };
}

/** A line for what has changed, by the session. */
function drawLines(output: WatchRequest["output"]): Draw {
  let known: ReadonlyMap<string, string> = new Map();
  return ({ editors, sessions }, now) => {
    const lines = new Map(sessions.map((one) => [`${one.port} ${one.id}`, sessionLine(one, editors)]));
    const time = new Date(now).toISOString();
    for (const [id, line] of lines) if (known.get(id) !== line) output.write(`${time} ${terminalSafe(line)}\n`);
    for (const [id, line] of known) if (!lines.has(id)) output.write(`${time} ${terminalSafe(line)}: gone\n`);
    known = lines;
  };
}

/** One JSON value a line, whenever anything has changed. */
function drawJson(output: WatchRequest["output"]): Draw {
  let known = "";
  return (status) => {
    const line = safeJson(statusForPrograms(status));
    if (line !== known) output.write(`${line}\n`);
    known = line;
  };
}
