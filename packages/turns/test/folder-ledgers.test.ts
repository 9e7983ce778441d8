import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { claude, gemini, TurnLab } from "./turn-lab.ts";

describe("a ledger of turns", () => {
  it("has what a hook told of, to the byte", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "\ufeffone\r\ntwo");
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Change it\nplease");
    await lab.told(ledgers, "a.txt", "\ufeffone\r\n2\r\n");
    await lab.told(ledgers, "b.txt", "new\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    const [turn] = ledgers.turns();
    expect(turn).toMatchObject({ prompt: "Change it", agents: ["Claude Code"], session: "s1", border: "exact" });
    expect(turn?.ended).toBeDefined();
    expect(lab.files(turn)).toEqual(["a.txt changed exact", "b.txt created exact"]);
    expect(turn?.files[0]?.lines).toEqual({ added: 1, removed: 1 });
    const id = turn?.id ?? "";
    expect(await ledgers.beforeText(id, lab.path("a.txt"))).toBe("\ufeffone\r\ntwo");
    expect(await ledgers.afterText(id, lab.path("a.txt"))).toBe("\ufeffone\r\n2\r\n");
    expect(await ledgers.beforeText(id, lab.path("b.txt"))).toBeUndefined();
  });

  it("finds what a command changed, and reads what it was from git", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "two\n", "c.sh": "run\n", ".gitignore": "node_modules\n", "d.txt": "d\n" });
    lab.write("a.txt", "one, not committed\n");
    lab.write("untracked.txt", "mine\n");
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      lab.write("a.txt", "agent\n");
      lab.remove("b.txt");
      lab.chmod("c.sh", 0o755);
      lab.write("untracked.txt", "agent\n");
      lab.write("new/file.txt", "new\n");
      lab.write("node_modules/left/alone.js", "x");
    });
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual([
      "a.txt changed likely",
      "b.txt deleted likely",
      "c.sh mode likely",
      "new/file.txt created likely",
      "untracked.txt changed likely",
    ]);
    const before = (name: string): Promise<string | undefined> => ledgers.beforeText(turn?.id ?? "", lab.path(name));
    expect(await before("a.txt")).toBe("one, not committed\n");
    expect(await before("b.txt")).toBe("two\n");
    expect(await before("untracked.txt")).toBe("mine\n");
    expect(turn).toMatchObject({ headMoved: false, isPartial: false });
  });

  it("writes nothing into the repository", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    // What git would refresh if it might.
    lab.write("a.txt", "one\n");
    const all = (directory: string): readonly string[] =>
      readdirSync(directory, { recursive: true, encoding: "utf8" })
        .map((name) => `${name} ${statSync(join(directory, name)).mtimeMs}`)
        .toSorted();
    const before = all(lab.path(".git"));
    const ledgers = lab.open();
    await lab.command(ledgers, () => lab.write("a.txt", "two\n"));
    expect(await ledgers.beforeText(ledgers.turns()[0]?.id ?? "", lab.path("a.txt"))).toBe("one\n");
    expect(all(lab.path(".git"))).toEqual(before);
  });

  it("leaves what the user did between two turns alone, and says where they typed", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "two\n" });
    const ledgers = lab.open();
    await lab.command(ledgers, () => lab.write("a.txt", "agent\n"));
    lab.write("b.txt", "user\n");
    await lab.command(ledgers, () => {
      ledgers.touched(lab.path("b.txt"));
      lab.write("b.txt", "who?\n");
    });
    expect(ledgers.turns().map((turn) => lab.files(turn))).toEqual([
      ["b.txt changed unknown"],
      ["a.txt changed likely"],
    ]);
    expect(await ledgers.beforeText(ledgers.turns()[0]?.id ?? "", lab.path("b.txt"))).toBe("user\n");
  });

  it("leaves what may be the user's alone in an undo of the whole, unless that is wanted, or it is named", async () => {
    const lab = new TurnLab();
    const names = ["a.txt", "b.txt", "c.txt"];
    lab.commit(Object.fromEntries(names.map((name) => [name, "old\n"])));
    const ledgers = lab.open();
    const turnWithSaves = async (): Promise<string> => {
      ledgers.turnBegan(claude, "");
      await lab.told(ledgers, "a.txt", "agent\n");
      // In another program, while no command of the agent runs.
      for (const name of ["b.txt", "c.txt"]) lab.write(name, "saved\n");
      ledgers.turnEnded(claude);
      await ledgers.settled();
      return ledgers.turns()[0]?.id ?? "";
    };
    const first = await turnWithSaves();
    expect(lab.files(ledgers.turns()[0])).toEqual([
      "a.txt changed exact",
      "b.txt changed unknown",
      "c.txt changed unknown",
    ]);
    const outcomes = async (...given: Parameters<typeof ledgers.undo>): Promise<readonly string[]> =>
      (await ledgers.undo(...given)).files.map(({ path, outcome }) => `${path.slice(-5)} ${outcome}`);
    expect(await outcomes(first)).toEqual(["a.txt undone", "b.txt unsure", "c.txt unsure"]);
    expect(names.map((name) => lab.read(name))).toEqual(["old\n", "saved\n", "saved\n"]);
    expect(await outcomes(first, { path: lab.path("b.txt") })).toEqual(["b.txt undone"]);
    expect(names.map((name) => lab.read(name))).toEqual(["old\n", "old\n", "saved\n"]);
    // What is undone is left by nobody.
    expect(await outcomes(first)).toEqual(["a.txt undone", "c.txt unsure"]);
    for (const name of ["b.txt", "c.txt"]) lab.write(name, "old\n");
    const second = await turnWithSaves();
    expect(await outcomes(second, { unsure: true })).toEqual(["a.txt undone", "b.txt undone", "c.txt undone"]);
    const third = await turnWithSaves();
    expect(await ledgers.keep(third)).toBe(true);
    const kept = ledgers.turns().find(({ id }) => id === third);
    expect(kept?.files.map(({ review }) => review)).toEqual(["kept", "kept", "kept"]);
  });

  it("takes what changed for the agent's where that says that it wrote, without having told of a file before", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "old\n", "b.txt": "old\n" });
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "");
    await ledgers.settled();
    lab.write("a.txt", "agent\n");
    ledgers.wrote(claude);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed likely"]);
    ledgers.turnBegan(claude, "");
    await lab.told(ledgers, "a.txt", "told\n");
    lab.write("b.txt", "saved\n");
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed exact", "b.txt changed unknown"]);
  });

  it("leaves what may be the user's alone also where the undo waits for the agent", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "old\n", "b.txt": "old\n" });
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "");
    await lab.told(ledgers, "a.txt", "agent\n");
    lab.write("b.txt", "saved\n");
    // A look after no command.
    ledgers.turnBegan({ ...claude, session: "s2" }, "");
    await ledgers.settled();
    const id = ledgers.turns().find(({ session }) => session === "s1")?.id ?? "";
    const { files } = await ledgers.undo(id);
    expect(files.map(({ outcome }) => outcome).toSorted()).toEqual(["queued", "unsure"]);
    for (const session of ["s1", "s2"]) ledgers.turnEnded({ ...claude, session });
    await ledgers.settled();
    expect([lab.read("a.txt"), lab.read("b.txt")]).toEqual(["old\n", "saved\n"]);
  });

  it("does not take the user's lines for the agent's", async () => {
    const lab = new TurnLab();
    const lines = "1\n2\n3\n4\n5\n6\n";
    lab.write("a.txt", lines);
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "");
    await lab.told(ledgers, "a.txt", lines.replace("1\n", "one\n"));
    lab.write("a.txt", lines.replace("1\n", "one\n").replace("6\n", "six, by hand\n"));
    await lab.told(ledgers, "a.txt", "one\n2\n3, too\n4\n5\nsix, by hand\n");
    ledgers.turnEnded(claude);
    const id = ledgers.turns()[0]?.id ?? "";
    expect(await ledgers.beforeText(id, lab.path("a.txt"))).toBe("1\n2\n3\n4\n5\nsix, by hand\n");
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed exact"]);
  });

  it("names both agents where nobody can tell which one it was, and one where a hook told", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "two\n" });
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "one");
    ledgers.turnBegan(gemini, "other");
    ledgers.aboutToRun(claude, "x");
    ledgers.aboutToRun(gemini, "y");
    await ledgers.settled();
    lab.write("a.txt", "who?\n");
    await lab.told(ledgers, "b.txt", "gemini\n", gemini);
    ledgers.turnEnded(claude);
    ledgers.turnEnded(gemini);
    await ledgers.settled();
    const turns = ledgers.turns();
    expect(turns).toHaveLength(1);
    expect(turns[0]?.agents).toEqual(["Gemini CLI", "Claude Code"]);
    expect(lab.files(turns[0])).toEqual(["a.txt changed likely", "b.txt changed exact"]);
  });

  it("estimates a turn of which nobody tells begin and end", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    const ledgers = lab.open({ quietMs: 5_000 });
    ledgers.aboutToWrite(claude, [{ path: lab.path("a.txt") }]);
    ledgers.accepted(claude, lab.path("a.txt"), "two\n");
    await ledgers.settled();
    lab.write("a.txt", "two\n");
    lab.clock.advance(600);
    await ledgers.settled();
    expect(ledgers.turns()).toMatchObject([{ border: "estimated", ended: undefined }]);
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed exact"]);
    lab.clock.advance(5_000);
    await ledgers.settled();
    expect(ledgers.turns()[0]?.ended).toBeDefined();
  });

  it("ends an estimated turn with its agent: what comes then is nobody's", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const ledgers = lab.open();
    await lab.told(ledgers, "a.txt", "two\n");
    expect(ledgers.turns()).toMatchObject([{ border: "estimated", ended: undefined }]);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(ledgers.turns()[0]?.ended).toBeDefined();
    lab.write("mine.txt", "mine\n");
    lab.clock.advance(60_000);
    await ledgers.settled();
    expect(ledgers.turns().map((turn) => lab.files(turn))).toEqual([["a.txt changed exact"]]);
  });

  it("sees what a turn changes that begins right behind another one", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const ledgers = lab.open();
    await lab.told(ledgers, "a.txt", "two\n", gemini);
    ledgers.turnEnded(gemini);
    // It has not said that its turn begins, which would be work in between.
    ledgers.aboutToRun(claude, "make");
    await ledgers.settled();
    lab.write("made.txt", "made\n");
    ledgers.wrote(claude);
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(lab.files(ledgers.turns()[0])).toEqual(["made.txt created likely"]);
  });

  it("opens no turn for a tool that ends when the turn has ended: what changes then is nobody's", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const ledgers = lab.open();
    ledgers.turnBegan(claude, "Do it");
    ledgers.aboutToRun(claude, "make");
    await ledgers.settled();
    lab.write("a.txt", "two\n");
    ledgers.turnEnded(claude);
    ledgers.wrote(claude);
    await ledgers.settled();
    lab.write("mine.txt", "mine\n");
    lab.clock.advance(60_000);
    await ledgers.settled();
    expect(ledgers.turns().map((turn) => lab.files(turn))).toEqual([["a.txt changed likely"]]);
  });

  it.each([
    ["before", "its hook"],
    ["after", "its own protocol"],
  ])(
    "takes for reviewed what the user accepted %s the agent said that it writes, as by %s, and nothing else",
    async (order) => {
      const lab = new TurnLab();
      const names = ["as-accepted.txt", "otherwise.txt", "changed-before.txt"];
      for (const name of names) lab.write(name, "one\n");
      const ledgers = lab.open();
      ledgers.turnBegan(claude, "Change them");
      await lab.told(ledgers, "changed-before.txt", "ONE\n", claude);
      for (const name of names) {
        if (order === "before") ledgers.accepted(claude, lab.path(name), "two\n");
        ledgers.aboutToWrite(claude, [{ path: lab.path(name) }]);
        if (order === "after") ledgers.accepted(claude, lab.path(name), "two\n");
      }
      await ledgers.settled();
      for (const name of names) lab.write(name, name === "otherwise.txt" ? "formatted\n" : "two\n");
      ledgers.wrote(claude);
      await ledgers.settled();
      const reviews = (): unknown =>
        ledgers.turns()[0]?.files.map(({ path, review }) => [path.slice(lab.folder.length + 1), review]);
      expect(reviews()).toEqual([
        ["as-accepted.txt", "kept"],
        ["changed-before.txt", "unreviewed"],
        ["otherwise.txt", "unreviewed"],
      ]);
      // What the agent does to it later was not part of that review.
      await lab.told(ledgers, "as-accepted.txt", "three\n", claude);
      expect(reviews()).toContainEqual(["as-accepted.txt", "unreviewed"]);
      const [turn] = ledgers.turns();
      ledgers.turnEnded(claude);
      await ledgers.undo(turn?.id ?? "", { path: lab.path("as-accepted.txt") });
      expect(lab.read("as-accepted.txt")).toBe("two\n");
    },
  );

  it("keeps no text that may not be kept, none that is too large, and no binary", async () => {
    const lab = new TurnLab();
    lab.commit({ "secret.env": "KEY=first\n", "a.txt": "a\n" });
    const ledgers = lab.open({ mayKeep: (path) => !path.endsWith(".env"), limits: { file: 1_000 } });
    await lab.command(ledgers, () => {
      lab.write("secret.env", "KEY=other\n");
      lab.write("large.txt", "x".repeat(5_000));
      lab.write("image.png", new Uint8Array([0x89, 0x50, 0, 1, 0xff]));
    });
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["image.png binary likely", "large.txt large likely", "secret.env changed likely"]);
    expect(turn?.files.map(({ lines }) => lines)).toEqual([undefined, undefined, undefined]);
    expect(await ledgers.afterText(turn?.id ?? "", lab.path("secret.env"))).toBeUndefined();
    const kept = readdirSync(join(lab.storage, "texts")).map((name) =>
      readFileSync(join(lab.storage, "texts", name), "utf8"),
    );
    expect(kept.filter((text) => text.includes("KEY") || text.includes("xxx"))).toEqual([]);
  });

  it.each(["named in git", "new"])(
    "keeps no text of a file that holds secrets by convention, whoever asks: %s",
    async (how) => {
      const secrets =
        ".env .env.local .env.production prod.env .envrc .netrc _netrc .npmrc .pypirc .htpasswd .pgpass .git-credentials .dockercfg .my.cnf .vault-token credentials credentials.json secrets.yaml id_rsa id_ed25519 server.key cert.pem store.p12 a.kdbx prod.tfvars terraform.tfstate .ssh/config .aws/config .env~ id_rsa.bak sub/.ENV".split(
          " ",
        );
      const lab = new TurnLab();
      lab.commit({
        "a.txt": "a\n",
        ...(how === "new" ? {} : Object.fromEntries(secrets.map((name) => [name, "KEY=first\n"]))),
      });
      const ledgers = lab.open({ mayKeep: () => true });
      // By a hook, by an accepted proposal, and by a command that nobody told of.
      ledgers.turnBegan(claude, "");
      for (const [index, name] of secrets.entries()) {
        if (index % 3 === 0) await lab.told(ledgers, name, "KEY=told\n");
        if (index % 3 === 1) ledgers.accepted(claude, lab.path(name), "KEY=accepted\n");
      }
      await ledgers.settled();
      ledgers.aboutToRun(claude, "something");
      await ledgers.settled();
      for (const [index, name] of secrets.entries())
        lab.write(name, index % 3 === 1 ? "KEY=accepted\n" : `KEY=${"other".repeat(index)}\n`);
      ledgers.wrote(claude);
      ledgers.turnEnded(claude);
      await ledgers.settled();
      const [turn] = ledgers.turns();
      // A backup of an editor's is listed only where git has it.
      const listed = secrets.filter((name) => how !== "new" || name !== ".env~");
      expect(turn?.files.map(({ path }) => path).toSorted()).toEqual(listed.map((name) => lab.path(name)).toSorted());
      for (const { path } of turn?.files ?? []) {
        expect(await ledgers.beforeText(turn?.id ?? "", path), path).toBeUndefined();
        expect(await ledgers.afterText(turn?.id ?? "", path), path).toBeUndefined();
      }
      await ledgers.undo(turn?.id ?? "");
      await ledgers.settled();
      const kept = readdirSync(lab.storage, { recursive: true, withFileTypes: true, encoding: "utf8" })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
      expect(kept.length).toBeGreaterThan(0);
      expect(kept.filter((text) => text.includes("KEY"))).toEqual([]);
    },
  );

  it("does not take for new what is only opened in a turn, or not ignored any more", async () => {
    const lab = new TurnLab();
    lab.commit({ ".gitignore": "*.local\n", "a.txt": "a\n" });
    for (const name of ["open.local", "mine.local"]) utimesSync(lab.write(name, "mine\n"), 1_000, 1_000);
    // The time of an inode cannot be set back.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());
    const opened: string[] = [];
    const ledgers = lab.open({ openFiles: () => opened });
    await lab.command(ledgers, () => {
      lab.write("a.txt", "agent\n");
      opened.push(lab.path("open.local"));
    });
    await lab.command(ledgers, () => lab.write(".gitignore", ""));
    expect(ledgers.turns().map((turn) => lab.files(turn))).toEqual([
      [".gitignore changed likely"],
      ["a.txt changed likely"],
    ]);
    for (const { id } of ledgers.turns()) await ledgers.undo(id);
    expect([lab.read("open.local"), lab.read("mine.local")]).toEqual(["mine\n", "mine\n"]);
  });

  it("is not in doubt about a file that the user opens after the agent has written it", async () => {
    const lab = new TurnLab();
    lab.write("a.txt", "one\n");
    const opened: string[] = [];
    const ledgers = lab.open({ openFiles: () => opened });
    ledgers.turnBegan(claude, "Do it");
    await lab.told(ledgers, "a.txt", "two\n");
    ledgers.aboutToRun(claude, "make");
    lab.clock.advance(60_000);
    ledgers.wrote(claude);
    await ledgers.settled();
    opened.push(lab.path("a.txt"));
    ledgers.turnEnded(claude);
    await ledgers.settled();
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed exact"]);
  });

  it("says that another commit was checked out, and does not list its files", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n", "b.txt": "two\n" });
    lab.git("checkout", "-q", "-b", "other");
    lab.commit({ "a.txt": "other\n", "c.txt": "new there\n" });
    lab.git("checkout", "-q", "main");
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      lab.git("checkout", "-q", "other");
      lab.write("b.txt", "agent\n");
    });
    expect(ledgers.turns()[0]?.headMoved).toBe(true);
    expect(lab.files(ledgers.turns()[0])).toEqual(["b.txt changed likely"]);
  });

  it("knows what an agent committed itself", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const ledgers = lab.open();
    await lab.command(ledgers, () => lab.commit({ "a.txt": "agent\n", "b.txt": "agent, too\n" }));
    expect(ledgers.turns()[0]?.headMoved).toBe(false);
    expect(lab.files(ledgers.turns()[0])).toEqual(["a.txt changed likely", "b.txt created likely"]);
  });

  it("follows no link out of the workspace", async () => {
    const lab = new TurnLab();
    const outside = join(lab.root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "private.txt"), "private\n");
    lab.commit({ "a/private.txt": "mine\n", "b.txt": "b\n" });
    const ledgers = lab.open();
    await lab.command(ledgers, () => {
      symlinkSync(join(outside, "private.txt"), lab.path("link.txt"));
      lab.remove("a");
      symlinkSync(outside, lab.path("a"));
    });
    const [turn] = ledgers.turns();
    expect(lab.files(turn)).toEqual(["a link likely", "a/private.txt deleted likely", "link.txt link likely"]);
    expect(await ledgers.afterText(turn?.id ?? "", lab.path("link.txt"))).toBeUndefined();
    expect(await ledgers.afterText(turn?.id ?? "", lab.path("a/private.txt"))).toBeUndefined();
    expect(await ledgers.beforeText(turn?.id ?? "", lab.path("a/private.txt"))).toBe("mine\n");
  });

  it("looks into worktrees, submodules and nested repositories", async () => {
    const lab = new TurnLab();
    lab.commit({ "a.txt": "one\n" });
    const other = join(lab.root, "other");
    mkdirSync(other);
    writeFileSync(join(other, "s.txt"), "sub\n");
    for (const given of [
      ["init", "-q"],
      ["add", "-A"],
      ["commit", "-q", "-m", "s"],
    ])
      lab.gitIn(other, ...given);
    lab.git("submodule", "--quiet", "add", other, "sub");
    lab.git("commit", "-q", "-m", "sub");
    const tree = join(lab.root, "tree");
    lab.git("worktree", "add", "-q", tree, "-b", "tree");
    lab.write("nested/n.txt", "nested\n");
    for (const given of [
      ["init", "-q"],
      ["add", "-A"],
      ["commit", "-q", "-m", "n"],
    ]) {
      lab.gitIn(lab.path("nested"), ...given);
    }
    const ledgers = lab.open({ folders: [lab.folder, tree] });
    await lab.command(ledgers, () => {
      lab.write("sub/s.txt", "agent\n");
      lab.write("nested/n.txt", "agent\n");
      writeFileSync(join(tree, "a.txt"), "agent\n");
    });
    const [turn] = ledgers.turns();
    expect(turn?.files.map(({ path, kind }) => `${path.slice(lab.root.length + 1)} ${kind}`)).toEqual([
      "tree/a.txt changed",
      "work/nested/n.txt changed",
      "work/sub/s.txt changed",
    ]);
    for (const [path, text] of [
      [lab.path("sub/s.txt"), "sub\n"],
      [lab.path("nested/n.txt"), "nested\n"],
      [join(tree, "a.txt"), "one\n"],
    ] as const) {
      expect(await ledgers.beforeText(turn?.id ?? "", path)).toBe(text);
    }
  });
});
