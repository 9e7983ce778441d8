import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readIndex } from "../src/git/git-index.ts";
import { createDiskDoor } from "../src/undo/disk-door.ts";
import { createNodePlatform } from "@patchbay/core";
import { claude, TurnLab } from "./turn-lab.ts";

interface Made {
  readonly path: string | Buffer;
  /** Of the name before, in version 4: how much of its end is left out. */
  readonly strip?: number;
}

/** An index as a repository may bring it along, with names that git itself would never write. */
function indexOf(version: 2 | 4, made: readonly Made[]): Buffer {
  const header = Buffer.alloc(12);
  header.write("DIRC", "latin1");
  header.writeUInt32BE(version, 4);
  header.writeUInt32BE(made.length, 8);
  let length = 0;
  const entries = made.map(({ path, strip = 0 }) => {
    const name = Buffer.from(path);
    length = (version === 4 ? length - strip : 0) + name.length;
    const fixed = Buffer.alloc(62);
    fixed.writeUInt32BE(0o100644, 24);
    fixed.writeUInt16BE(Math.min(length, 0xfff), 60);
    if (version === 4) return Buffer.concat([fixed, varint(strip), name, Buffer.from([0])]);
    return Buffer.concat([fixed, name, Buffer.alloc(8 - ((62 + name.length) % 8))]);
  });
  return Buffer.concat([header, ...entries, Buffer.alloc(20)]);
}

/** As in a pack's offsets. */
function varint(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) {
    rest -= 1;
    bytes.unshift(0x80 | (rest & 0x7f));
  }
  return Buffer.from(bytes);
}

function names(index: Buffer): readonly string[] | undefined {
  const steps = readIndex(index, 20);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value?.map(({ path }) => path);
  }
}

describe("names in an index that git would not write", () => {
  it.each([
    "../out.txt",
    "a/../../out.txt",
    "a/./b.txt",
    "a//b.txt",
    "/etc/passwd",
    ".git/config",
    "a/.GIT/hooks/post-commit",
    "..",
    "a/",
    "",
  ])("%j: the index counts as unreadable", (path) => {
    expect(names(indexOf(2, [{ path: "b.txt" }]))).toEqual(["b.txt"]);
    expect(names(indexOf(2, [{ path: "b.txt" }, { path }]))).toBeUndefined();
    expect(names(indexOf(4, [{ path: "b.txt" }, { path, strip: 5 }]))).toBeUndefined();
  });

  it("are followed nowhere: nothing outside is read, kept, listed or written", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "a\n" });
    const outside = join(lab.root, "outside.txt");
    writeFileSync(outside, "private\n");
    lab.write(".git/index", indexOf(2, [{ path: "../outside.txt" }, { path: "a.txt" }]));
    const ledgers = lab.open({ door: createDiskDoor({ platform: createNodePlatform(), folders: [lab.folder] }) });
    await lab.command(ledgers, () => writeFileSync(outside, "changed\n"));
    expect(ledgers.turns().flatMap((turn) => lab.files(turn))).toEqual([]);
    const texts = join(lab.storage, "texts");
    const kept = existsSync(texts) ? readdirSync(texts).map((name) => readFileSync(join(texts, name), "utf8")) : [];
    expect(kept.filter((text) => text.includes("private") || text.includes("changed"))).toEqual([]);
  });

  it("cost little, however long they get from entry to entry", () => {
    const long = "d/".repeat(1_900);
    expect(names(indexOf(4, [{ path: `${long}x` }]))).toHaveLength(1);
    // Each name would be as long as everything before.
    expect(names(indexOf(4, [{ path: `${"d/".repeat(40_000)}x` }, { path: "y", strip: 1 }]))).toBeUndefined();
    const many = Array.from({ length: 40_000 }, (): Made => ({ path: "y", strip: 1 }));
    expect(names(indexOf(4, [{ path: `${long}x` }, ...many]))).toBeUndefined();
  });

  it("with line feeds and in two cases are files like others", async () => {
    const lab = new TurnLab();
    lab.commit({ "a\nb.txt": "one\n", "README.md": "upper\n", "readme.md": "lower\n", "\u202etxt.a": "turned\n" });
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      lab.write("a\nb.txt", "two\n");
      lab.write("readme.md", "changed\n");
      lab.write("\u202etxt.a", "turned back\n");
    });
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual([
      "a\nb.txt changed likely",
      "readme.md changed likely",
      "\u202etxt.a changed likely",
    ]);
    await ledgers.undo(turn?.id ?? "");
    expect([lab.read("a\nb.txt"), lab.read("README.md"), lab.read("readme.md")]).toEqual([
      "one\n",
      "upper\n",
      "lower\n",
    ]);
  });
});

