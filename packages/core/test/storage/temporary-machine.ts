import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { DiscoveryRecord } from "../../src/agents/dialect.ts";
import { createNodePlatform } from "../../src/platform/node.ts";
import type { Files, Platform, ProcessFacts } from "../../src/platform/platform.ts";
import { formatLogLine, type LogFields, type Logger } from "../../src/support/logger.ts";

/** The real machine with a home and a temporary directory of its own, removed when the test ends. */
export interface TemporaryMachine {
  readonly platform: Platform;
  readonly home: string;
  readonly tmp: string;
  /** Every line logged, with its level. */
  readonly lines: readonly string[];
  readonly logger: Logger;
}

export function makeTemporaryMachine(
  overrides: { readonly files?: Partial<Files>; readonly process?: Partial<ProcessFacts> } = {},
): TemporaryMachine {
  const root = mkdtempSync(join(tmpdir(), "patchbay-discovery-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, tmp] = [join(root, "home"), join(root, "tmp")];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(tmp, { mode: 0o700 });
  const node = createNodePlatform();
  const platform: Platform = {
    ...node,
    files: { ...node.files, ...overrides.files },
    process: { ...node.process, homeDirectory: home, temporaryDirectory: tmp, ...overrides.process },
  };
  const lines: string[] = [];
  const log =
    (level: string) =>
    (message: string, fields?: LogFields): void =>
      void lines.push(`${level}: ${formatLogLine(message, fields)}`);
  const logger: Logger = { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
  return { platform, home, tmp, lines, logger };
}

/** A record as the Gemini dialect places it. */
export function recordIn(root: string, values: Partial<DiscoveryRecord> = {}): DiscoveryRecord {
  return {
    root,
    directories: ["gemini", "ide"],
    fileName: "gemini-ide-server-1-2.json",
    content: JSON.stringify({ port: 2, authToken: "secret" }),
    ...values,
  };
}

/** Why a test that needs other users' files is skipped, or undefined. */
export const isRoot: boolean = process.getuid?.() === 0;
