import { fork, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { asAttacker, attackerUid, noSecondUser, victimUid } from "../src/attack/other-user.ts";
import * as ask from "../src/host/calls.ts";
import { Sandbox } from "../src/sandbox.ts";
import { connectHttp, connectWebSocket, makeSandbox, pause, spawnEditor, startEditor } from "./editor.ts";

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o7777;
}

/** Runs the companion as an unprivileged user where the tests may choose one. */
function victim(sandbox: Sandbox): { readonly sandbox: Sandbox; readonly uid?: number } {
  if (noSecondUser !== undefined) return { sandbox };
  sandbox.ownedBy(victimUid);
  mkdirSync(sandbox.storage, { mode: 0o700 });
  chownSync(sandbox.storage, victimUid, victimUid);
  return { sandbox, uid: victimUid };
}

/** Command lines and environments of all processes that may be looked at. */
function readProcesses(): string {
  return spawnSync("sh", ["-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' ' '"], {
    maxBuffer: 64 * 1024 * 1024,
  }).stdout.toString();
}

/** The companion's port holder is nobody's child; its home is the sandbox's, as that of the editor is. */
function portHoldersOf(sandbox: Sandbox): readonly string[] {
  const home = `HOME=${sandbox.home}`;
  return readdirSync("/proc").filter((pid) => {
    try {
      const [facts, command] = ["environ", "cmdline"].map((name) => readFileSync(`/proc/${pid}/${name}`, "latin1"));
      return facts?.split("\0").includes(home) === true && command?.endsWith("\0-\0") === true;
    } catch {
      // Not a process, or ended meanwhile.
      return false;
    }
  });
}

const racerAnswer = z.object({ looks: z.number(), loose: z.array(z.string()) });

