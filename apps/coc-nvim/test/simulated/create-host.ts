import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLogger } from "@patchbay/core";
import { createFakeClock, type FakeClock } from "@patchbay/testkit";
import { readEditorFacts } from "../../src/host/editor-facts.ts";
import { createIdentity, createVimHost, type VimHost } from "../../src/host/vim-host.ts";
import { readSettings } from "../../src/settings.ts";
import { SimulatedVim } from "./simulated-vim.ts";

/** A host in front of a simulated Vim, with a folder of its own on the disk. */
export interface HostUnderTest {
  readonly folder: string;
  readonly vim: SimulatedVim;
  readonly parts: VimHost;
  readonly clock: FakeClock;
  /** Values of `patchbay.*` by their names below it. */
  readonly settings: Map<string, unknown>;
  dispose(): void;
}

export function createHostUnderTest(): HostUnderTest {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-coc-")));
  const vim = new SimulatedVim(folder);
  const settings = new Map<string, unknown>();
  const clock = createFakeClock();
  const facts = readEditorFacts({ pid: 4321, nvim: 0, version: "9.0.2142", cwd: folder, buffers: [], current: {} });
  const parts = createVimHost({
    vim,
    coc: vim.coc,
    clock,
    logger: nullLogger,
    settings: () => readSettings((name) => settings.get(name)),
    facts,
    identity: createIdentity(facts, 4320, "1.2.3", "/tmp"),
    storageDirectory: undefined,
  });
  vim.onTell = (kind, subject, detail) => parts.report(kind, subject, detail);
  return {
    folder,
    vim,
    parts,
    clock,
    settings,
    dispose: () => {
      parts.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
