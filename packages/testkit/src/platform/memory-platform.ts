import type { Platform, Random } from "@patchbay/core";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";
import { createFakeProcess, type FakeProcess, type FakeProcessOptions } from "./fake-process.ts";
import { createFakeRandom } from "./fake-random.ts";
import { MemoryFiles } from "./memory-files.ts";

export interface MemoryPlatformOptions extends FakeProcessOptions {
  /** Unix milliseconds at which the clock stands. */
  readonly now?: number;
  /** Makes the random texts. */
  readonly seed?: string;
}

/** A machine in memory: each part has its own controls. */
export interface MemoryPlatform extends Platform {
  readonly clock: FakeClock;
  readonly random: Random;
  readonly files: MemoryFiles;
  readonly process: FakeProcess;
}

/** A machine with a home and a temporary directory and nothing in them. */
export function createMemoryPlatform(options: MemoryPlatformOptions = {}): MemoryPlatform {
  const clock = createFakeClock(options.now);
  const process = createFakeProcess(options);
  const files = new MemoryFiles({ clock, uid: process.uid, directories: [process.homeDirectory] });
  files.addDirectory(process.temporaryDirectory, { uid: 0, mode: 0o1777 });
  return { clock, random: createFakeRandom(options.seed), files, process };
}
