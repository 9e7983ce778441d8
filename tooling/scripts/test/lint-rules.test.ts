import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const repository = join(import.meta.dirname, "../../..");
const oxlint = join(dirname(createRequire(import.meta.url).resolve("oxlint/package.json")), "bin/oxlint");

const kept = {
  "a field that is there or not": "class A { #loading: Promise<string> | undefined; }",
  "a field that may be null": "class A { #loading: null | Promise<void> = null; }",
  "a field that is optional": "class A { loading?: Promise<string>; }",
  "a field that begins with its object": 'class A { readonly #engine = import("node:fs"); }',
  "a constant of the file": 'const engine = import("node:fs").then(String);',
  "a constant that the file exports": 'export const engine: Promise<unknown> = import("node:fs");',
  "an optional property of an object": "interface A { loading?: Promise<void> }",
  "a variable": "let loading: Promise<number> | undefined;",
  "a property of an object": "interface A { loading: Promise<void> | undefined }",
  "a map by key": "const engines: Map<string, Promise<string>> = new Map();",
  "a map of entries that hold one":
    "class A { readonly #engines: Map<string, { readonly engine: Promise<string> }> = new Map(); }",
  "a weak map": "const engines: WeakMap<object, Promise<string>> = new WeakMap();",
  "a record": "const engines: Record<string, Promise<string>> = {};",
  "an import, kept where there is none yet": 'let kept: unknown; kept ??= import("node:fs");',
  "a chain, kept where there is none yet": "let kept: unknown; kept ??= Promise.resolve(1).then(String);",
  "an async function that is called": "let kept: unknown; kept ||= (async () => 1)();",
  "several at once": "let kept: unknown; kept ??= Promise.all([]);",
};

const forgotten = {
  "a value that is there or not": "class A { #loaded: string | undefined; }",
  "a promise of one call":
    "async function f(): Promise<void> { const step: Promise<number> = g(); await step; } declare function g(): Promise<number>;",
  "a promise that is there from the beginning": "class A { #tail: Promise<void> = Promise.resolve(); }",
  "a tail that others hang on to": "const tail: Promise<void> = Promise.resolve();",
  "a promise that one call waits for":
    'async function f(): Promise<unknown> { const loading = import("node:fs"); return await loading; }',
  "a function that gives one": "interface A { read?: () => Promise<string>; close(): Promise<void> | undefined }",
  "what one has been given": "interface A { readonly shown: Promise<void> | undefined }",
  "a map of values": "const names: Map<string, string> = new Map();",
  "a map of what forgets":
    "class LoadOnce<T> { declare t: T } const engines: Map<string, LoadOnce<string>> = new Map();",
  "a value, kept where there is none yet": "let kept: number | undefined; kept ??= Number(1);",
};

