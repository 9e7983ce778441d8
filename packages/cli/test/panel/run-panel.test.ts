import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createCompanion, createNodePlatform, Emitter, type Platform } from "@patchbay/core";
import { browserFor, type PagePanel } from "@patchbay/panel/server";
import { createMemoryEditor, PuppetAgent, shownMode } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runPanel, type RunPanelOptions } from "../../src/panel/run-panel.ts";

let root: string;
let folder: string;
let variables: Record<string, string>;
let opened: { readonly program: string; readonly path: string; readonly text: string; readonly mode: number }[];
const running: { readonly end: AbortController; readonly code: Promise<number> }[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "patchbay-run-panel-")));
  folder = join(root, "work");
  mkdirSync(folder);
  mkdirSync(join(root, "page"));
  writeFileSync(join(root, "page", "panel.js"), "");
  const [state, config] = [join(root, "state"), join(root, "config")];
  variables = { XDG_STATE_HOME: state, XDG_CONFIG_HOME: config, LOCALAPPDATA: state, APPDATA: config };
  opened = [];
});

afterEach(async () => {
  for (const { end, code } of running.splice(0)) {
    end.abort();
    await code;
  }
  rmSync(root, { recursive: true, force: true });
});

function ownPlatform(): Platform {
  const real = createNodePlatform();
  const facts = { homeDirectory: root, temporaryDirectory: root, environment: (name: string) => variables[name] };
  return { ...real, process: { ...real.process, ...facts } };
}

interface Started {
  readonly lines: string[];
  readonly code: Promise<number>;
  readonly panel: () => PagePanel | undefined;
  end(): void;
}

function start(command: Partial<RunPanelOptions["command"]> = {}): Started {
  const lines: string[] = [];
  const end = new AbortController();
  const platform = ownPlatform();
  let panel: PagePanel | undefined;
  const code = runPanel({
    command: { kind: "panel", folder, open: false, port: undefined, agent: undefined, ...command },
    platform,
    pageDirectory: join(root, "page"),
    locale: "en",
    print: (line) => lines.push(line),
    tell: (line) => lines.push(`! ${line}`),
    open: async ({ program }, path) => {
      opened.push({ program, path, text: readFileSync(path, "utf8"), mode: statSync(path).mode & 0o777 });
      return true;
    },
    signal: end.signal,
    onDidStart: (one) => (panel = one),
  });
  running.push({ end, code });
  return { lines, code, panel: () => panel, end: () => end.abort() };
}

const linkIn = (lines: readonly string[]): string | undefined =>
  lines.map((line) => /http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}/u.exec(line)?.[0]).find((one) => one !== undefined);

