import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { englishTexts } from "@patchbay/languages";
import { createGeminiDriver } from "@patchbay/testkit";
import { useTexts } from "@patchbay/languages/spoken";
import { Position } from "../fake-vscode/ranges.ts";
import { Uri } from "../fake-vscode/uri.ts";
import type { FakeWebviewPlace } from "../fake-vscode/webviews.ts";
import type { FakeWorkbench } from "../fake-vscode/workbench.ts";
import { writeNova } from "./nova.ts";
import { heard, openIn, PanelWindow, ready } from "./panel-window.ts";

let window: PanelWindow;
let bench: FakeWorkbench;
let folder: string;

beforeEach(async () => {
  window = new PanelWindow();
  ({ bench, folder } = window);
  await window.activate();
});

afterEach(async () => {
  useTexts(englishTexts);
  await window.end();
});

function write(name: string, text = "one\n"): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe("the panel", () => {
  it("is a page of its own, which runs nothing but its script and loads nothing from elsewhere", async () => {
    await window.run("patchbay.panel.open");
    const { webview } = await window.view();
    expect(webview.html).toContain("default-src &#39;none&#39;");
    expect(webview.html).toContain("require-trusted-types-for");
    expect(webview.html).not.toContain("unsafe");
    expect(webview.options.localResourceRoots?.map(String)).toEqual([
      Uri.file(join(window.root, "extension", "dist", "page")).toString(),
    ]);
  });

  it("adds an agent that has answered to the user's settings, beside those that are there", async () => {
    const own = { other: { program: "other" } };
    bench.configure("patchbay.panel.agents", own);
    const program = writeNova(window.programs);
    await window.run("patchbay.panel.open");
    const { webview } = await window.view();
    bench.typed = `"${program}" --acp`;
    webview.say({ type: "add-agent" });
    await expect.poll(() => bench.inputs.length).toBe(1);
    bench.typed = "Nova by me";
    await expect.poll(() => bench.inputs.length, { timeout: 10_000 }).toBe(2);
    expect(bench.inputs[1]).toMatchObject({ title: "It answered: nova", value: "nova" });
    expect(bench.notes).toContain(`Waiting for "${program}" --acp to answer…`);
    const added = { name: "Nova by me", program, args: ["--acp"] };
    await expect.poll(() => bench.configuration.get("patchbay.panel.agents")).toEqual({ ...own, "nova-by-me": added });
  });

  it("adds what did not answer only if the user says so, having read why", async () => {
    const program = join(window.programs, "broken");
    writeFileSync(program, "#!/bin/sh\necho 'no such flag' >&2\nexit 2\n", { mode: 0o755 });
    await window.run("patchbay.panel.open");
    const { webview } = await window.view();
    bench.typed = program;
    for (const [answer, isAdded] of [
      [undefined, false],
      ["Add Anyway", true],
    ] as const) {
      bench.answerNext(() => answer);
      const before = bench.shown.length;
      webview.say({ type: "add-agent" });
      await expect.poll(() => bench.shown.length, { timeout: 10_000 }).toBe(before + 1);
      expect(bench.shown.at(-1)).toMatchObject({ modal: true, detail: expect.stringContaining("no such flag") });
      await expect.poll(() => bench.configuration.has("patchbay.panel.agents")).toBe(isAdded);
    }
  });

  it("keeps nothing and starts nothing before it is opened", async () => {
    expect(bench.webviews.views.size).toBe(0);
    expect(readdirSync(join(window.root, "storage"))).not.toContain("conversations");
    expect(bench.statusItems.has("patchbay.panel.status")).toBe(false);
  });

  it("opens where the settings want it, and one side bar has it at a time", async () => {
    expect(bench.contexts.get("patchbay.secondarySideBar")).toBe(true);
    bench.configure("patchbay.panel.place", "secondarySideBar");
    await window.run("patchbay.panel.open");
    expect(Array.from(bench.webviews.views.keys())).toEqual(["patchbay.panelSecondary"]);
    bench.configure("patchbay.panel.place", "tab");
    await window.run("patchbay.panel.open");
    expect(bench.webviews.tabs).toHaveLength(1);
    await window.run("patchbay.panel.open");
    expect(bench.webviews.tabs).toHaveLength(1);
  });

  it("goes on with its conversation in the other side bar", async () => {
    const { view, id } = await window.converse("claude");
    bench.configure("patchbay.panel.place", "secondarySideBar");
    view.dispose();
    await window.run("patchbay.panel.open");
    const other = bench.webviews.views.get("patchbay.panelSecondary");
    // It was there before, with another one.
    other?.webview.say({ type: "ready", conversation: "an-earlier-one" });
    await expect.poll(() => other && openIn(other)).toBe(id);
  });

  it("goes from the editor to the page and back, and gives no page the keyboard by itself", async () => {
    await window.run("patchbay.panel.open");
    const { webview } = await window.view();
    expect(webview.told("command")).toEqual([{ type: "command", command: "focus" }]);
    webview.say({ type: "focus", hasFocus: true, isInQuestion: false });
    expect(bench.contexts.get("patchbay.panelFocused")).toBe(true);
    await window.run("patchbay.panel.open");
    expect(bench.executed.at(-1)).toBe("workbench.action.focusActiveEditorGroup");
    expect(webview.told("command")).toHaveLength(1);
  });

  it("loses the keyboard with its page when it is hidden", async () => {
    await window.run("patchbay.panel.open");
    const view = await window.view();
    view.webview.say({ type: "focus", hasFocus: true, isInQuestion: false });
    view.show(false);
    expect(bench.contexts.get("patchbay.panelFocused")).toBe(false);
  });

  it("begins a conversation with what is installed, in the page or in a tab of its own", async () => {
    await window.run("patchbay.panel.newConversation");
    const view = await window.view();
    expect(heard(view)).toContain('"agent":"claude"');
    await window.run("patchbay.panel.newTab");
    const [tab] = bench.webviews.tabs;
    if (tab === undefined) throw new Error("no tab");
    await ready(tab);
    expect(openIn(tab)).toBeDefined();
    expect(openIn(tab)).not.toBe(openIn(view));
    expect(tab.iconPath).toBeInstanceOf(Uri);
  });

  it("brings a tab of an earlier run back with what it showed", async () => {
    const { view, id } = await window.converse("claude");
    view.webview.say({
      type: "draft",
      conversation: id,
      draft: { blocks: [{ type: "text", text: "Half" }], caret: 4 },
    });
    const tab = await bench.webviews.restoreTab("patchbay.panel");
    tab.webview.say({ type: "ready", conversation: id });
    await expect.poll(() => openIn(tab)).toBe(id);
    expect(heard(tab)).toContain("Half");
  });

  it("follows the fonts of the editor's chat and its own settings", async () => {
    bench.configure("chat.fontFamily", "default");
    await window.run("patchbay.panel.open");
    const view = await window.view();
    expect(JSON.stringify(view.webview.told("hello")[0])).not.toContain("fontFamily");
    bench.configure("chat.fontFamily", "Fira Sans");
    bench.configure("chat.fontSize", 15);
    bench.configure("patchbay.panel.sendWith", "ctrl-enter");
    expect(view.webview.told("settings").at(-1)).toMatchObject({
      settings: { fontFamily: "Fira Sans", fontSize: 15, sendWith: "ctrl-enter" },
    });
  });
});