/** Imports that would blur the picture of the house, each by the file in which it would stand; core's by its place in `src`. */
const crossed = {
  "a session imports an agent": ["session/one-agent.ts", 'import { gemini } from "../agents/gemini/agent.ts";'],
  "a session imports what an agent is made of, not as a type": [
    "session/agent-value.ts",
    'import { defineTool } from "../agents/tool.ts";',
  ],
  "the port holder imports files": ["port-holder/disk.ts", 'import { readFileSync } from "node:fs";'],
  "one agent imports another": ["agents/qwen/other.ts", 'export { geminiChecks } from "../gemini/behaviour.ts";'],
  "the endpoint imports the companion": [
    "endpoint/owner.ts",
    'import type { RunningCompanion } from "../companion/running-companion.ts";',
  ],
  "discovery imports diffs": ["discovery/diffs.ts", 'export const load = () => import("../diff/proposal.ts");'],
  "core imports an editor": ["context/editor.ts", 'import { window } from "vscode";'],
  "core imports another package": ["diff/testkit.ts", 'import { MemoryEditor } from "@patchbay/testkit";'],
  "a new agent imports another": ["agents/nova/other.ts", 'export { geminiChecks } from "../gemini/behaviour.ts";'],
  "one driver imports another": [
    "packages/testkit/src/agents/qwen/other.ts",
    'export { createGeminiDriver } from "../gemini/driver.ts";',
  ],
  "a driver imports the list of drivers": [
    "packages/testkit/src/agents/qwen/list.ts",
    'export { createAgentDriver } from "../drivers.ts";',
  ],
  "the editor in memory imports files": [
    "packages/testkit/src/editor/disk.ts",
    'import { readFileSync } from "node:fs";',
  ],
  "a review imports what serves": ["packages/cli/src/review/serve.ts", 'export { serve } from "../serve/serve.ts";'],
  "the doctor imports a review": [
    "packages/cli/src/doctor/review.ts",
    'import type { TerminalReview } from "../review/terminal-review.ts";',
  ],
  "a terminal imports a command": [
    "packages/cli/src/terminal/env.ts",
    'export { exportLines } from "../env/print-environment.ts";',
  ],
  "a command but the demonstration imports the testkit": [
    "packages/cli/src/env/drivers.ts",
    'import { createAgentDriver } from "@patchbay/testkit";',
  ],
  "the start of an edition imports what is loaded later": [
    "apps/vscode/src/views/register-views/tree.ts",
    'export { ConnectionsTree } from "../trees.ts";',
  ],
  "the start of an edition loads it by another door": [
    "apps/vscode/src/extension/door.ts",
    'export const load = () => import("../later.ts");',
  ],
  "a review imports a view": [
    "apps/vscode/src/diff/list.ts",
    'import type { ProposalsTree } from "../views/trees.ts";',
  ],
  "the words of a diagnosis import files": [
    "apps/vscode/src/diagnosis/disk.ts",
    'import { readFile } from "node:fs/promises";',
  ],
  "an edition imports the inside of core": [
    "apps/vscode/src/commands/catalogue.ts",
    'export { agents } from "../../../../packages/core/src/agents/catalogue.ts";',
  ],
  "a window imports what needs Node": [
    "apps/theia/src/browser/window/companion.ts",
    'import { createCompanion } from "@patchbay/core";',
  ],
  "a window imports the backend": [
    "apps/theia/src/browser/context/backend.ts",
    'import type { Workspaces } from "../../node/workspaces.ts";',
  ],
  "a review imports the commands": [
    "apps/theia/src/browser/review/commands.ts",
    'export { patchbayCommands } from "../contributions/patchbay-commands.ts";',
  ],
  "what watches editors imports a review": [
    "apps/theia/src/browser/context/review.ts",
    'export { ProposalEditors } from "../review/proposal-editors.ts";',
  ],
  "the backend imports the window": [
    "apps/theia/src/node/window.ts",
    'export { statusOf } from "../browser/surfaces/status-words.ts";',
  ],
  "what the contract runs outside of Theia imports Theia": [
    "apps/theia/src/node/buffers.ts",
    'export { BinaryBuffer } from "@theia/core/lib/common/buffer";',
  ],
  "what both sides know imports Node": ["apps/theia/src/common/disk.ts", 'import { readFileSync } from "node:fs";'],
  "a review in Vim imports the host": [
    "apps/coc-nvim/src/diff/host.ts",
    'import type { VimHost } from "../host/vim-host.ts";',
  ],
  "the host in Vim imports a command": [
    "apps/coc-nvim/src/host/command.ts",
    'export { proposalLabel } from "../commands/reviews.ts";',
  ],
  "the door to Vim imports what goes through it": [
    "apps/coc-nvim/src/vim/review.ts",
    'export { VimDiffs } from "../diff/vim-diffs.ts";',
  ],
  "coc is asked for itself below the first files": [
    "apps/coc-nvim/src/commands/coc.ts",
    'import { window } from "coc.nvim";',
  ],
  "a file stands in no room": ["attic/one.ts", 'import { Emitter } from "../support/emitter.ts";'],
} as const;

/** Imports as they are meant. */
const held = {
  "a session imports the types of agents": ["session/types.ts", 'import type { Dialect } from "../agents/dialect.ts";'],
  "an agent imports its family": ["agents/qwen/family.ts", 'import { ideInfoOf } from "../gemini-family/records.ts";'],
  "a new agent imports its family": [
    "agents/nova/family.ts",
    'import { ideInfoOf } from "../gemini-family/records.ts";',
  ],
  "the catalogue imports a new agent": ["agents/catalogue.ts", 'export { nova } from "./nova/agent.ts";'],
  "a new driver imports its family": [
    "packages/testkit/src/agents/nova/driver.ts",
    'export { CompanionSpecDriver } from "../gemini-family/driver.ts";',
  ],
  "a command imports the terminal": [
    "packages/cli/src/env/escaped.ts",
    'export { escapeLine } from "../terminal/escape-text.ts";',
  ],
  "the start of an edition imports types of what is loaded later": [
    "apps/vscode/src/diff/lazy-reviews/types.ts",
    'import type { Reviews } from "../register-reviews.ts";',
  ],
  "what is loaded later imports the start's names": [
    "apps/vscode/src/commands/names.ts",
    'export { runCommandOf } from "../contributions.mts";',
  ],
  "a window imports the catalogue of agents": [
    "apps/theia/src/browser/contributions/agents.ts",
    'export { agents } from "@patchbay/core/agents";',
  ],
  "a window imports types of core": [
    "apps/theia/src/browser/review/types.ts",
    'import type { DiffRequest } from "@patchbay/core";',
  ],
  "an edition imports its own version": [
    "apps/coc-nvim/src/extension/version.ts",
    'export { version } from "../../package.json";',
  ],
  "the endpoint imports Node": ["endpoint/node.ts", 'import { createServer } from "node:http";'],
  "what Node looks like is given": ["port-holder/given.ts", 'export type Files = typeof import("node:fs");'],
} as const;

let folder = "";
let reported: ReadonlySet<string>;
let unreleased: ReadonlySet<string>;
let arrows: ReadonlySet<string>;
let circles: ReadonlySet<string>;

