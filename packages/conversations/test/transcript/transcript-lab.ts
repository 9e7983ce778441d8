import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPrivateStorage, nullLogger } from "@patchbay/core";
import { createFakeClock, createTestPlatform, type FakeClock } from "@patchbay/testkit";
import { onTestFinished } from "vitest";
import type { Entry } from "../../src/model/entries.ts";
import { type LineFiles, nodeLineFiles } from "../../src/transcript/line-files.ts";
import type { About } from "../../src/transcript/line.ts";
import { Transcript } from "../../src/transcript/transcript.ts";

/** Files that count what is read of them, and fail when they are told to. */
export class CountedFiles implements LineFiles {
  readBytes = 0;
  /** Bytes that can still be written; a write that needs more leaves a part. */
  freeBytes: number = Number.POSITIVE_INFINITY;

  size(path: string): Promise<number | undefined> {
    return nodeLineFiles.size(path);
  }

  async read(path: string, start: number, end: number): Promise<Uint8Array> {
    const bytes = await nodeLineFiles.read(path, start, end);
    this.readBytes += bytes.length;
    return bytes;
  }

  async append(path: string, text: string): Promise<void> {
    const bytes = Buffer.byteLength(text);
    if (bytes > this.freeBytes) {
      await nodeLineFiles.append(path, text.slice(0, this.freeBytes));
      this.freeBytes = 0;
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    }
    this.freeBytes -= bytes;
    await nodeLineFiles.append(path, text);
  }

  truncate(path: string, size: number): Promise<void> {
    return nodeLineFiles.truncate(path, size);
  }

  replace(path: string, pieces: AsyncIterable<string>): Promise<number> {
    return nodeLineFiles.replace(path, pieces);
  }

  removeDirectory(path: string): Promise<void> {
    return nodeLineFiles.removeDirectory(path);
  }
}

export const message = (id: string, text: string, isComplete = true): Entry => ({
  kind: "message",
  id,
  at: 0,
  text,
  isComplete,
});

export const about: About = {
  id: "c1",
  agent: "claude",
  folder: "/w",
  at: 0,
  usedAt: 0,
  title: "A title",
  titleFrom: "user",
};

export interface TranscriptLab {
  readonly clock: FakeClock;
  readonly files: CountedFiles;
  readonly path: string;
  open(isOwn?: boolean): Promise<Transcript>;
}

export function makeTranscriptLab(): TranscriptLab {
  const clock = createFakeClock();
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-transcript-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const platform = createTestPlatform({ clock, root: directory });
  const files = new CountedFiles();
  const path = join(directory, "c1.ndjson");
  return {
    clock,
    files,
    path,
    open: (isOwn = true) =>
      Transcript.open({
        path,
        files,
        clock,
        logger: nullLogger,
        texts: createPrivateStorage({ platform, directory: join(directory, "c1.files"), logger: nullLogger }),
        isOwn,
      }),
  };
}