describe("a workspace of several folders", () => {
  const folderOf = ({ webview }: FakeWebviewPlace): unknown =>
    webview
      .told("conversation")
      .map((one) => Reflect.get(Object(Reflect.get(one, "open")), "folder"))
      .at(-1);

  it("has a new conversation in the folder of the active file; without one the user picks", async () => {
    const docs = join(window.root, "docs");
    mkdirSync(docs);
    const inDocs = join(docs, "guide.md");
    writeFileSync(inDocs, "# Guide\n");
    bench.folders = [folder, docs];
    await window.run("patchbay.panel.open");
    const view = await window.view();
    await ready(view);
    bench.chosen = folder;
    view.webview.say({ type: "new-conversation", agent: "claude" });
    await expect.poll(() => folderOf(view)).toBe(folder);
    const pick = { placeHolder: "Choose the folder that the agent works in" };
    expect(bench.inputs).toEqual([pick]);
    await bench.showFile(Uri.file(inDocs));
    view.webview.say({ type: "new-conversation", agent: "claude" });
    await expect.poll(() => folderOf(view)).toBe(docs);
    expect(bench.inputs).toEqual([pick]);
  });
});

describe("a workspace that nobody trusts", () => {
  it("is said in one line, no program is looked for or started, and trust needs no restart", async () => {
    bench.trusted = false;
    await window.run("patchbay.panel.open");
    const view = await window.view();
    expect(JSON.stringify(view.webview.told("hello")[0])).toContain("This workspace is not trusted");
    view.webview.say({ type: "new-conversation", agent: "claude" });
    await expect.poll(() => openIn(view)).toBeDefined();
    const send = { type: "send", conversation: openIn(view) ?? "", blocks: [{ type: "text", text: "Go" }] };
    view.webview.say(send);
    await expect.poll(() => heard(view)).toMatch(/"kind":"ended","reason":"This workspace is not trusted/u);
    // By now it would have been looked for.
    expect(heard(view)).not.toContain('"isInstalled":true');
    bench.trusted = true;
    bench.onDidGrantWorkspaceTrust.fire();
    await expect.poll(() => heard(view)).toContain('"isInstalled":true');
    expect(JSON.stringify(view.webview.told("settings").at(-1))).not.toContain("notice");
  });
});

describe("an agent of the settings", () => {
  it("is started with its arguments and variables in the mode that was chosen, and asks", async () => {
    window.useNova({ args: ["--quiet"], environment: { NOVA: "bright" }, mode: "bold" });
    const { view, id } = await window.converse("nova");
    view.webview.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Build it" }] });
    await expect.poll(() => heard(view)).toContain("bold bright --quiet");
    await expect.poll(() => bench.contexts.get("patchbay.questionWaiting")).toBe(true);
    expect(bench.contexts.get("patchbay.turnRunning")).toBe(true);
    expect(view.badge?.value).toBe(1);
    expect(bench.statusItems.get("patchbay.panel.status")).toMatchObject({
      text: "$(comment-discussion) 1",
      command: "patchbay.panel.showWaiting",
      isShown: true,
    });
    // It is seen: nothing has to be told.
    expect(bench.shown).toEqual([]);
    // The page hears of it a moment after the editor.
    const question = /"kind":"question","id":"([^"]+)"|"id":"([^"]+)"[^{}]*"kind":"question"/u;
    await expect.poll(() => heard(view)).toMatch(question);
    const [, first, second] = question.exec(heard(view)) ?? [];
    const questionId = first ?? second ?? "";
    view.webview.say({
      type: "answer",
      conversation: id,
      id: questionId,
      answer: { type: "choice", choiceId: "yes" },
    });
    await expect.poll(() => bench.contexts.get("patchbay.questionWaiting")).toBe(false);
    await expect.poll(() => bench.contexts.get("patchbay.turnRunning")).toBe(false);
    expect(bench.statusItems.get("patchbay.panel.status")?.isShown).toBe(false);
    expect(view.badge).toBeUndefined();
  });

  it("that waits while nobody sees it is told in a notification, which leads to it", async () => {
    window.useNova();
    const { view, id } = await window.converse("nova");
    view.webview.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Build it" }] });
    view.show(false);
    bench.answerNext(({ items }) => items[0]);
    await expect.poll(() => bench.shown.map(({ text }) => text)).toEqual(["Nova is waiting for your answer: Build it"]);
    await expect.poll(() => view.visible).toBe(true);
    await ready(view);
    expect(openIn(view)).toBe(id);
  });

  it("waits without a notification where the user does not want one", async () => {
    window.useNova();
    bench.configure("patchbay.panel.notify", false);
    const { view, id } = await window.converse("nova");
    view.webview.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Build it" }] });
    view.show(false);
    await expect.poll(() => bench.contexts.get("patchbay.questionWaiting")).toBe(true);
    expect(bench.shown).toEqual([]);
  });

  it("stands on its tab with what it does", async () => {
    window.useNova();
    const { view, id } = await window.converse("nova");
    view.webview.say({ type: "open-conversation", conversation: id, as: "tab" });
    await expect.poll(() => bench.webviews.tabs).toHaveLength(1);
    const [tab] = bench.webviews.tabs;
    if (tab === undefined) throw new Error("no tab");
    await ready(tab);
    tab.webview.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Build it" }] });
    await expect.poll(() => tab.title).toBe("Build it (waiting)");
  });
});

describe("a mention by a command", () => {
  it("opens the panel, begins a conversation, and puts in what is selected", async () => {
    const path = write("one.ts", "one\ntwo\nthree\n");
    await bench.showFile(Uri.file(path));
    bench.select(new Position(0, 0), new Position(1, 3));
    await window.run("patchbay.panel.mention");
    const view = await window.view();
    const lines = { start: 1, end: 2 };
    expect(view.webview.told("insert")).toEqual([{ type: "insert", blocks: [{ type: "mention", path, lines }] }]);
    expect(openIn(view)).toBeDefined();
  });

  it("takes files of the explorer, but none that agents may not see", async () => {
    const paths = [write("src/a.ts"), write(".env"), write("private/b.ts")];
    bench.configure("patchbay.context.exclude", ["**/private/**"]);
    // What is left out is read when there is first something to leave out; until then nothing may be seen.
    await expect
      .poll(async () => {
        const uris = paths.map((path) => Uri.file(path));
        await window.run("patchbay.panel.mention", uris[0], uris);
        return bench.webviews.views.size;
      })
      .toBe(1);
    const view = await window.view();
    const blocks = [{ type: "mention", path: paths[0] }];
    expect(view.webview.told("insert")).toEqual([{ type: "insert", blocks }]);
  });

  it("takes what a terminal with shell integration has printed, and else says how", async () => {
    await window.run("patchbay.panel.open");
    await window.run("patchbay.panel.mentionTerminal");
    expect(bench.shown.at(-1)?.text).toContain("shell integration");
    const printed = async function* (): AsyncGenerator<string> {
      yield "\u001B]0;title\u0007\u001B[31m2 failed\u001B[0m\r\n";
      yield "10 %\r100 %\r\n";
    };
    bench.onDidStartTerminalShellExecution.fire({
      execution: { commandLine: { value: "npm test" }, read: () => printed() },
    });
    await expect
      .poll(async () => {
        await window.run("patchbay.panel.mentionTerminal");
        return JSON.stringify((await window.view()).webview.told("insert").at(-1) ?? {});
      })
      .toContain("$ npm test\\n2 failed\\n100 %");
    expect(bench.clipboard).toBe("");
    // Of one that ends at once VS Code tells no more than this: what is known stays.
    let isRead = false;
    const silent = async function* (): AsyncGenerator<string> {
      yield "\u001B]633;C\u0007";
      isRead = true;
    };
    bench.onDidStartTerminalShellExecution.fire({
      execution: { commandLine: { value: "ls" }, read: () => silent() },
    });
    await expect.poll(() => isRead).toBe(true);
    const view = await window.view();
    const before = view.webview.told("insert").length;
    await window.run("patchbay.panel.mentionTerminal");
    await expect.poll(() => view.webview.told("insert").length).toBe(before + 1);
    expect(JSON.stringify(view.webview.told("insert").at(-1))).toContain("$ npm test");
  });
});

describe("what can be mentioned", () => {
  const ask = async (query: string): Promise<readonly string[]> => {
    const { view, id } = await window.converse("claude");
    view.webview.say({ type: "mentions", conversation: id, request: 1, query });
    await expect.poll(() => view.webview.told("mentions")).toHaveLength(1);
    const items: unknown = Reflect.get(view.webview.told("mentions")[0] ?? {}, "items");
    const all: readonly { kind: string; description?: string; label: string }[] = Array.isArray(items) ? items : [];
    return all.map(({ kind, label, description }) =>
      kind === "file" || kind === "folder"
        ? `${kind} ${join(description ?? "", label)}`
        : `${kind} ${description ?? label}`,
    );
  };

  it("are files and folders, without what settings, ignore files and the user leave out", async () => {
    for (const name of [
      "src/parser.ts",
      "src/deep/parts.ts",
      "node_modules/parse.js",
      "out/parser.js",
      "private/par.ts",
    ])
      write(name);
    write(".env", "PARSER=1\n");
    write(".gitignore", "out/\n");
    execFileSync("git", ["init", "--quiet", folder]);
    bench.configure("search.exclude", { "**/node_modules": true });
    bench.configure("patchbay.context.exclude", ["private/**"]);
    expect(await ask("par")).toEqual(["file src/parser.ts", "file src/deep/parts.ts"]);
  });

  it("are also what Git ignores where the user wants it", async () => {
    write("out/parser.js");
    write(".gitignore", "out/\n");
    execFileSync("git", ["init", "--quiet", folder]);
    bench.configure("files.exclude", { "**/.git": true });
    bench.configure("patchbay.panel.respectIgnoreFiles", false);
    expect(await ask("out")).toEqual(["folder out", "file out/parser.js"]);
  });

  it("are symbols with their lines, problems, and what is selected", async () => {
    const path = write("one.ts", "one\ntwo\n");
    await bench.showFile(Uri.file(path));
    bench.select(new Position(0, 0), new Position(0, 3));
    const range = { start: { line: 4 }, end: { line: 9 } };
    bench.symbols = [
      { name: "parseProblem", location: { uri: Uri.file(path), range } },
      { name: "probe", location: { uri: Uri.file(join(folder, ".env")), range } },
    ];
    bench.setDiagnostics(Uri.file(path), [{ severity: 0, message: "not\ngood", range, source: "ts" }]);
    expect(await ask("pro")).toEqual(["problems Problems", "symbol one.ts:5"]);
    const view = await window.view();
    const id = openIn(view) ?? "";
    view.webview.say({ type: "pick", conversation: id, request: 2, id: "problems" });
    await expect.poll(() => view.webview.told("insert")).toHaveLength(1);
    expect(view.webview.told("insert")[0]).toMatchObject({
      blocks: [{ type: "excerpt", title: "Problems", text: "one.ts:5: error: not good (ts)" }],
    });
  });

  it("are found by their English names, too", async () => {
    useTexts({ ...englishTexts, texts: new Map([["Problems", "问题"]]) });
    const path = write("one.ts");
    bench.setDiagnostics(Uri.file(path), [
      { severity: 0, message: "bad", range: { start: { line: 0 }, end: { line: 0 } }, source: "ts" },
    ]);
    expect(await ask("probl")).toEqual(["problems 问题"]);
  });

  it("are named with the folder in which they are, which the top one is not", async () => {
    write("src/one.ts");
    write("one.ts");
    const { view, id } = await window.converse("claude");
    view.webview.say({ type: "mentions", conversation: id, request: 1, query: "one.ts" });
    await expect.poll(() => view.webview.told("mentions")).toHaveLength(1);
    expect(view.webview.told("mentions")[0]).toMatchObject({
      items: [
        { label: "one.ts", block: { path: join(folder, "one.ts") } },
        { label: "one.ts", description: "src" },
      ],
    });
    expect(JSON.stringify(view.webview.told("mentions")[0])).not.toContain('"description":"one.ts"');
  });

  it("offers no selection while sharing is paused, and what is open first", async () => {
    const path = write("one.ts");
    write("two.ts");
    await bench.showFile(Uri.file(path));
    bench.select(new Position(0, 0), new Position(0, 3));
    await window.run("patchbay.pauseSharing");
    expect((await ask("")).slice(0, 2)).toEqual(["file one.ts", "file two.ts"]);
    const view = await window.view();
    expect(JSON.stringify(view.webview.told("hello")[0])).not.toContain('"selection"');
  });
});

describe("a terminal", () => {
  it("is what the user reads about in their own language", async () => {
    const sentence = "This conversation has no session yet that a terminal could continue.";
    useTexts({ ...englishTexts, texts: new Map([[sentence, "Noch keine Sitzung."]]) });
    await window.converse("claude");
    await window.run("patchbay.panel.continueInTerminal");
    await expect.poll(() => bench.shown.at(-1)?.text).toBe("Noch keine Sitzung.");
  });

  it("of an agent has the user's program and variables for it", async () => {
    await window.run("patchbay.panel.continueInTerminal");
    expect(bench.shown.at(-1)?.text).toBe("No conversation is open.");
    bench.configure("patchbay.panel.agents", { claude: { environment: { NOVA: "bright" }, args: ["--verbose"] } });
    const { view, id } = await window.converse("claude");
    view.webview.say({ type: "act", conversation: id, action: "sign-in" });
    await expect.poll(() => bench.terminals).toHaveLength(1);
    const program = join(window.programs, "claude");
    expect(bench.terminals[0]?.options).toMatchObject({
      cwd: folder,
      shellPath: program,
      shellArgs: ["--verbose"],
      env: { NOVA: "bright" },
    });
  });

  it("continues the conversation there, and the panel lets go of it first", async () => {
    window.useNova();
    const { view, id } = await window.converse("nova");
    await window.run("patchbay.panel.continueInTerminal");
    await expect.poll(() => bench.shown.at(-1)?.text).toContain("no session yet");
    view.webview.say({ type: "send", conversation: id, blocks: [{ type: "text", text: "Build it" }] });
    await expect.poll(() => bench.contexts.get("patchbay.questionWaiting")).toBe(true);
    await window.run("patchbay.panel.continueInTerminal");
    await expect.poll(() => bench.shown.at(-1)?.text).toBe("Nova cannot continue a conversation in a terminal.");
    expect(bench.contexts.get("patchbay.questionWaiting")).toBe(false);
  });
});

describe("what is dropped", () => {
  it("is mentioned, also from the tree of a remote window; what may not be is said", async () => {
    const { view, id } = await window.converse("claude");
    const drop = (...uris: readonly string[]) => view.webview.say({ type: "drop", conversation: id, uris });
    drop(`file://${folder}/one.txt`, `vscode-remote://host${folder}/two.txt`);
    const blocks = ["one.txt", "two.txt"].map((name) => ({ type: "mention", path: join(folder, name) }));
    await expect.poll(() => view.webview.told("insert")).toEqual([{ type: "insert", blocks }]);
    drop("https://example.com/a");
    await expect.poll(() => heard(view)).toContain('"text":"https://example.com/a "');
    drop(`file://${folder}/.env`);
    await expect.poll(() => bench.shown.at(-1)?.text).toBe("There is no file here that agents may see.");
  });
});

describe("an open review", () => {
  it("is known to keys", async () => {
    const gemini = await window.connect(createGeminiDriver);
    const proposal = gemini.propose({ path: write("one.txt"), text: "two\n" });
    await expect.poll(() => bench.contexts.get("patchbay.diffOpen")).toBe(true);
    await window.run("patchbay.rejectProposal");
    await proposal.outcome;
    await expect.poll(() => bench.contexts.get("patchbay.diffOpen")).toBe(false);
  });
});
