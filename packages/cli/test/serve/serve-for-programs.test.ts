import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { LineReader } from "@patchbay/core/json-input";
import { createClaudeDriver, createGeminiDriver, createTestPlatform, type TestPlatform } from "@patchbay/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseCommandLine, type ServeCommand } from "../../src/command-line.ts";
import { serveAsJson } from "../../src/serve/serve-as-json.ts";

let platform: TestPlatform;
let program: Program;

/** A program that reads and writes lines of JSON. */
class Program {
  readonly heard: Record<string, unknown>[] = [];
  readonly input: PassThrough = new PassThrough();
  readonly #abort: AbortController = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: Partial<ServeCommand> = {}, moreFolders: readonly string[] = []) {
    const output = new PassThrough();
    const lines = new LineReader({ onLine: (line) => this.heard.push(JSON.parse(line)) });
    output.on("data", (chunk) => lines.push(chunk));
    const plain = parseCommandLine(["serve", platform.workspace, "--json"], "/");
    if (plain.kind !== "serve") throw new Error("this is no command of serve");
    const command = { ...plain, ...options };
    const { signal } = this.#abort;
    this.#running = serveAsJson({
      command,
      folder: platform.workspace,
      moreFolders,
      platform,
      signal,
      input: this.input,
      output,
    });
  }

  tell(command: unknown): void {
    this.input.write(`${JSON.stringify(command)}\n`);
  }

  async event(name: string): Promise<Record<string, unknown>> {
    const found = (): Record<string, unknown> | undefined => this.heard.find(({ event }) => event === name);
    await expect.poll(found, { timeout: 10_000 }).toBeDefined();
    return found() ?? {};
  }

  /** The answer to a command. */
  async ask(command: Readonly<Record<string, unknown>>): Promise<unknown> {
    const request = `request ${this.heard.length}`;
    const found = (): unknown => this.heard.find((one) => one["request"] === request);
    this.tell({ ...command, request });
    await expect.poll(found).toBeDefined();
    return found();
  }

  async end(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }
}

const where = (): { cwd: string; home: string; temporaryDirectory: string } => {
  return { cwd: platform.workspace, home: platform.home, temporaryDirectory: platform.tmp };
};

const at = (name: string): string => join(platform.workspace, name);

beforeEach(() => {
  platform = createTestPlatform();
  writeFileSync(at("a.txt"), "one\ntwo\nthree\n");
});

afterEach(async () => {
  await program.end();
  platform.dispose();
});

