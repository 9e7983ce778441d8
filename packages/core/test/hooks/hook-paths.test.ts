import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { ToolArguments } from "../../src/agents/hook.ts";
import { BeyondLab, type HookedAgent, toldByAgent, type Worker, writers } from "./agent-writers.ts";
import { createHookLab, type HookLab } from "./hook-lab.ts";

const agents: readonly HookedAgent[] = ["claude", "gemini", "qwen", "codex", "pi", "opencode"];

/** The tool that writes a whole file. */
function writing(
  agent: HookedAgent,
  path: string,
  content: string,
): { readonly tool: string; readonly input: ToolArguments } {
  if (agent === "codex") {
    const lines = ["*** Begin Patch", `*** Add File: ${path}`, `+${content.trimEnd()}`, "*** End Patch"];
    return { tool: "apply_patch", input: { command: lines.join("\n") } };
  }
  if (agent === "pi") return { tool: "write", input: { path, content } };
  if (agent === "opencode") return { tool: "write", input: { filePath: path, content } };
  return { tool: agent === "claude" ? "Write" : "write_file", input: { file_path: path, content } };
}

/** Where a form of a path leads from; `file` is a name in `base`. */
interface Named {
  readonly base: string;
  readonly file: string;
  readonly worker: Worker;
}

/** Each way to name a file that was found, and those that are like them. */
const forms: Readonly<Record<string, (named: Named) => string>> = {
  plain: ({ base, file }) => `${base}/${file}`,
  "double slash": ({ base, file }) => `/${base}/${file}`,
  "many slashes": ({ base, file }) => `//${base}///${file}`,
  dot: ({ base, file }) => `${base}/./${file}`,
  "dot at the end": ({ base, file }) => `${base}/${file}/.`,
  "dot dot": ({ base, file }) => `${base}/dir/../${file}`,
  "dot dot from nowhere": ({ base, file }) => `${base}/missing/../${file}`,
  "dot dot behind a file": ({ base, file }) => `${base}/plain.txt/../${file}`,
  "dot dot above the root": ({ base, file }) => `/../..${base}/${file}`,
  "through a link out": ({ base, file }) => `${base}/link-out/${file}`,
  "back from a link out": ({ base, file }) => `${base}/link-out/../${file}`,
  "through a link in": ({ base, file }) => `${base}/link-in/${file}`,
  "back from a link in": ({ base, file }) => `${base}/link-in/../${file}`,
  "trailing slash": ({ base, file }) => `${base}/${file}/`,
  "a link that dangles": ({ base }) => `${base}/dangling`,
  "a link that dangles outside": ({ base }) => `${base}/dangling-out`,
  "a link that dangles, with `..`": ({ base }) => `${base}/link-in/dangling-up`,
  "a link to a file": ({ base }) => `${base}/link-file`,
  "a link to a link, with `..` behind a link": ({ base }) => `${base}/link-odd`,
  "links in a circle": ({ base }) => `${base}/circle`,
  "a directory": ({ base }) => `${base}/dir`,
  case: ({ base, file }) => `${base}/${file.toUpperCase()}`,
  "/proc/self/cwd": ({ file }) => `/proc/self/cwd/${file}`,
  "/proc/thread-self/cwd": ({ file }) => `/proc/thread-self/cwd/${file}`,
  "/proc/self/root": ({ base, file }) => `/proc/self/root${base}/${file}`,
  "a link to /dev/fd": ({ base, file }) => `${base}/link-fd/../cwd/${file}`,
  "a link to /proc/self/cwd": ({ base, file }) => `${base}/link-proc/${file}`,
  relative: ({ file }) => file,
  "relative with dots": ({ file }) => `./dir/../${file}`,
  "relative to another directory": ({ file }) => `../workspace/${file}`,
  NUL: ({ base, file }) => `${base}/${file}\0`,
  newline: ({ base, file }) => `${base}/${file}\nx`,
  "very long name": ({ base }) => `${base}/${"n".repeat(300)}`,
  "very long name in a new folder": ({ base }) => `${base}/missing-too/${"n".repeat(300)}`,
  "very long": ({ base, file }) => `${base}/${"./".repeat(2_100)}${file}`,
  "very long and deep": ({ base, file }) => `${base}/${"d/".repeat(2_100)}${file}`,
  "~": ({ file }) => `~/${file}`,
  "~ alone": () => "~",
  spaces: ({ base, file }) => ` ${base}/${file} `,
  "percent signs": ({ base, file }) => `${base}/${file.replace(".", "%2e")}`,
  "percent signs for dots and slashes": ({ base, file }) => `${base}/dir%2f%2e%2e%2f${file}`,
  "percent signs twice": ({ base, file }) => `${base}/${file.replace(".", "%252e")}`,
  "percent signs for nothing": ({ base, file }) => `${base}/%zz${file}`,
  "a mention": ({ file }) => `@${file}`,
  "a mention of a folder": ({ file }) => `@dir/${file}`,
  "a mention of the whole": ({ base, file }) => `@${base}/${file}`,
  "file:": ({ base, file }) => `file://${base}/${file}`,
  backslashes: ({ base, file }) => `${base}\\${file}`,
  "escapes of a shell": ({ base, file }) => `${base}/\\ ${file}`,
  quotes: ({ base, file }) => `"${base}/${file}"`,
  "composed otherwise": ({ base, file }) => `${base}/e\u0301${file}`,
};

