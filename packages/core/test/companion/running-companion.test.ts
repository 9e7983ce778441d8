import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createGeminiDriver, isMissing } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CompanionState } from "../../src/companion.ts";
import { nodeProcesses } from "../../src/platform/node.ts";
import type { ProgramPipe } from "../../src/platform/platform.ts";
import { endPortHolders, untilHeld } from "../port-holder/holders.ts";
import { answers, createWorkspaceLab, portOf } from "../workspace-lab.ts";

describe("start and stop", () => {
  it("start twice is one start", async () => {
    const { build } = createWorkspaceLab();
    const { companion } = build();
    const states: CompanionState["kind"][] = [];
    companion.onDidChangeState((state) => states.push(state.kind));
    await Promise.all([companion.start(), companion.start()]);
    expect(states).toEqual(["starting", "listening"]);
  });

  it("records that a cleaner took away are back within five seconds, although nothing else happens", async () => {
    const { build, platform } = createWorkspaceLab();
    const { companion } = build();
    await companion.start();
    const records = (): readonly string[] =>
      [join(platform.tmp, "gemini", "ide"), join(platform.tmp, "qwen", "ide"), join(platform.home, ".claude", "ide")]
        .filter((directory) => existsSync(directory))
        .flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)));
    const before = records();
    expect(before).toHaveLength(3);
    await companion.restored;
    for (const path of before) rmSync(path);
    rmSync(join(platform.tmp, "gemini"), { recursive: true });
    await expect.poll(records, { timeout: 5_000 }).toEqual(before);
  });

  it("a start that failed leaves nothing behind, and can be tried again", async () => {
    const { build, platform, file, agent } = createWorkspaceLab();
    const { companion, editor } = build();
    editor.fail("workspace.folders", new Error("not yet"), 1);
    await expect(companion.start()).rejects.toThrow("not yet");
    expect(companion.state.kind).toBe("failed");
    await companion.start();
    expect(readdirSync(join(platform.home, ".claude", "ide"))).toEqual([`${portOf(companion)}.lock`]);
    const driver = await agent(createGeminiDriver);
    editor.openFile(file);
    await driver.until("the file", (status) => status.view?.active === file);
  });

  it("a stop during the start ends what the start began", async () => {
    const { build, platform } = createWorkspaceLab();
    const { companion } = build();
    let port = 0;
    companion.onDidChangeState((state) => {
      if (state.kind === "listening") port = state.port;
    });
    const starting = companion.start();
    await companion.stop();
    await starting;
    await companion.restored;
    expect(companion.state.kind).toBe("stopped");
    expect(companion.environment).toEqual({});
    expect(await answers(port)).toBe(false);
    expect(readdirSync(join(platform.home, ".claude", "ide"))).toEqual([]);
  });

  it("what has been stopped, also before it was started, does not start any more", async () => {
    const { build } = createWorkspaceLab();
    const { companion } = build();
    await companion.stop();
    await companion.restored;
    await expect(companion.start()).rejects.toMatchObject({ code: "stopped" });
  });

  it("a stop ends, and takes the records away, although the editor never answers", async () => {
    const { build, platform, file, agent } = createWorkspaceLab();
    const { companion, editor } = build();
    await companion.start();
    const driver = await agent(createGeminiDriver);
    const proposal = driver.propose({ path: file, text: "one\n2\n" });
    const view = await editor.nextView();
    await proposal.asked;
    view.currentText = () => new Promise(() => {});
    view.close = () => new Promise(() => {});
    await companion.stop({ reload: true });
    expect(readdirSync(join(platform.home, ".qwen", "ide"))).toEqual([]);
  });

  it("listeners that throw disturb nobody", async () => {
    const { build, file, agent } = createWorkspaceLab();
    const { companion, editor } = build();
    const broken = (): never => {
      throw new Error("listener");
    };
    companion.onDidChangeState(broken);
    companion.onDidChangeEnvironment(broken);
    companion.onDidChangeSessions(broken);
    companion.onDidChangeProposals(broken);
    await companion.start();
    const driver = await agent(createGeminiDriver);
    const proposal = driver.propose({ path: file, text: "one\n2\n" });
    (await editor.nextView()).accept();
    expect(await proposal.outcome).toMatchObject({ kind: "accepted" });
  });

  it("folders are announced without a separator at their end", async () => {
    const { build, platform } = createWorkspaceLab();
    const { companion } = build([`${platform.workspace}/`]);
    await companion.start();
    const lock = readFileSync(join(platform.home, ".claude", "ide", `${portOf(companion)}.lock`), "utf8");
    expect(JSON.parse(lock)).toMatchObject({ workspaceFolders: [platform.workspace] });
  });

  it("folders that change quickly end as they are, not as they were", async () => {
    const { build, platform } = createWorkspaceLab();
    const { companion, editor } = build();
    await companion.start();
    const realPath = platform.files.realPath.bind(platform.files);
    let letGo: (() => void) | undefined;
    platform.files.realPath = async (path) => {
      if (path.endsWith("changed-first")) await new Promise<void>((resolve) => (letGo = resolve));
      return realPath(path);
    };
    editor.setFolders([join(platform.root, "changed-first")]);
    await expect.poll(() => letGo).toBeDefined();
    editor.setFolders([join(platform.root, "changed-last")]);
    letGo?.();
    const lock = (): string => readFileSync(join(platform.home, ".claude", "ide", `${portOf(companion)}.lock`), "utf8");
    await expect.poll(lock).toContain("changed-last");
    await companion.stop();
  });
});

