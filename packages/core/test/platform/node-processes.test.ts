import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createNodePlatform, nodeProcesses } from "../../src/platform/node.ts";

let folder: string;
/** Where such programs work. */
const { root } = parse(process.execPath);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "patchbay-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the program writes into a file, once it is there as a whole. */
async function wrote(file: string): Promise<string> {
  await expect.poll(() => read(file), { timeout: 10_000 }).toMatch(/end$/);
  return read(file);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not written yet.
    return "";
  }
}

function descriptorOf(server: Server): number | undefined {
  const handle: unknown = Reflect.get(server, "_handle");
  const descriptor: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  return typeof descriptor === "number" ? descriptor : undefined;
}

describe("programs that outlive us", () => {
  it("have modules, a process group of their own, and no folder of the user", async () => {
    const file = join(folder, "facts");
    const listed = `[process.cwd(), process.argv.length, process.env.ELECTRON_RUN_AS_NODE, process.env.NODE_OPTIONS, process.pid]`;
    const program = `require("node:fs").writeFileSync(${JSON.stringify(file)}, ${listed}.join(" ") + " end")`;
    expect(await nodeProcesses.startDetached(program)).toBe(true);
    const facts = await wrote(file);
    expect(facts.startsWith(`${root} 2 1  `)).toBe(true);
    expect(facts.slice(`${root} 2 1  `.length)).toMatch(/^\d+ end$/u);
  });

  it("take more than a pipe holds", async () => {
    const file = join(folder, "length");
    const text = "x".repeat(300_000);
    const program = `require("node:fs").writeFileSync(${JSON.stringify(file)}, "${text}".length + " end")`;
    expect(await nodeProcesses.startDetached(program)).toBe(true);
    expect(await wrote(file)).toBe("300000 end");
  });

  // On Windows nothing is between: there a host that ends the tree below it ends this as well.
  it.skipIf(process.platform === "win32")(
    "are not below us: a host that ends what it has started spares them",
    async () => {
      const file = join(folder, "pid");
      const stay = `setTimeout(() => {}, 20_000)`;
      const program = `require("node:fs").writeFileSync(${JSON.stringify(file)}, process.pid + " end");${stay}`;
      expect(await nodeProcesses.startDetached(program)).toBe(true);
      const pid = Number.parseInt(await wrote(file), 10);
      try {
        expect(await ancestors(pid)).not.toContain(process.pid);
      } finally {
        process.kill(pid);
      }
    },
  );
});

async function ancestors(pid: number): Promise<readonly number[]> {
  const parent = await createNodePlatform().process.parentOf(pid);
  return parent === undefined || parent === 0 ? [] : [parent, ...(await ancestors(parent))];
}

describe("programs at the other end of a pipe", () => {
  const program = (file: string): string =>
    `((lines) => (line) => line === undefined
      ? require("node:fs").writeFileSync(${JSON.stringify(file)}, [...lines, process.cwd(), process.argv.length, "end"].join(" "))
      : lines.push(line))([])`;

  it("get each line, hear the end, and show nothing of it in their arguments", async () => {
    const file = join(folder, "lines");
    const pipe = await nodeProcesses.startAttached?.(program(file));
    pipe?.send("first");
    pipe?.send("é".repeat(200_000));
    void pipe?.end();
    expect(await wrote(file)).toBe(`first ${"é".repeat(200_000)} ${root} 1 end`);
    // Nobody is there any more.
    pipe?.send("late");
  });

  it("say when they have ended, with what they were given", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const slow = `(line) => { if (line === "") { const end = Date.now() + 300; while (Date.now() < end); process.exit(); } }`;
    const pipe = await nodeProcesses.startAttached?.(slow, descriptorOf(server));
    await new Promise((resolve) => server.close(resolve));
    pipe?.send("");
    await pipe?.end();
    const next = createServer();
    onTestFinished(() => void next.close());
    await new Promise<void>((resolve, reject) => next.on("error", reject).listen(port, "127.0.0.1", resolve));
  });

  it("do nothing before the end", async () => {
    const file = join(folder, "lines");
    const pipe = await nodeProcesses.startAttached?.(program(file));
    pipe?.send("first");
    await new Promise((resolve) => setImmediate(resolve));
    expect(read(file)).toBe("");
    void pipe?.end();
    expect(await wrote(file)).toBe(`first ${root} 1 end`);
  });
});