/** A folder that is open, another that is not, and everything that misleads in both. */
function layOut({ platform }: HookLab): { readonly workspace: string; readonly outside: string } {
  const { workspace, root } = platform;
  const outside = join(root, "outside");
  mkdirSync(outside);
  for (const base of [workspace, outside]) {
    mkdirSync(join(base, "dir", "deep"), { recursive: true });
    mkdirSync(join(outside, "beside", "deeper"), { recursive: true });
    for (const name of ["plain.txt", "old.txt", "dir/old.txt"]) writeFileSync(join(base, name), "old\n");
    symlinkSync(join(outside, "beside", "deeper"), join(base, "link-out"));
    symlinkSync("dir/deep", join(base, "link-in"));
    symlinkSync("target.txt", join(base, "dangling"));
    symlinkSync(join(outside, "target-out.txt"), join(base, "dangling-out"));
    symlinkSync("../../target-up.txt", join(base, "dir", "deep", "dangling-up"));
    symlinkSync("plain.txt", join(base, "link-file"));
    symlinkSync("link-in/../odd.txt", join(base, "link-odd"));
    symlinkSync("circle", join(base, "circle"));
    symlinkSync("/proc/self/cwd", join(base, "link-proc"));
    symlinkSync("/dev/fd", join(base, "link-fd"));
  }
  return { workspace, outside };
}

/** Every file below a folder that holds this text; links are not followed. */
function holding(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return holding(path, text);
    return entry.isFile() && textOf(path) === text ? [path] : [];
  });
}

/** Of what the companion keeps, files come and go. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (Reflect.get(Object(error), "code") === "ENOENT") return undefined;
    throw error;
  }
}

/** What became of a write: `-`: the agent itself refuses. */
type Outcome = "reviewed" | "denied" | "outside" | "-";

/** Has an agent write, as far as its hook lets it, and sees which file that was. Fails where one of the workspace was not reviewed. */
async function write(lab: HookLab, agent: HookedAgent, path: string, worker: Worker, text: string): Promise<Outcome> {
  const { editor, platform, ask } = lab;
  const told = toldByAgent(agent, path, worker);
  if (told === undefined) return "-";
  const mode = agent === "claude" ? "bypassPermissions" : agent === "qwen" ? "yolo" : undefined;
  const saidBefore = editor.shownMessages.length;
  const answer = ask(agent, {
    ...writing(agent, told, text),
    cwd: worker.cwd,
    ...(mode === undefined ? {} : { mode }),
  });
  const view = await Promise.race([answer.then(() => undefined), editor.nextView()]);
  view?.accept();
  const said = (await answer) ?? "";
  if (/"(?:decision|kind|permissionDecision)":"deny"/u.test(said)) {
    expect(said, path.slice(0, 200)).toMatch(/Nothing was written/u);
    expect(view).toBeUndefined();
    return "denied";
  }
  try {
    writers[agent](told, text, worker);
  } catch (error) {
    if (error instanceof BeyondLab) throw error;
    return "-";
  }
  const written = holding(platform.root, text);
  expect(written, path.slice(0, 200)).toHaveLength(1);
  const [file = ""] = written;
  if (view === undefined) {
    expect(file.startsWith(`${platform.workspace}/`), `${agent} wrote ${file} for ${path.slice(0, 200)}`).toBe(false);
    // The user hears of it where the name was that of a file of the workspace.
    const isNamedInside = told.startsWith(`${platform.workspace}/`) || !told.startsWith("/");
    const named = editor.shownMessages.map(({ message }) => message.values["path"]);
    // Once for each file: it may have been before.
    if (isNamedInside) expect(named, path.slice(0, 200)).toContain(file);
    else expect(named.slice(saidBefore), path.slice(0, 200)).not.toContain(file);
    return "outside";
  }
  expect(realpathSync(view.request.path), path.slice(0, 200)).toBe(file);
  return "reviewed";
}

