import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type AgentDriver, createGeminiDriver } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Lifecycle, onProcessEnd, startLifecycle } from "../src/lifecycle.ts";
import { toBufferText } from "../src/diff/buffer-reader.ts";
import { SimulatedCoc } from "./simulated/simulated-coc.ts";

// The extension as coc starts it, with a real companion and an agent on a real connection.

let coc: SimulatedCoc;
let running: Lifecycle | undefined;
let agent: AgentDriver | undefined;

beforeEach(() => {
  coc = new SimulatedCoc();
  vi.stubEnv("HOME", coc.home);
  for (const name of ["QWEN_HOME", "CLAUDE_CONFIG_DIR", "TMUX"]) vi.stubEnv(name, undefined);
});

afterEach(async () => {
  await agent?.end();
  // The editor ends: nobody is to wait for the next start.
  await coc.request("VimLeavePre");
  await running?.end();
  running = agent = undefined;
  coc.dispose();
  vi.unstubAllEnvs();
});

const records = (): readonly string[] => {
  const folder = join(coc.temporary, "gemini", "ide");
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
};

async function start(): Promise<Lifecycle> {
  running = await startLifecycle(coc.api, coc.context);
  await expect.poll(records).not.toEqual([]);
  return running;
}

async function connect(): Promise<AgentDriver> {
  agent = createGeminiDriver({
    cwd: coc.folder,
    home: coc.home,
    temporaryDirectory: coc.temporary,
    idePid: process.pid,
  });
  await agent.connect();
  await agent.until("the first context", ({ contexts }) => contexts > 0);
  return agent;
}

/** The review that is on the screen. */
async function shownReview(): Promise<string> {
  const opened = (): string | undefined => coc.vim.reviewIds.at(-1);
  await expect.poll(opened).toBeDefined();
  return opened() ?? "";
}

describe("the extension", () => {
  it("is found by an agent, and a verdict in the editor reaches it", async () => {
    await start();
    const driver = await connect();
    expect(coc.status).toBe("Gemini CLI");
    const path = join(coc.folder, "a.txt");
    writeFileSync(path, "one\n");
    const proposal = driver.propose({ path, text: "two\n" });
    const id = await shownReview();
    coc.vim.type(id, toBufferText("two, and mine\n"));
    coc.vim.accept(id);
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "two, and mine\n", userModified: true });
  });

  it("tells the editor's terminals where to find it, and users' autocommands who has come", async () => {
    await start();
    await connect();
    const calls = coc.vim.calls.filter(({ name }) => name === "patchbay#environment");
    expect(calls.at(-1)?.args[0]).toHaveProperty("GEMINI_CLI_IDE_SERVER_PORT");
    const announced = coc.vim.calls.filter(({ name }) => name === "patchbay#announce").map(({ args }) => args);
    expect(announced).toEqual([["PatchbayConnected", { agent: "Gemini CLI" }]]);
  });

  it("follows the settings while it runs", async () => {
    await start();
    const driver = await connect();
    writeFileSync(join(coc.folder, "b.txt"), "text\n");
    coc.vim.openFile(join(coc.folder, "b.txt"));
    await driver.until("the file", ({ view }) => view?.openFiles.length === 1);
    coc.set("share.enabled", false);
    await driver.until("nothing", ({ view }) => view?.openFiles.length === 0);
  });

  it("makes its scripts and its help known where coc installed it, and only there", async () => {
    await start();
    expect(coc.vimCommands).toEqual([]);
    await running?.end();
    coc.scripts = [];
    await start();
    const folder = join(coc.root, "extension, of coc", "lib", "vim").replaceAll(" ", "\\ ");
    expect(coc.vimCommands).toEqual([
      `set runtimepath+=${folder.replaceAll(",", "\\,")}`,
      `silent! helptags ${folder}/doc`,
    ]);
  });

  it("works where nothing can be kept, and says so in the log", async () => {
    writeFileSync(join(coc.root, "data"), "in the way");
    await start();
    expect(coc.log).toContainEqual(expect.stringContaining("Nothing is kept across restarts"));
    await connect();
  });
});

describe("coc's service", () => {
  it.each(["register", "regist"] as const)("is registered by the name that this coc has for it: %s", async (name) => {
    coc.serviceFunction = name;
    await start();
    expect(coc.services.size).toBe(1);
    await running?.end();
    expect(coc.services.size).toBe(0);
  });

  it("is not missed by a coc without services", async () => {
    coc.serviceFunction = undefined;
    await start();
    await connect();
  });

  it("can be started and stopped over and over, and runs once", async () => {
    await start();
    const { length } = records();
    await coc.run("patchbay.restart");
    await expect.poll(records).toHaveLength(length);
    await connect();
    expect(coc.log).toEqual([]);
  });
});

describe("an extension that ends while a review is open", () => {
  it("leaves the review and the agent to the next start, which takes the verdict", async () => {
    const lifecycle = await start();
    const driver = await connect();
    const path = join(coc.folder, "a.txt");
    writeFileSync(path, "one\n");
    const proposal = driver.propose({ path, text: "two\n" });
    const id = await shownReview();
    let decided = false;
    void proposal.outcome.then(() => (decided = true));
    await lifecycle.end();
    expect(coc.vim.review(id)?.state).toBe("open");
    // Nobody listens any more: Vim tells nobody, and the text stays in its buffer.
    expect(coc.commandNames).toEqual([]);
    coc.vim.typeSilently(id, toBufferText("two, typed meanwhile\n"));
    const before = driver.status.contexts;
    await start();
    await driver.until("connected again", ({ contexts, state }) => state === "connected" && contexts > before);
    expect(decided).toBe(false);
    await expect.poll(() => coc.vim.reviewIds).toEqual([id]);
    coc.vim.accept(id);
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "two, typed meanwhile\n" });
  });

  it("tells the agent when the editor itself ends, and leaves no record behind", async () => {
    await start();
    const driver = await connect();
    const path = join(coc.folder, "a.txt");
    writeFileSync(path, "one\n");
    const proposal = driver.propose({ path, text: "two\n" });
    await shownReview();
    await coc.request("VimLeavePre");
    expect(await proposal.outcome).toMatchObject({ kind: "rejected" });
    expect(records()).toEqual([]);
    expect(readFileSync(path, "utf8")).toBe("one\n");
  });
});

it("leaves nothing of itself behind in coc", async () => {
  const before = coc.registered;
  const lifecycle = await start();
  expect(coc.registered).toBeGreaterThan(before);
  await lifecycle.end();
  expect([coc.registered, coc.status]).toEqual([before, undefined]);
});

describe("the end of coc's process", () => {
  /** Stands for coc's own handling of the signal. */
  const other = (): void => {};
  beforeEach(() => void process.on("SIGTERM", other));
  afterEach(() => void process.off("SIGTERM", other));

  it("takes the records away at once, and stops in order", async () => {
    const listening = process.listenerCount("SIGTERM");
    await start();
    expect(process.listenerCount("SIGTERM")).toBe(listening + 1);
    process.emit("SIGTERM");
    await expect.poll(() => process.listenerCount("SIGTERM")).toBe(listening);
    expect(records()).toEqual([]);
  });

  it("listens no longer than it has to", () => {
    const counts = (): readonly number[] => ["SIGTERM", "exit"].map((name) => process.listenerCount(name));
    const before = counts();
    const ends = onProcessEnd({ terminate: async () => {}, exit: () => {} });
    expect(counts()).not.toEqual(before);
    ends.dispose();
    expect(counts()).toEqual(before);
  });
});