describe("files and lifecycle", () => {
  it("E01 records are 0600 from creation (a process that looks all the time never sees anything else)", async ({
    annotate,
  }) => {
    const editor = await startEditor();
    const { sandbox } = editor;
    const racer = fork(
      fileURLToPath(new URL("../src/attack/open-racer.ts", import.meta.url)),
      [...sandbox.recordDirectories, sandbox.storage],
      { execPath: process.execPath, execArgv: ["--disable-warning=ExperimentalWarning"] },
    );
    const told = new Promise<unknown>((resolve) => {
      racer.on("message", (message) => {
        if (racerAnswer.safeParse(message).success) resolve(message);
      });
    });
    onTestFinished(() => void racer.kill("SIGKILL"));
    await new Promise((resolve) => racer.once("message", resolve));
    for (let round = 0; round < 60; round += 1) {
      await editor.call(ask.setFolders, { folders: [sandbox.workspace, join(sandbox.root, `added-${round}`)] });
      await pause(10);
    }
    // Drafts and outcomes are private from their first moment, too.
    const agent = await connectHttp(editor);
    await agent.openDiff(sandbox.file("a.txt"), "x\n");
    const view = await editor.view();
    for (let round = 0; round < 10; round += 1) {
      await editor.call(ask.type, { id: view.id, text: `typed ${round}\n` });
      await pause(250);
    }
    await pause(200);
    racer.send("end");
    const { looks, loose } = racerAnswer.parse(await told);
    expect(loose).toEqual([]);
    expect(looks).toBeGreaterThan(100);
    expect(sandbox.records().length).toBeGreaterThanOrEqual(4);
    for (const path of sandbox.records()) expect(modeOf(path), path).toBe(0o600);
    for (const name of readdirSync(sandbox.storage)) expect(modeOf(join(sandbox.storage, name)), name).toBe(0o600);
    await annotate(`${looks} looks`);
  });

  it("E01 what stood in a record's place is replaced, never written into", async () => {
    const editor = await startEditor();
    const { sandbox } = editor;
    const outside = join(sandbox.root, "victim.txt");
    writeFileSync(outside, "mine\n", { mode: 0o644 });
    for (const path of sandbox.records()) {
      rmSync(path);
      linkSync(outside, path);
    }
    await editor.call(ask.setFolders, { folders: [sandbox.workspace, join(sandbox.root, "b")] });
    await editor.until("the records are new", () =>
      sandbox.records().every((path) => lstatSync(path).ino !== lstatSync(outside).ino),
    );
    expect(readFileSync(outside, "utf8")).toBe("mine\n");
    expect(modeOf(outside)).toBe(0o644);
    for (const path of sandbox.records()) expect(modeOf(path)).toBe(0o600);
  });

  it("E02 their directory is 0700, every level checked for owner and mode", async () => {
    const sandbox = makeSandbox();
    // What is the user's own but too open is narrowed; what is somebody else's is not used.
    mkdirSync(join(sandbox.tmp, "gemini", "ide"), { recursive: true });
    chmodSync(join(sandbox.tmp, "gemini"), 0o777);
    chmodSync(join(sandbox.tmp, "gemini", "ide"), 0o777);
    mkdirSync(join(sandbox.home, ".claude"), { mode: 0o755 });
    const editor = await startEditor({ sandbox });
    await sandbox.announced("copilot");
    expect(sandbox.recordDirectories.every((directory) => existsSync(directory))).toBe(true);
    for (const directory of sandbox.recordDirectories) {
      expect(modeOf(directory), directory).toBe(0o700);
      expect(modeOf(dirname(directory)) & 0o022, dirname(directory)).toBe(0);
    }
    expect(modeOf(join(sandbox.home, ".claude")) & 0o022).toBe(0);
    await editor.until("the storage is made", () => existsSync(sandbox.storage));
    expect(modeOf(sandbox.storage)).toBe(0o700);
    // Opened up again while it runs: the next write narrows it first.
    chmodSync(sandbox.recordsOf("gemini"), 0o777);
    await editor.call(ask.setFolders, { folders: [sandbox.workspace, join(sandbox.root, "b")] });
    await editor.until("it is narrow again", () => modeOf(sandbox.recordsOf("gemini")) === 0o700);
  });

  it("E02 a temporary directory in which everybody may rename is not used", async () => {
    const sandbox = makeSandbox();
    chmodSync(sandbox.tmp, 0o777);
    const editor = await spawnEditor({ sandbox });
    const { warnings } = await editor.start();
    expect(existsSync(join(sandbox.tmp, "gemini"))).toBe(false);
    expect(warnings.join()).toContain(sandbox.tmp);
    // The other agents are served all the same.
    expect(readdirSync(sandbox.recordsOf("claude"))).toHaveLength(1);
  });

  it("E03 a directory made by another user is refused", async (context) => {
    if (noSecondUser !== undefined) return context.skip(noSecondUser);
    for (const uid of [victimUid, 0]) {
      for (const script of [
        (tmp: string) =>
          `umask 0; mkdir -p ${tmp}/gemini/ide ${tmp}/qwen/ide; chmod 777 ${tmp}/gemini ${tmp}/gemini/ide`,
        (tmp: string) => `umask 0; mkdir -m 777 ${tmp}/gemini`,
        // Nobody but its owner may write to it: only root could use it, and the owner could swap what root puts there.
        (tmp: string) => `mkdir -m 755 ${tmp}/gemini`,
        (tmp: string) => `umask 077; mkdir -p ${tmp}/gemini/ide`,
        (tmp: string) => `touch ${tmp}/gemini`,
        (tmp: string) => `mkfifo ${tmp}/gemini`,
      ]) {
        const sandbox = makeSandbox();
        const run = victim(sandbox);
        await asAttacker(script(sandbox.tmp));
        const editor = await spawnEditor({ sandbox, uid: run.uid === undefined ? uid : uid === 0 ? 0 : run.uid });
        const { warnings } = await editor.start();
        const what = `${script("TMP")} against ${uid}`;
        expect(warnings.join(), what).toContain(join(sandbox.tmp, "gemini"));
        // Nothing anywhere in the temporary directory that the attacker owns, and nothing with a token that he can read.
        const found = await asAttacker(`grep -rl authToken ${sandbox.tmp} 2>/dev/null || true`);
        expect(found, what).toBe("");
        expect(readdirSync(sandbox.recordsOf("claude")), what).toHaveLength(1);
        await editor.kill();
      }
    }
  });

  it("E03 a directory that another user takes away and replaces while it runs is refused", async (context) => {
    if (noSecondUser !== undefined) return context.skip(noSecondUser);
    const sandbox = makeSandbox();
    const editor = await startEditor(victim(sandbox));
    // What is announced last is written with all the others.
    await sandbox.announced("copilot");
    rmSync(join(sandbox.tmp, "gemini"), { recursive: true });
    await asAttacker(`umask 0; mkdir -p ${sandbox.tmp}/gemini/ide`);
    await editor.call(ask.setFolders, { folders: [sandbox.workspace, join(sandbox.root, "b")] });
    await pause(500);
    expect(readdirSync(sandbox.recordsOf("gemini"))).toEqual([]);
    const lock = readdirSync(sandbox.recordsOf("claude"))[0] ?? "";
    expect(readFileSync(join(sandbox.recordsOf("claude"), lock), "utf8")).toContain("/b");
  });

  it("E04 planted symlinks are not followed", async (context) => {
    if (noSecondUser !== undefined) return context.skip(noSecondUser);
    // A second run meets the names of the first: the attacker knows them.
    const first = makeSandbox();
    const known = await startEditor(victim(first));
    const names = readdirSync(first.recordsOf("gemini"));
    const { port } = known;
    await known.kill();
    expect(names).not.toEqual([]);

    for (const uid of [victimUid, 0]) {
      const plants: readonly ((sandbox: Sandbox, bashrc: string) => string)[] = [
        ({ tmp }, bashrc) => `ln -s ${dirname(bashrc)} ${tmp}/gemini`,
        ({ tmp }, bashrc) => `umask 0; mkdir ${tmp}/gemini; ln -s ${dirname(bashrc)} ${tmp}/gemini/ide`,
        ({ tmp }, bashrc) =>
          `umask 0; mkdir -p ${tmp}/gemini/ide; for n in ${names.join(" ")} gemini-ide-server-1-${port}.json; do ln -s ${bashrc} ${tmp}/gemini/ide/$n; done`,
        ({ tmp }) => `ln -s /etc ${tmp}/qwen`,
        ({ tmp }) => `ln -s ${tmp}/not-there ${tmp}/gemini`,
      ];
      for (const plant of plants) {
        const sandbox = makeSandbox();
        const run = victim(sandbox);
        const bashrc = join(sandbox.home, ".bashrc");
        writeFileSync(bashrc, "alias mine=1\n", { mode: 0o644 });
        chownSync(bashrc, uid, uid);
        const homeMode = modeOf(sandbox.home);
        const script = plant(sandbox, bashrc);
        await asAttacker(script);
        const editor = await spawnEditor({ sandbox, uid: uid === 0 ? 0 : (run.uid ?? 0) });
        await editor.start();
        await editor.call(ask.setFolders, { folders: [sandbox.workspace, join(sandbox.root, "b")] });
        await pause(200);
        expect(readFileSync(bashrc, "utf8"), script).toBe("alias mine=1\n");
        expect(modeOf(bashrc), script).toBe(0o644);
        expect(modeOf(sandbox.home), script).toBe(homeMode);
        // Also what is opened a moment later.
        const own = [".bashrc", ".claude", ".copilot", ".patchbay", ".qwen"];
        await expect.poll(() => readdirSync(sandbox.home).toSorted(), { message: script }).toEqual(own);
        expect(existsSync(join(sandbox.tmp, "not-there")), script).toBe(false);
        await editor.call(ask.stop, {});
        expect(existsSync(bashrc), script).toBe(true);
        await editor.kill();
      }
    }
  });

  it.each([
    ["shared", 0o1777],
    ["the user's alone", 0o700],
  ])("E04 the user's own links are not followed either in a temporary directory that is %s", async (_whose, mode) => {
    const sandbox = makeSandbox();
    chmodSync(sandbox.tmp, mode);
    const target = join(sandbox.root, "target.txt");
    writeFileSync(target, "mine\n");
    const elsewhere = join(sandbox.root, "elsewhere");
    mkdirSync(elsewhere, { mode: 0o755 });
    symlinkSync(elsewhere, join(sandbox.tmp, "qwen"));
    const editor = await spawnEditor({ sandbox });
    const { warnings } = await editor.start();
    expect(warnings.join()).toContain(join(sandbox.tmp, "qwen"));
    expect(readdirSync(elsewhere)).toEqual([]);
    for (const path of sandbox.records()) {
      rmSync(path);
      symlinkSync(target, path);
    }
    await editor.call(ask.setFolders, { folders: [sandbox.workspace, join(sandbox.root, "b")] });
    await editor.until("the records are files", () => sandbox.records().every((path) => lstatSync(path).isFile()));
    expect(readFileSync(target, "utf8")).toBe("mine\n");
  });

  it("E05 after kill -9 the next start removes the stale record", async () => {
    const sandbox = makeSandbox();
    const first = await startEditor({ sandbox });
    // Without its storage the second one gets another port, so that nothing is merely overwritten.
    await first.kill();
    const stale = sandbox.records();
    expect(stale.length).toBeGreaterThanOrEqual(4);
    const foreign = join(sandbox.recordsOf("claude"), "4711.lock");
    writeFileSync(
      foreign,
      JSON.stringify({ pid: 2 ** 22 + 1, authToken: "of another companion", workspaceFolders: [] }),
    );
    const half = join(sandbox.recordsOf("gemini"), `.patchbay-${first.pid}-AAAAAAAAAAAAAAAAAAAAAA.tmp`);
    writeFileSync(half, "{", { mode: 0o600 });
    const second = await startEditor({ sandbox, settings: { storage: join(sandbox.root, "other-storage") } });
    await second.until("the stale records are gone", () => [...stale, half].every((path) => !existsSync(path)));
    expect(existsSync(foreign)).toBe(true);
    expect(
      sandbox
        .records()
        .filter((path) => path !== foreign)
        .every((path) => path.includes(`${second.port}`) || path.includes("gemini")),
    ).toBe(true);
    // One whose process id belongs to somebody else by now is stale as well.
    const [record] = sandbox
      .records()
      .filter((path) => path.startsWith(sandbox.recordsOf("claude")) && path !== foreign);
    const marked = z.looseObject({ patchbay: z.looseObject({}) }).parse(JSON.parse(readFileSync(record ?? "", "utf8")));
    const reused = join(sandbox.recordsOf("claude"), "4712.lock");
    writeFileSync(reused, JSON.stringify({ ...marked, patchbay: { ...marked.patchbay, pid: 1 } }), { mode: 0o600 });
    await startEditor({ sandbox, settings: { storage: join(sandbox.root, "third-storage") } });
    await second.until("the reused one is gone", () => !existsSync(reused));
    // The running one's is not touched.
    expect(existsSync(record ?? "")).toBe(true);
  });

  it("E06 a graceful stop with a connected agent takes < 2 s, ends the streams, removes the records (HTTP and WebSocket)", async ({
    annotate,
  }) => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    const deaf = await connectHttp(editor);
    deaf.stream?.response.socket.pause();
    const socket = await connectWebSocket(editor);
    const deafSocket = await connectWebSocket(editor);
    deafSocket.socket.pause();
    const path = editor.sandbox.file("a.txt");
    await agent.openDiff(path, "x\n");
    const answer = socket.openDiff(path, "y\n");
    await editor.until("two views", async () => (await editor.openViews()).length === 2);
    const startedAt = performance.now();
    await editor.call(ask.stop, {});
    const took = performance.now() - startedAt;
    expect(took).toBeLessThan(2_000);
    await agent.stream?.until(() => false);
    expect(agent.stream?.end).toBe("clean");
    // Nobody is left waiting for an answer.
    expect(agent.outcomes(path).map(({ method }) => method)).toEqual(["ide/diffRejected"]);
    expect((await answer)[0]).toBe("DIFF_REJECTED");
    expect(await socket.closed()).toBeGreaterThanOrEqual(1_000);
    expect(editor.sandbox.recordFiles()).toEqual([]);
    expect(await editor.openViews()).toEqual([]);
    await expect(agent.post({})).rejects.toThrow(/ECONNREFUSED/u);
    await annotate(`${took.toFixed(0)} ms`);
  });

  it("E07 changed workspace folders rewrite the records within 500 ms", async ({ annotate }) => {
    const editor = await startEditor();
    const { sandbox } = editor;
    const times: number[] = [];
    for (const name of ["one", "two", "three"]) {
      const added = join(sandbox.root, name);
      mkdirSync(added);
      await editor.call(ask.setFolders, { folders: [sandbox.workspace, added] });
      const startedAt = performance.now();
      await editor.until(
        "every record names it",
        () =>
          sandbox.records().length >= 4 &&
          sandbox.records().every((path) => readFileSync(path, "utf8").includes(added)),
        500,
      );
      times.push(performance.now() - startedAt);
    }
    // A quick row of changes ends with the last.
    for (let round = 0; round < 20; round += 1) {
      await editor.call(ask.setFolders, { folders: [join(sandbox.root, `quick-${round}`)] });
    }
    await editor.until(
      "the last one stands",
      () => sandbox.records().every((path) => readFileSync(path, "utf8").includes("quick-19")),
      500,
    );
    // What is no longer a folder of the workspace is outside from now on.
    const agent = await connectHttp(editor);
    await agent.openDiff(sandbox.file("a.txt"), "x\n");
    await editor.until("the user is asked", async () => (await editor.call(ask.messages)).length === 1);
    expect(await editor.call(ask.views)).toEqual([]);
    await annotate(`${Math.max(...times).toFixed(0)} ms`);
  });

  it("E08 the token is never in logs or on a command line", async () => {
    const editor = await startEditor();
    const { sandbox } = editor;
    const identity = join(sandbox.storage, "endpoint.json");
    await editor.until("the identity is kept", () => existsSync(identity));
    const tokens = [
      ...sandbox.tokens(),
      ...z
        .object({ secret: z.string(), sessionKey: z.string() })
        .transform(({ secret, sessionKey }) => [secret, sessionKey])
        .parse(JSON.parse(readFileSync(identity, "utf8"))),
    ];
    expect(tokens.length).toBeGreaterThanOrEqual(2);
    const agent = await connectHttp(editor);
    const socket = await connectWebSocket(editor);
    const secretText = "contents-of-a-file-4711";
    await agent.openDiff(sandbox.file("a.txt"), secretText);
    const view = await editor.view();
    await editor.call(ask.type, { id: view.id, text: `${secretText} typed` });
    await editor.call(ask.accept, { id: view.id });
    await agent.exchange("GET", { authorization: "Bearer wrong" }).catch(() => undefined);
    await agent.post("{");
    socket.sendText("{");
    await editor.call(ask.fail, { call: "diffs.open", times: 1 });
    await agent.openDiff(sandbox.file("b.txt"), secretText);
    await pause(2_000);
    const forTerminals = JSON.stringify(await editor.call(ask.environment));
    // Nor of the port holder, which holds the port while the editor is away.
    await agent.openDiff(sandbox.file("c.txt"), secretText);
    await editor.call(ask.stop, { reload: true, comeBackMs: 3_000 });
    await expect.poll(() => portHoldersOf(sandbox)).toHaveLength(1);
    const lines = (await editor.call(ask.log)).join("\n");
    const processes = readProcesses();
    for (const secret of [...tokens, agent.sessionId]) {
      expect(lines).not.toContain(secret);
      expect(processes).not.toContain(secret);
      expect(forTerminals).not.toContain(secret);
    }
    expect(lines).not.toContain(secretText);
    // Nor in what other users can read.
    for (const path of sandbox.records()) expect(statSync(path).mode & 0o077).toBe(0);
  });

  it("directories that vanish while it runs are made again with the next change", async () => {
    const editor = await startEditor();
    const { sandbox } = editor;
    const announced = sandbox.records().length;
    // Moved away in one step: a removal file by file meets what the companion writes meanwhile.
    const gone = join(sandbox.root, "gone");
    mkdirSync(gone);
    for (const [index, directory] of [
      join(sandbox.tmp, "gemini"),
      join(sandbox.home, ".claude"),
      sandbox.storage,
    ].entries())
      renameSync(directory, join(gone, String(index)));
    await editor.call(ask.setFolders, { folders: [sandbox.workspace, join(sandbox.root, "b")] });
    await editor.until("the records are back", () => sandbox.records().length >= announced);
    const agent = await connectHttp(editor);
    await agent.openDiff(sandbox.file("a.txt"), "x\n");
    const view = await editor.view();
    await editor.call(ask.type, { id: view.id, text: "typed\n" });
    await editor.until(
      "the draft is kept",
      () => existsSync(sandbox.storage) && readdirSync(sandbox.storage).some((name) => name.startsWith("proposal-")),
      2_000,
    );
    expect(modeOf(sandbox.storage)).toBe(0o700);
  });

  it("the workspace itself vanishes: the companion lives, and says what it can", async () => {
    const editor = await startEditor();
    const agent = await connectHttp(editor);
    renameSync(editor.sandbox.workspace, join(editor.sandbox.root, "moved"));
    const opened = await agent.openDiff(editor.sandbox.file("a.txt"), "x\n");
    expect(opened.content).toBeDefined();
    expect(await agent.request("ping")).toEqual({});
    mkdirSync(editor.sandbox.workspace);
  });

  it("a full disk: the agents are served, the user is told, no half file stays", async (context) => {
    if (noSecondUser !== undefined) return context.skip("needs root, to mount a small file system");
    const sandbox = makeSandbox();
    mkdirSync(sandbox.storage, { mode: 0o700 });
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs", sandbox.storage]);
    if (mounted.status !== 0) return context.skip(`tmpfs cannot be mounted here: ${mounted.stderr.toString().trim()}`);
    onTestFinished(() => void spawnSync("umount", ["-l", sandbox.storage]));
    const editor = await startEditor({ sandbox });
    const agent = await connectHttp(editor);
    const small = sandbox.file("small.txt");
    await agent.openDiff(small, "small\n");
    await editor.call(ask.type, { id: (await editor.view()).id, text: "typed before the disk was full\n" });
    await editor.until("it is kept", () => readdirSync(sandbox.storage).some((name) => name.startsWith("proposal-")));
    const kept = readdirSync(sandbox.storage).toSorted();
    const big = sandbox.file("big.txt");
    await agent.openDiff(big, "x".repeat(400_000));
    const view = await editor.view(({ path }) => path === big);
    await editor.call(ask.type, { id: view.id, text: `${"y".repeat(400_000)}\n` });
    await editor.until("the user is told", async () =>
      (await editor.call(ask.messages)).some(({ code }) => code === "draft-not-kept"),
    );
    expect(readdirSync(sandbox.storage).toSorted()).toEqual(kept);
    await editor.call(ask.accept, { id: view.id });
    const event = await agent.stream?.next(({ params }) => params["filePath"] === big);
    expect(event?.params["content"]).toBe(`${"y".repeat(400_000)}\n`);
    // Room again: what is typed next is kept.
    const other = sandbox.file("other.txt");
    await agent.openDiff(other, "z\n");
    await editor.call(ask.type, { id: (await editor.view(({ path }) => path === other)).id, text: "kept again\n" });
    await editor.until("it is kept", () => readdirSync(sandbox.storage).length > kept.length);
    expect((await editor.call(ask.messages)).filter(({ code }) => code === "draft-not-kept")).toHaveLength(1);
  });

  it("a storage that belongs to another user is not used, and agents are served", async (context) => {
    if (noSecondUser !== undefined) return context.skip(noSecondUser);
    const sandbox = makeSandbox();
    sandbox.ownedBy(victimUid);
    mkdirSync(sandbox.storage, { mode: 0o777 });
    chownSync(sandbox.storage, attackerUid, attackerUid);
    const editor = await startEditor({ sandbox, uid: victimUid });
    await connectHttp(editor);
    await pause(300);
    expect(readdirSync(sandbox.storage)).toEqual([]);
  });
});