/** What cannot be told, or is no file. Of what the agents themselves refuse, some is. */
const deniedToAll: readonly string[] = [
  "links in a circle",
  "/proc/self/cwd",
  "/proc/thread-self/cwd",
  "/proc/self/root",
  "a link to /proc/self/cwd",
  "very long name",
  "very long name in a new folder",
  "very long and deep",
];

const denied: Readonly<Record<HookedAgent, readonly string[]>> = {
  claude: deniedToAll,
  // Decoded once for the look and once more for the write; `~` is a folder by then.
  gemini: [...deniedToAll, "percent signs twice", "~ alone"],
  qwen: [
    ...deniedToAll,
    "a link to /dev/fd",
    "dot at the end",
    "dot dot behind a file",
    "trailing slash",
    "NUL",
    "relative",
    "relative with dots",
    "relative to another directory",
    "~",
    "~ alone",
    "a mention",
    "a mention of a folder",
    "a mention of the whole",
    "file:",
    "quotes",
  ],
  copilot: deniedToAll,
  // With a line more it is no patch; `~` is a folder by then.
  codex: [...deniedToAll, "newline", "NUL", "~ alone"],
  // `~` is a folder by then.
  opencode: [
    ...deniedToAll,
    "~ alone",
    "a link to /dev/fd",
    "dot at the end",
    "dot dot behind a file",
    "trailing slash",
    "NUL",
  ],
  pi: [...deniedToAll, "a link to /dev/fd", "dot at the end", "dot dot behind a file", "trailing slash", "NUL"],
};