const placeOf = (path: string): string => (/^(?:apps|packages)\//u.test(path) ? path : `packages/core/src/${path}`);

const fileOf = (kind: string, title: string): string => `${kind}-${title.replaceAll(/\W/gu, "-")}.ts`;

/** The files that each rule reports, each by its path. */
async function lint(): Promise<(rule: string) => ReadonlySet<string>> {
  const args = [oxlint, "--format", "unix", "packages", "apps", "tooling"];
  // It ends with a failure where it reports.
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
  return (rule) => {
    const lines = said.split("\n").filter((line) => line.includes(`(${rule})`));
    return new Set(lines.map((line) => line.slice(0, line.indexOf(":"))));
  };
}

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-lint-")));
  for (const path of [".oxlintrc.json", "tooling/scripts/lint-rules.mjs", "tooling/scripts/house.mjs"]) {
    cpSync(join(repository, path), join(folder, path));
  }
  const write = (path: string, code: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `export {};\n${code}\n`);
  };
  for (const [title, code] of Object.entries(kept)) write(`packages/core/src/${fileOf("kept", title)}`, code);
  for (const [title, code] of Object.entries(forgotten)) write(`packages/core/src/${fileOf("forgotten", title)}`, code);
  for (const where of ["packages/cli/src/serve", "apps/theia/src/node", "apps/vscode/src", "packages/core/test"]) {
    write(`${where}/one.ts`, kept["a variable"]);
  }
  const reason = "// oxlint-disable-next-line patchbay/no-kept-promise -- It is forgotten when it ends.\n";
  write("packages/core/src/said.ts", reason + kept["a variable"]);
  for (const [path, code] of [...Object.values(crossed), ...Object.values(held)]) {
    write(placeOf(path), code);
  }
  for (const [title, code] of Object.entries(listening)) write(`packages/core/src/${fileOf("listening", title)}`, code);
  for (const [title, code] of Object.entries(lettingGo)) write(`packages/core/src/${fileOf("letting", title)}`, code);
  write("packages/cli/src/hen.ts", 'import type { Egg } from "./egg.ts";\nexport interface Hen { readonly egg: Egg }');
  write("packages/cli/src/egg.ts", 'import type { Hen } from "./hen.ts";\nexport interface Egg { readonly hen: Hen }');
  const said = await lint();
  reported = said("no-kept-promise");
  unreleased = said("let-go-of-signals");
  arrows = said("arrows");
  circles = said("no-cycle");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What listens to a signal for ever. */
const listening: Readonly<Record<string, string>> = {
  "a listener": `export const a = (s: AbortSignal): void => s.addEventListener("abort", () => {}, { once: true });`,
  "a listener of a signal that may be there": `export const a = (s?: AbortSignal): void => s?.addEventListener("abort", () => {});`,
  "a handler": `export const a = (s: AbortSignal): void => { s.onabort = () => {}; };`,
  "what is dropped": `import { onAbort } from "./x.ts";\nexport function a(s: AbortSignal): void { onAbort(s, () => {}); }`,
};

const lettingGo: Readonly<Record<string, string>> = {
  "what is disposed of": `import { onAbort } from "./x.ts";\nexport function a(s: AbortSignal): void { onAbort(s, () => {}).dispose(); }`,
  "another event": `export const a = (t: EventTarget): void => t.addEventListener("close", () => {});`,
};

describe("the rule for listeners of signals", () => {
  it.each(Object.keys(listening))("reports %s", (title) => {
    expect(unreleased).toContain(`packages/core/src/${fileOf("listening", title)}`);
  });

  it.each(Object.keys(lettingGo))("does not report %s", (title) => {
    expect(unreleased).not.toContain(`packages/core/src/${fileOf("letting", title)}`);
  });
});

describe("the rule against kept promises", () => {
  it.each(Object.keys(kept))("reports %s", (title) => {
    expect(reported).toContain(`packages/core/src/${fileOf("kept", title)}`);
  });

  it.each(Object.keys(forgotten))("does not report %s", (title) => {
    expect(reported).not.toContain(`packages/core/src/${fileOf("forgotten", title)}`);
  });

  it("holds in every package and edition, and not in tests", () => {
    const elsewhere = Array.from(reported).filter((path) => path.endsWith("/one.ts"));
    expect(elsewhere.toSorted()).toEqual([
      "apps/theia/src/node/one.ts",
      "apps/vscode/src/one.ts",
      "packages/cli/src/serve/one.ts",
    ]);
  });

  it("is silent where somebody says why a failure cannot stay", () => {
    expect(reported).not.toContain("packages/core/src/said.ts");
  });
});

describe("the picture of the house", () => {
  it.each(Object.entries(crossed))("does not let be that %s", (_title, [path]) => {
    expect(arrows).toContain(placeOf(path));
  });

  it.each(Object.entries(held))("lets be that %s", (_title, [path]) => {
    expect(arrows).not.toContain(placeOf(path));
  });

  it("has no circles, of types either", () => {
    expect(Array.from(circles).toSorted()).toEqual(["packages/cli/src/egg.ts", "packages/cli/src/hen.ts"]);
  });
});