/** A program that leaves a trace where it runs; what a repository may name in its configuration. */
function trap(lab: TurnLab): { readonly program: string; readonly trace: string } {
  const program = join(lab.root, "trap");
  const trace = join(lab.root, "sprung");
  writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> '${trace}'\n`);
  chmodSync(program, 0o755);
  return { program, trace };
}

/** Everything below a directory, with what tells that somebody wrote it. */
function stateOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const { mtimeMs, ctimeMs, size, ino } = statSync(join(directory, name));
      return `${name} ${mtimeMs} ${ctimeMs} ${size} ${ino}`;
    });
}

describe("a repository that wants a program of its own to run", () => {
  it.each(["this machine's git", "a git that knows no GIT_NO_LAZY_FETCH"])(
    "gets nothing run, nor written: %s",
    async (which) => {
      const lab = new TurnLab();
      lab.commit({ "a.txt": "one\n", "sub/b.txt": "two\n" });
      const { program, trace } = trap(lab);
      for (const hook of ["post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"]) {
        lab.write(`.git/hooks/${hook}`, readFileSync(program));
        chmodSync(lab.path(`.git/hooks/${hook}`), 0o755);
      }
      const object = lab.git("rev-parse", "HEAD:a.txt").trim();
      rmSync(lab.path(`.git/objects/${object.slice(0, 2)}/${object.slice(2)}`));
      lab.write(".gitattributes", "* filter=trap diff=trap\n");
      const config = {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": lab.root,
        "remote.origin.uploadpack": program,
        "core.fsmonitor": program,
        "core.sshCommand": program,
        "core.pager": program,
        "core.askPass": program,
        "core.gitProxy": program,
        "credential.helper": program,
        "diff.external": program,
        "filter.trap.clean": program,
        "filter.trap.smudge": program,
        "filter.trap.process": program,
        "diff.trap.textconv": program,
        "gpg.program": program,
        "alias.ls-files": `!${program}`,
        "alias.cat-file": `!${program}`,
        "protocol.ext.allow": "always",
        "core.untrackedCache": "true",
        "index.sparse": "true",
      };
      for (const [name, value] of Object.entries(config)) lab.git("config", name, value);
      if (which !== "this machine's git") {
        const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
        lab.write("../bin/git", `#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec '${real}' "$@"\n`);
        chmodSync(join(lab.root, "bin", "git"), 0o755);
        vi.stubEnv("PATH", `${join(lab.root, "bin")}:${process.env["PATH"] ?? ""}`);
        onTestFinished(() => void vi.unstubAllEnvs());
      }
      const before = stateOf(lab.path(".git"));
      const ledgers = lab.open();
      await lab.command(ledgers, () => {
        lab.write("a.txt", "agent\n");
        lab.write("new.txt", "new\n");
      });
      const [turn] = ledgers.turns();
      expect(lab.files(turn)).toEqual(["a.txt changed likely", "new.txt created likely"]);
      // Asks for the object that is missing.
      expect(await ledgers.beforeText(turn?.id ?? "", lab.path("a.txt"))).toBeUndefined();
      await ledgers.undo(turn?.id ?? "");
      ledgers.dispose();
      expect(existsSync(trace) ? readFileSync(trace, "utf8") : "").toBe("");
      expect(stateOf(lab.path(".git"))).toEqual(before);
    },
  );

  it.runIf(process.getuid?.() === 0)("is not read where it is another user's", async () => {
    const lab = new TurnLab();
    // As in a temporary directory: above the workspace stands a repository of somebody else.
    lab.commit({ "deep/a.txt": "one\n" });
    execFileSync("chown", ["-R", "65534", lab.path(".git")]);
    chownSync(lab.folder, 65_534, 65_534);
    const asked: string[] = [];
    lab.write("../bin/git", `#!/bin/sh\necho "$@" >> '${join(lab.root, "asked")}'\nexec /usr/bin/git "$@"\n`);
    chmodSync(join(lab.root, "bin", "git"), 0o755);
    vi.stubEnv("PATH", `${join(lab.root, "bin")}:${process.env["PATH"] ?? ""}`);
    vi.stubEnv("SUDO_UID", undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const ledgers = lab.open({ folders: [lab.path("deep")] });
    await lab.command(ledgers, () => lab.write("deep/a.txt", "agent\n"));
    const [turn] = ledgers.turns();
    expect(turn?.isPartial).toBe(true);
    expect(await ledgers.beforeText(turn?.id ?? "", lab.path("deep/a.txt"))).toBeUndefined();
    asked.push(readFileSync(join(lab.root, "asked"), "utf8"));
    expect(asked.join("\n")).not.toContain("--git-dir");
  });
});

