import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nullLogger } from "@patchbay/core";
import { LazyReviews } from "../../src/diff/lazy-reviews.ts";
import { originalUri, proposalUri } from "../../src/diff/proposal-uri.ts";
import { WorkspaceSettings } from "../../src/settings.ts";
import { settle } from "../controls.ts";
import { openFakeWindow } from "../fake-vscode/index.ts";
import { Uri } from "../fake-vscode/uri.ts";
import type { FakeWorkbench } from "../fake-vscode/workbench.ts";

let bench: FakeWorkbench;
let finishRestoring: () => void;
let handedOver: string[];
let parts: { dispose(): unknown }[];

beforeEach(() => {
  bench = openFakeWindow();
  bench.folders = ["/ws"];
  handedOver = [];
  parts = [];
  const restored = new Promise<void>((resolve) => {
    finishRestoring = resolve;
  });
  const settings = new WorkspaceSettings();
  parts.push(settings);
  const handOver = async (text: string): Promise<void> => {
    handedOver.push(text);
  };
  const reviews = new LazyReviews({
    settings,
    logger: nullLogger,
    restored,
    sessions: () => undefined,
    handOver,
    own: (part) => parts.push(part),
  });
  expect(reviews.views).toBeUndefined();
});

afterEach(() => {
  for (const part of parts) part.dispose();
});

/** A tab as VS Code restores it: nothing has been read for it yet. */
async function restoreTab(id: string): Promise<Uri> {
  const path = join("/ws", "one.txt");
  const [original, modified] = [originalUri(id, path), proposalUri(id, path)].map(({ scheme, path: shown, query }) =>
    Uri.from({ scheme, path: shown, query }),
  );
  if (original === undefined || modified === undefined) throw new Error("no URIs");
  await bench.showDiff(original, modified, "one.txt ↔ Gemini CLI", 1, true, true);
  return modified;
}

describe("a tab that no proposal claims", () => {
  it("stays while proposals of the earlier run may still come, and goes then", async () => {
    await restoreTab("old");
    await settle();
    expect(bench.tabs.length).toBe(1);
    finishRestoring();
    await expect.poll(() => bench.tabs).toEqual([]);
    expect(bench.closingQuestions).toBe(0);
  });

  it("goes at once when it comes later", async () => {
    finishRestoring();
    await restoreTab("reopened");
    await expect.poll(() => bench.tabs).toEqual([]);
  });

  it("hands over what was typed into it", async () => {
    const uri = await restoreTab("old");
    await bench.sources.get(uri.scheme)?.write?.(uri, new TextEncoder().encode("typed\n"));
    bench.edit(await bench.openDocument(uri), "typed more\n");
    finishRestoring();
    await expect.poll(() => bench.tabs).toEqual([]);
    expect(handedOver).toEqual(["typed more\n"]);
    expect(bench.closingQuestions).toBe(0);
  });
});