describe("a program that serves a folder", () => {
  it("says in which version it speaks, and answers each command that asks for it, in any order", async () => {
    program = new Program();
    expect(await program.event("listening")).toMatchObject({ protocol: 1, folder: platform.workspace });
    expect(await program.ask({ command: "open", file: "a.txt" })).toMatchObject({ event: "done" });
    expect(await program.ask({ command: "accept", id: "none" })).toMatchObject({
      event: "error",
      message: "No proposal none waits.",
    });
    program.tell({ command: "fly", request: 7 });
    program.tell({ command: "close", file: "a.txt", request: 8 });
    await expect.poll(() => program.heard).toContainEqual({ event: "done", request: 8 });
    const message = 'Invalid command: it needs a "command" that is known.';
    expect(program.heard).toContainEqual({ event: "error", request: 7, message });
    const count = program.heard.length;
    program.tell({ command: "open", file: "a.txt" });
    program.tell({ command: "close", file: "a.txt", request: 9 });
    await expect.poll(() => program.heard.slice(count)).toEqual([{ event: "done", request: 9 }]);
  });

  it("decides all, or all in a folder", async () => {
    program = new Program();
    await program.event("listening");
    mkdirSync(at("src/deep"), { recursive: true });
    mkdirSync(at("src2"));
    const agents = [createGeminiDriver(where()), createClaudeDriver(where()), createGeminiDriver(where())];
    const names = ["src/deep/a.txt", "src2/b.txt", "c.txt"];
    for (const [index, agent] of agents.entries()) {
      await agent.connect();
      agent.propose({ path: at(names[index] ?? ""), text: "new\n" });
    }
    await expect.poll(() => program.heard.filter(({ event }) => event === "proposal")).toHaveLength(3);
    const ended = (): readonly string[] => {
      const asked = program.heard.filter(({ event }) => event === "proposal");
      const pathOf = (wanted: unknown): unknown => asked.find(({ id }) => id === wanted)?.["path"];
      return program.heard.flatMap(({ event, id, how }) => (event === "ended" ? [[pathOf(id), how].join(" ")] : []));
    };
    expect(await program.ask({ command: "reject-all", folder: "src" })).toMatchObject({ event: "done" });
    await expect.poll(ended).toEqual([`${at("src/deep/a.txt")} rejected`]);
    expect(await program.ask({ command: "accept-all", folder: at("src2/") })).toMatchObject({ event: "done" });
    await expect.poll(ended).toHaveLength(2);
    expect(ended()[1]).toBe(`${at("src2/b.txt")} accepted`);
    expect(await program.ask({ command: "reject-all", folder: 7 })).toMatchObject({ event: "error" });
    expect(await program.ask({ command: "accept-all" })).toMatchObject({ event: "done" });
    await expect.poll(ended).toHaveLength(3);
    for (const agent of agents) await agent.end();
  });

  it("accepts what it shows, with the text that it shows", async () => {
    program = new Program();
    await program.event("listening");
    const agent = createGeminiDriver(where());
    await agent.connect();
    const proposal = agent.propose({ path: at("a.txt"), text: "ONE\n" });
    const { id, original } = await program.event("proposal");
    expect(original).toBe("one\ntwo\nthree\n");
    expect(await program.ask({ command: "accept", id, text: "mine\n" })).toMatchObject({ event: "done" });
    expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: "mine\n" });
    const second = agent.propose({ path: at("a.txt"), text: "again\n" });
    await expect.poll(() => program.heard.filter(({ event }) => event === "proposal")).toHaveLength(2);
    const { id: other } = program.heard.findLast(({ event }) => event === "proposal") ?? {};
    program.tell({ command: "accept", id: other, text: null });
    expect(await second.outcome).toMatchObject({ kind: "accepted", written: "again\n" });
    await agent.end();
  });

  it("takes any text that JSON can hold as it is, cut into pieces anywhere, and the last line without its end", async () => {
    program = new Program();
    await program.event("listening");
    const agent = createGeminiDriver(where());
    await agent.connect();
    const proposals = (): readonly Record<string, unknown>[] =>
      program.heard.filter(({ event }) => event === "proposal");
    for (const [index, text] of ["a\u2028b\u2029c\u0085d\v\fe\n", "ä€😀\u2028\n"].entries()) {
      const proposal = agent.propose({ path: at("a.txt"), text: "new\n" });
      await expect.poll(proposals).toHaveLength(index + 1);
      const { id } = proposals()[index] ?? {};
      const line = Buffer.from(`${JSON.stringify({ command: "accept", id, text, request: text })}\r\n`);
      for (const byte of line) program.input.write(Buffer.from([byte]));
      await expect.poll(() => program.heard).toContainEqual({ event: "done", request: text });
      expect(await proposal.outcome).toMatchObject({ kind: "accepted", written: text });
    }
    program.input.end(JSON.stringify({ command: "fly", request: "\u2028" }));
    await expect.poll(() => program.heard).toContainEqual(expect.objectContaining({ request: "\u2028" }));
    await agent.end();
  });

  it("says where the cursor is and what is selected, by columns", async () => {
    program = new Program();
    await program.event("listening");
    const agent = createGeminiDriver(where());
    await agent.connect();
    const selection = { start: { line: 0, character: 1 }, end: { line: 1, character: 2 } };
    program.tell({ command: "open", file: "a.txt", selection });
    await agent.until("the selection", ({ view }) => JSON.stringify(view).includes("ne\\ntw"));
    writeFileSync(at("odd:2"), "one line\n");
    program.tell({ command: "open", file: "odd:2", cursor: { line: 0, character: 1 } });
    await agent.until("a name that ends like lines", ({ view }) => view?.active === at("odd:2"));
    program.tell({ command: "open", file: "a.txt", cursor: { line: 2, character: 4 } });
    await agent.until("the cursor", ({ view }) => JSON.stringify(view).includes('"character":4'));
    expect(await program.ask({ command: "open", file: "a.txt", cursor: { line: -1, character: 0 } })).toMatchObject({
      event: "error",
      message: 'Invalid command: its "cursor.line" is missing or of the wrong kind.',
    });
    await agent.end();
  });

  it("serves several folders at once, under one port", async () => {
    const other = join(platform.root, "other");
    mkdirSync(other);
    writeFileSync(join(other, "b.txt"), "b\n");
    program = new Program({}, [other]);
    expect(await program.event("listening")).toMatchObject({ folders: [platform.workspace, other] });
    const agent = createGeminiDriver({ ...where(), cwd: other });
    await agent.connect();
    const proposal = agent.propose({ path: join(other, "b.txt"), text: "B\n" });
    const { id, path } = await program.event("proposal");
    expect(path).toBe(join(other, "b.txt"));
    program.tell({ command: "accept", id });
    expect(await proposal.outcome).toMatchObject({ kind: "accepted" });
    expect(readFileSync(join(other, "b.txt"), "utf8")).toBe("B\n");
    await agent.end();
  });

  it("tells agents what problems files have, where it has said that it will", async () => {
    program = new Program({ problems: true });
    await program.event("listening");
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
    const problem = { message: "two is no word", severity: "Error", range, source: "spell" };
    await program.ask({ command: "problems", file: "a.txt", problems: [problem] });
    const agent = createClaudeDriver(where());
    await agent.connect();
    const read = async (): Promise<string> => (await agent.callTool("getDiagnostics", {})).join("\n");
    expect(await read()).toContain("two is no word");
    await program.ask({ command: "problems", file: "a.txt", problems: [] });
    expect(await read()).not.toContain("two is no word");
    await agent.end();
  });

  it("is understood in all that its reference shows, which names all that it tells", async () => {
    program = new Program({ problems: true });
    await program.event("listening");
    const reference = readFileSync(new URL("../../../../docs/serve-json.md", import.meta.url), "utf8");
    const shown = reference.split("\n").filter((line) => line.startsWith('{"command"') && !line.includes('"quit"'));
    expect(shown.length).toBeGreaterThan(15);
    for (const line of shown) program.input.write(`${line}\n`);
    await program.ask({ command: "close", file: "a.txt" });
    const failures = program.heard.flatMap(({ message }) => (typeof message === "string" ? [message] : []));
    expect(failures.filter((message) => message.startsWith("Invalid"))).toEqual([]);
    const source = readFileSync(new URL("../../src/serve/serve-as-json.ts", import.meta.url), "utf8");
    const told = Array.from(source.matchAll(/\btell\("([a-z-]+)"/gu), ([, name = ""]) => name);
    expect(Array.from(new Set(told)).filter((name) => !reference.includes(`| \`${name}\` |`))).toEqual([]);
    const taken = Array.from(source.matchAll(/^ {4}case "([a-z-]+)":/gmu), ([, name = ""]) => name);
    expect(taken.filter((name) => !reference.includes(`{"command":"${name}"`))).toEqual([]);
  });

  it("is told that nobody hears of problems where it has not", async () => {
    program = new Program();
    expect(await program.ask({ command: "problems", file: "a.txt", problems: [] })).toMatchObject({
      event: "error",
      message: "Start with --problems to tell agents of problems.",
    });
  });
});

describe("the command line for programs", () => {
  it("takes more folders and problems with --json alone", () => {
    program = new Program();
    const parse = (...args: readonly string[]): unknown => parseCommandLine(["serve", ...args], "/cwd");
    expect(parse("--json", "--folder", "/b", "--folder", "/c", "--problems")).toMatchObject({
      moreFolders: ["/b", "/c"],
      problems: true,
    });
    expect(() => parse("--folder", "/b")).toThrow("--folder is for programs: use it with --json.");
    expect(() => parse("--problems")).toThrow("--problems is for programs: use it with --json.");
  });
});