describe("a repository whose files are something else", () => {
  it.each([".gitignore", ".git/config", ".git/index", ".git/HEAD", ".git/logs/HEAD", ".git/info/exclude"])(
    "holds nobody up: a pipe as %s",
    { timeout: 30_000 },
    async (name) => {
      const lab = new TurnLab();
      lab.commit({ "a.txt": "one\n" });
      rmSync(lab.path(name), { force: true });
      execFileSync("mkfifo", [lab.path(name)]);
      const ledgers = lab.open({ openFiles: () => [lab.path("a.txt")] });
      ledgers.turnBegan(claude, "Do it");
      const ready = ledgers.ready();
      lab.clock.advance(1_000);
      await ready;
      // Git is given up, and is not asked again at once.
      const giveUp = async (): Promise<void> => {
        let isSettled = false;
        void ledgers.settled().then(() => {
          isSettled = true;
        });
        await expect.poll(() => (lab.clock.advance(6_000), isSettled), { timeout: 20_000 }).toBe(true);
      };
      await giveUp();
      await lab.told(ledgers, "a.txt", "agent\n");
      ledgers.turnEnded(claude);
      await giveUp();
      expect(lab.files(ledgers.turns()[0])).toContain("a.txt changed exact");
    },
  );

  it("is looked at without git, where that never answers", { timeout: 30_000 }, async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "b\n" });
    lab.write("b.txt", "mine\n");
    lab.write("../bin/git", "#!/bin/sh\nexec sleep 600\n");
    chmodSync(join(lab.root, "bin", "git"), 0o755);
    vi.stubEnv("PATH", `${join(lab.root, "bin")}:${process.env["PATH"] ?? ""}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const ledgers = lab.open();
    const done = async <T>(work: Promise<T>): Promise<T> => {
      let isDone = false;
      void work.finally(() => {
        isDone = true;
      });
      await expect.poll(() => (lab.clock.advance(6_000), isDone), { timeout: 20_000 }).toBe(true);
      return await work;
    };
    ledgers.turnBegan(claude, "Do it");
    ledgers.aboutToRun(claude, "something");
    await done(ledgers.settled());
    lab.write("a.txt", "agent\n");
    lab.write("b.txt", "agent\n");
    ledgers.wrote(claude);
    ledgers.turnEnded(claude);
    await done(ledgers.settled());
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["a.txt changed likely", "b.txt changed likely"]);
    expect(turn?.isPartial).toBe(true);
    const { files } = await done(ledgers.undo(turn?.id ?? ""));
    // Only git has what the first one was.
    expect(files.map(({ outcome }) => outcome)).toEqual(["unknown", "undone"]);
    expect([lab.read("a.txt"), lab.read("b.txt")]).toEqual(["agent\n", "mine\n"]);
  });

  it("leaves no git behind that waits for a pipe when the editor ends", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    execFileSync("mkfifo", [lab.path(".gitignore")]);
    const left = (): string =>
      execFileSync("sh", ["-c", `pgrep -f '[-]C ${lab.folder} ls-files' || true`], { encoding: "utf8" });
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    await expect.poll(left).not.toBe("");
    ledgers.dispose();
    await expect.poll(left).toBe("");
  });

  it("reads no other repository for one that names it", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const secret = join(lab.root, "secret");
    mkdirSync(secret);
    lab.gitIn(secret, "init", "-q");
    writeFileSync(join(secret, "key.txt"), "private\n");
    lab.git("config", "core.worktree", secret);
    const ledgers = lab.open();
    await lab.command(ledgers, () => writeFileSync(join(secret, "key.txt"), "changed\n"));
    expect(ledgers.turns().flatMap((turn) => lab.files(turn))).toEqual([]);
    lab.git("config", "core.worktree", lab.root);
    await lab.command(ledgers, () => writeFileSync(join(secret, "key.txt"), "changed again\n"));
    expect(ledgers.turns().flatMap((turn) => lab.files(turn))).toEqual([]);
  });

  it("takes a log of commits that is far too long for a checkout", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      lab.commit({ "a.txt": "two\n" });
      appendFileSync(lab.path(".git/logs/HEAD"), `${"0".repeat(80)} a <a@x> 1 +0000\tcommit: x\n`.repeat(10_000));
      lab.write("new.txt", "new\n");
    });
    const [turn] = ledgers.turns();
    expect(turn?.headMoved).toBe(true);
    expect(lab.files(turn)).toEqual(["new.txt created likely"]);
  });

  it("of a million files holds nobody up: what is announced is known, and of the rest that it was not looked at", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "deep/b.txt": "two\n" });
    const many = Array.from({ length: 1_000_000 }, (_, at): Made => ({ path: `many/${1_000_000 + at}` }));
    const index = indexOf(2, [{ path: "a.txt" }, { path: "deep/b.txt" }, ...many]);
    createHash("sha1")
      .update(index.subarray(0, -20))
      .digest()
      .copy(index, index.length - 20);
    lab.write(".git/index", index);
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    await lab.told(ledgers, "a.txt", "agent\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed exact"]);
    expect(ledgers.turns()[0]?.isPartial).toBe(true);
    ledgers.dispose();
    // In a folder of it, all is known.
    const inside = lab.open({ folders: [lab.path("deep")] });
    await lab.command(inside, () => void lab.write("deep/b.txt", "agent\n"));
    const [turn] = inside.turns();
    expect(lab.files(turn)).toEqual(["deep/b.txt changed likely"]);
    expect(turn?.isPartial).toBe(false);
    await inside.undo(turn?.id ?? "");
    expect(lab.read("deep/b.txt")).toBe("two\n");
  }, 60_000);

  it("with references in tables knows that something else was checked out", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "two\n" });
    const ledgers = lab.open();
    lab.write(".git/HEAD", "ref: refs/heads/.invalid\n");
    lab.write(".git/reftable/tables.list", "0x000000000001-0x000000000001-aaaaaaaa.ref\n");
    rmSync(lab.path(".git/logs"), { recursive: true });
    ledgers.turnBegan(claude, "Do it");
    ledgers.aboutToRun(claude, "something");
    await ledgers.settled();
    lab.write("a.txt", "from another branch\n");
    lab.write(".git/reftable/tables.list", "0x000000000001-0x000000000002-bbbbbbbb.ref\n");
    ledgers.wrote(claude);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    // Nothing of it is taken for a change that an undo would take back, unless it differs from what is checked out.
    expect(ledgers.turns()[0]?.headMoved).toBe(true);
  });

  it("of SHA-256 names is read, however its configuration is written", async () => {
    const lab = new TurnLab();
    lab.git("init", "-q", "-b", "main", "--object-format=sha256");
    lab.commit({ "a.txt": "one\n" });
    const config = readFileSync(lab.path(".git/config"), "utf8");
    lab.write(".git/config", `${"# padding that makes it long\n".repeat(4_000)}${config}`);
    const ledgers = lab.open();
    await lab.command(ledgers, () => lab.write("a.txt", "two\n"));
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["a.txt changed likely"]);
    expect(turn?.isPartial).toBe(false);
    expect(await ledgers.beforeText(turn?.id ?? "", lab.path("a.txt"))).toBe("one\n");
  });

  it("is looked at though a directory of it is a link that leads out by now", async () => {
    const lab = new TurnLab();
    lab.commit({ "dir/a.txt": "one\n", "b.txt": "b\n" });
    const elsewhere = join(lab.root, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "a.txt"), "private\n");
    const ledgers = lab.open({ door: createDiskDoor({ platform: createNodePlatform(), folders: [lab.folder] }) });
    await lab.command(ledgers, () => {
      lab.remove("dir");
      symlinkSync(elsewhere, lab.path("dir"));
    });
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toContain("dir/a.txt deleted likely");
    await ledgers.undo(turn?.id ?? "");
    expect(readFileSync(join(elsewhere, "a.txt"), "utf8")).toBe("private\n");
    const texts = join(lab.storage, "texts");
    expect(readdirSync(texts).map((name) => readFileSync(join(texts, name), "utf8"))).not.toContain("private\n");
  });
});