describe("patchbay panel", () => {
  it("prints a link, and ends its agents with the user's signal", async () => {
    const agent = await PuppetAgent.create(root);
    mkdirSync(join(root, "config", "patchbay"), { recursive: true });
    const agents = { [agent.id]: { name: agent.name, program: agent.program } };
    writeFileSync(join(root, "config", "patchbay", "panel.json"), JSON.stringify({ agents }));
    const one = start();
    await expect.poll(() => linkIn(one.lines)).toBeDefined();
    await expect.poll(() => one.lines.at(-1)).toBe("Ctrl-C ends it and its agents.");
    // The agent of the settings counts as one that is installed.
    expect(one.lines.join("\n")).not.toContain("Install");
    const conversation = await one.panel()?.panels.library.create(agent.id, folder);
    await conversation?.conversation.wake();
    await expect.poll(() => agent.running).toBe(1);
    one.end();
    expect(await one.code).toBe(0);
    await expect.poll(() => agent.running).toBe(0);
    await agent.dispose();
  });

  it("does not start where what it keeps would lie behind a link, and says so", async () => {
    mkdirSync(join(root, "state"), { mode: 0o700 });
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(root, "state", "patchbay"));
    const one = start();
    running.pop();
    await expect(one.code).rejects.toThrow(`${join(root, "state", "patchbay")} is a symbolic link`);
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  });

  it("reads no settings where a relative variable leads", async () => {
    variables = { ...variables, XDG_CONFIG_HOME: "config", APPDATA: "config" };
    mkdirSync(join(folder, "config", "patchbay"), { recursive: true });
    writeFileSync(join(folder, "config", "patchbay", "panel.json"), "{");
    const before = process.cwd();
    process.chdir(folder);
    try {
      const one = start();
      await expect.poll(() => linkIn(one.lines)).toBeDefined();
      one.end();
      expect(await one.code).toBe(0);
    } finally {
      process.chdir(before);
    }
  });

  it("gives a new link of the panel that runs for the folder, and starts no second one", async () => {
    const first = start();
    await expect.poll(() => linkIn(first.lines)).toBeDefined();
    await expect.poll(() => existsSync(join(root, "state", "patchbay", "panel"))).toBe(true);
    await expect.poll(() => first.panel()).toBeDefined();
    const second = start();
    expect(await second.code).toBe(0);
    const [one, other] = [linkIn(first.lines) ?? "", linkIn(second.lines) ?? ""];
    expect(other.split("#")[0]).toBe(one.split("#")[0]);
    expect(other).not.toBe(one);
    expect(second.panel()).toBeUndefined();
  });

  it("keeps its port for the next time, and what it writes down to the user", async () => {
    const first = start();
    await expect.poll(() => first.panel()).toBeDefined();
    const port = first.panel()?.port;
    first.end();
    await first.code;
    const second = start();
    await expect.poll(() => second.panel()?.port).toBe(port);
    const place = join(root, "state", "patchbay", "panel");
    const [name = ""] = readdirSync(place);
    expect(statSync(join(place, name)).mode & 0o777).toBe(shownMode(0o700));
    for (const file of readdirSync(join(place, name), { withFileTypes: true })) {
      if (file.isFile()) expect(statSync(join(place, name, file.name)).mode & 0o777).toBe(shownMode(0o600));
    }
  });

  it("hands the link to the browser in a private file, which others cannot read as they can what a program is started with", async () => {
    variables["DISPLAY"] = ":0";
    const one = start({ open: true });
    await expect.poll(() => opened).toHaveLength(1);
    const [{ program, path, text, mode } = { program: "", path: "", text: "", mode: 0 }] = opened;
    expect(program).toBe(browserFor(ownPlatform().process)?.program);
    expect(mode).toBe(shownMode(0o600));
    expect(path).not.toContain("#");
    expect(text).toContain(linkIn(one.lines) ?? "?");
    one.end();
    await one.code;
    expect(existsSync(path)).toBe(false);
  });

  it("says how to get an agent where there is none", async () => {
    variables["PATH"] = "";
    const one = start();
    await expect.poll(() => one.lines.at(-1)).toBe("Ctrl-C ends it and its agents.");
    const isFound = (await one.panel()?.panels.foundAgents())?.some(({ isInstalled }) => isInstalled);
    expect(one.lines.some((line) => line.startsWith("No agent was found"))).toBe(isFound === false);
  });

  it("shows its pages what is selected in the editor that has the folder open, and nothing once that has ended", async () => {
    const file = join(folder, "shop.ts");
    writeFileSync(file, "one\ntwo\nthree\n");
    const editor = createMemoryEditor({ folders: [folder], storageDirectory: join(root, "editor") });
    const companion = createCompanion({ host: editor, platform: ownPlatform() });
    await companion.start();
    const one = start();
    await expect.poll(() => one.panel()).toBeDefined();
    // The list of conversations comes when it has been read from the disk, before or after what is selected.
    const selections: unknown[] = [];
    const fromPage = new Emitter<unknown>();
    const post = async (message: { readonly type: string }): Promise<boolean> => {
      if (message.type === "selection") selections.push(message);
      return true;
    };
    one.panel()?.panels.connect({ post, onMessage: fromPage.event });
    fromPage.fire({ type: "ready" });
    editor.openFile(file, "one\ntwo\nthree\n");
    editor.select({ start: { line: 1, character: 0 }, end: { line: 2, character: 5 } });
    const lines = { start: 2, end: 3 };
    const block = { type: "excerpt", title: "shop.ts 2–3", path: file, lines, text: "two\nthree" };
    await expect.poll(() => selections.at(-1), { timeout: 10_000 }).toEqual({ type: "selection", block });
    await companion.stop();
    await expect.poll(() => selections.at(-1)).toEqual({ type: "selection" });
  });

  it("ends where nothing can be kept, and leaves nothing that listens", async () => {
    const listening = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
    const before = listening();
    writeFileSync(join(root, "state"), "in the way");
    const started = start();
    await expect(started.code.finally(() => running.pop())).rejects.toThrow("cannot be used");
    await expect.poll(listening).toBe(before);
  });

  it("says so where the page was not built", async () => {
    rmSync(join(root, "page", "panel.js"));
    await expect(start().code.finally(() => running.pop())).rejects.toThrow("build");
  });

  it("refuses a folder that is none, and settings that cannot be read", async () => {
    await expect(start({ folder: join(root, "nowhere") }).code.finally(() => running.pop())).rejects.toThrow(
      "Folder not found",
    );
    mkdirSync(join(root, "config", "patchbay"), { recursive: true });
    writeFileSync(join(root, "config", "patchbay", "panel.json"), "{");
    await expect(start().code.finally(() => running.pop())).rejects.toThrow("is not valid JSON");
  });
});

it.each([
  ["linux", {}, undefined],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, "xdg-open"],
  ["linux", { BROWSER: "w3m" }, "xdg-open"],
  ["darwin", {}, "open"],
  ["darwin", { SSH_CONNECTION: "1 2 3 4" }, undefined],
  ["win32", {}, "rundll32"],
])("on %s with %j the browser is opened by %s", (platform, set: Record<string, string>, program) => {
  expect(browserFor({ platform, environment: (name) => set[name] })?.program).toBe(program);
});