describe.skipIf(process.platform === "win32")("a file that an agent names", () => {
  it.each(agents.flatMap((agent) => (["new.txt", "old.txt", "outside"] as const).map((which) => ({ agent, which }))))(
    "in any form is reviewed, denied with a reason, or outside: $agent, $which",
    async ({ agent, which }) => {
      const lab = await createHookLab();
      const { workspace, outside } = layOut(lab);
      const worker = { cwd: workspace, home: lab.platform.home, root: lab.platform.root };
      const found: [string, Outcome][] = [];
      for (const [name, form] of Object.entries(forms)) {
        const file = which === "outside" ? "new.txt" : which;
        const path = form({ base: which === "outside" ? outside : workspace, file, worker });
        const text = `text of ${name}\n`;
        found.push([name, await write(lab, agent, path, worker, text)]);
        for (const written of holding(lab.platform.root, text)) {
          if (which === "old.txt") writeFileSync(written, "old\n");
          else unlinkSync(written);
        }
      }
      const no = found.flatMap(([name, outcome]) => (outcome === "denied" ? [name] : []));
      const expected = [...denied[agent], ...(which === "outside" ? [] : ["a directory"])];
      expect(no.toSorted()).toEqual(expected.toSorted());
    },
  );

  it("outside is told of by the name that looks like one of the workspace, also where another name came first", async () => {
    const lab = await createHookLab();
    const { workspace, outside } = layOut(lab);
    const { editor, platform } = lab;
    const worker = { cwd: workspace, home: platform.home, root: platform.root };
    expect(await write(lab, "claude", join(outside, "beside", "deeper", "new.txt"), worker, "first\n")).toBe("outside");
    expect(editor.shownMessages).toEqual([]);
    expect(await write(lab, "claude", join(workspace, "link-out", "new.txt"), worker, "second\n")).toBe("outside");
    expect(editor.shownMessages).toHaveLength(1);
  });

  it.each(agents)("in any mixture of forms, too: %s", async (agent) => {
    const lab = await createHookLab();
    const { workspace, outside } = layOut(lab);
    const { home, root } = lab.platform;
    const part = fc.constantFrom(
      ...["", ".", "..", "dir", "deep", "link-in", "link-out", "link-odd", "link-file", "link-proc", "dangling"].concat(
        ["dangling-up", "dangling-out", "missing", "plain.txt", "new.txt", "%2e%2e", "d%69r", "%2f", "@dir", "~", "\\"],
        [" "],
      ),
    );
    const start = fc.constantFrom(
      `${workspace}/`,
      `${outside}/`,
      "",
      "@",
      "/",
      `/${workspace}/`,
      "./",
      "../workspace/",
    );
    let count = 0;
    await fc.assert(
      fc.asyncProperty(start, fc.array(part, { minLength: 1, maxLength: 7 }), async (first, parts) => {
        count += 1;
        const text = `mixture ${count}\n`;
        try {
          await write(lab, agent, first + parts.join("/"), { cwd: workspace, home, root }, text);
        } catch (error) {
          // Above the lab nothing is written.
          if (!(error instanceof BeyondLab)) throw error;
        }
        for (const written of holding(root, text)) {
          if (written.endsWith("plain.txt")) writeFileSync(written, "old\n");
          else unlinkSync(written);
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each(agents)("which a link names that is changed during the review is not written by %s", async (agent) => {
    const lab = await createHookLab();
    const { workspace, outside } = layOut(lab);
    symlinkSync("dir", join(workspace, "link"));
    const told = join(workspace, "link", "new.txt");
    const answer = lab.ask(agent, writing(agent, told, "x\n"));
    const view = await lab.editor.nextView();
    unlinkSync(join(workspace, "link"));
    symlinkSync(outside, join(workspace, "link"));
    view.accept();
    expect(await answer).toMatch(/"deny".*to another file than the one they saw/u);
  });

  it("through another name of the folder is a file of the folder", async () => {
    const lab = await createHookLab();
    const { workspace, root } = lab.platform;
    const second = join(root, "second");
    const { lstat, realPath } = lab.platform.files;
    // As a folder that is mounted a second time.
    const inFirst = (path: string): string => (path.startsWith(second) ? workspace + path.slice(second.length) : path);
    vi.spyOn(lab.platform.files, "lstat").mockImplementation((path) => lstat(inFirst(path)));
    vi.spyOn(lab.platform.files, "realPath").mockImplementation(async (path) => {
      const real = await realPath(inFirst(path));
      return path.startsWith(second) ? real?.replace(workspace, second) : real;
    });
    const answer = lab.ask("qwen", {
      tool: "write_file",
      input: { file_path: join(second, "new.txt"), content: "x\n" },
    });
    const view = await lab.editor.nextView();
    expect(view.request.path).toBe(join(second, "new.txt"));
    view.accept();
    expect(await answer).toContain('"allow"');
  });

  it.each(["never", "asks-itself"])("in no form is denied where the user's policy is %j", async (policy) => {
    const lab = await createHookLab();
    lab.companion.updateSettings({ sharing: true, reviews: { claude: policy } });
    const input = { file_path: "/proc/self/cwd/new.txt", content: "x\n" };
    expect(await lab.ask("claude", { tool: "Write", input })).toBeUndefined();
  });

  it("by a relative path for an edit of Gemini CLI's, which looks for it elsewhere, is denied unless it is there", async () => {
    const lab = await createHookLab();
    layOut(lab);
    const replace = (path: string): Promise<string | undefined> =>
      lab.ask("gemini", { tool: "replace", input: { file_path: path, old_string: "old", new_string: "new" } });
    expect(await replace("deep/unknown.txt")).toMatch(/"deny".*no such file/u);
    const answer = replace("@dir/old.txt");
    const view = await lab.editor.nextView();
    expect(view.request.path).toBe(join(lab.platform.workspace, "dir", "old.txt"));
    view.closeByUser();
    await answer;
  });

  it("in no form costs the editor time", async () => {
    const lab = await createHookLab();
    const long = `${lab.platform.workspace}/${"d/".repeat(1_900)}f`;
    for (const agent of agents) {
      const began = performance.now();
      const answer = lab.ask(agent, writing(agent, long, `${agent}\n`));
      const view = await lab.editor.nextView();
      expect(performance.now() - began).toBeLessThan(2_000);
      view.closeByUser();
      await answer;
    }
  });
});