describe("a port that another program took meanwhile", () => {
  const take = async (port: number): Promise<void> => {
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  };

  it.skipIf(isMissing("facts about processes"))(
    "agents that were connected cannot reconnect by themselves: the user is told once what to type",
    async () => {
      const { build, agent } = createWorkspaceLab();
      const one = build();
      await one.companion.start();
      await agent(createGeminiDriver);
      const port = portOf(one.companion);
      await one.companion.stop({ reload: true });
      await untilHeld(port);
      await endPortHolders();
      await take(port);
      const two = build();
      await two.companion.start();
      expect(portOf(two.companion)).not.toBe(port);
      expect((await two.editor.messages.next("port-lost")).message.text).toMatch(
        /Gemini CLI cannot reconnect.*\/ide enable/u,
      );
    },
  );

  it("says nothing where no agent was connected", async () => {
    const { build } = createWorkspaceLab();
    const one = build();
    await one.companion.start();
    const port = portOf(one.companion);
    await one.companion.stop({ reload: true });
    await take(port);
    const two = build();
    await two.companion.start();
    await two.companion.restored;
    expect(two.editor.shownMessages).toEqual([]);
  });
});

describe("a storage that cannot be used", () => {
  it.runIf(process.platform !== "win32")(
    "keeps nobody from being served, and the user is told what to do",
    async () => {
      const { build, platform, agent } = createWorkspaceLab();
      const { companion, editor } = build();
      // Whoever may rename what is in it may put another storage in the place of ours.
      chmodSync(platform.root, 0o777);
      await companion.start();
      expect((await editor.messages.next("nothing-kept")).message.text).toContain(`chmod o-w ${platform.root}`);
      expect((await agent(createGeminiDriver)).status.state).toBe("connected");
      expect(existsSync(editor.storageDirectory ?? "")).toBe(false);
    },
  );
});

describe("two editors in one folder at once", () => {
  it("the second takes neither the port nor the proposals of the first", async () => {
    const { build, file, agent } = createWorkspaceLab();
    const one = build();
    await one.companion.start();
    const driver = await agent(createGeminiDriver);
    driver.propose({ path: file, text: "one\n2\n" });
    (await one.editor.nextView()).type("mine\n");
    await expect
      .poll(() => readdirSync(one.editor.storageDirectory ?? "").filter((name) => name.startsWith("proposal-")).length)
      .toBe(1);

    const two = build();
    await two.companion.start();
    await two.companion.restored;
    expect(portOf(two.companion)).not.toBe(portOf(one.companion));
    expect(two.companion.proposals).toEqual([]);
    expect(two.editor.views).toEqual([]);

    const port = portOf(one.companion);
    await one.companion.stop({ reload: true });
    const again = build();
    await again.companion.start();
    expect(portOf(again.companion)).toBe(port);
    expect((await again.editor.nextView()).request.draftText).toBe("mine\n");
    await driver.until("connected again", (status) => status.state === "connected" && status.contexts > 1, 10_000);
  });

  it("the first has its port again, however long its guardian takes to end", async () => {
    const { build, platform, file, agent } = createWorkspaceLab();
    const pipes: ProgramPipe[] = [];
    const startAttached = async (program: string, descriptor?: number): Promise<ProgramPipe | undefined> => {
      const wait = `if (line === "") for (const end = Date.now() + 250; Date.now() < end;);`;
      const slow = `((inner) => (line) => { ${wait} inner(line); })(${program})`;
      const pipe = await nodeProcesses.startAttached?.(slow, descriptor);
      if (pipe !== undefined) pipes.push(pipe);
      return pipe;
    };
    Object.assign(platform, { processes: { ...nodeProcesses, startAttached } });
    const one = build();
    await one.companion.start();
    const driver = await agent(createGeminiDriver);
    driver.propose({ path: file, text: "one\n2\n" });
    await one.editor.nextView();
    await expect.poll(() => pipes.length).toBe(1);
    const port = portOf(one.companion);
    await one.companion.stop({ reload: true });
    const again = build();
    await again.companion.start();
    expect(portOf(again.companion)).toBe(port);
    await driver.until("connected again", (status) => status.state === "connected" && status.contexts > 1, 10_000);
  });

  it("the second keeps its own port over a reload", async () => {
    const { build } = createWorkspaceLab();
    await build().companion.start();
    const two = build();
    await two.companion.start();
    const port = portOf(two.companion);
    await two.companion.stop({ reload: true });
    const again = build();
    await again.companion.start();
    expect(portOf(again.companion)).toBe(port);
  });
});
