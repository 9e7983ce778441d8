import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const root = new URL("..", import.meta.url);
const example = new URL("readme-example.ts", import.meta.url);

describe("the README's smallest editor", () => {
  it("is the one that is type-checked here", () => {
    const [, shown] = /```ts\n([^]*?)```/u.exec(readFileSync(new URL("README.md", root), "utf8")) ?? [];
    expect(shown).toBe(readFileSync(example, "utf8"));
  });

  it("can be found while it runs", async () => {
    const home = mkdtempSync(join(tmpdir(), "patchbay-readme-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const temporary = join(home, "tmp");
    mkdirSync(temporary);
    const child = spawn(process.execPath, ["--conditions=@patchbay/source", example.pathname], {
      env: { ...process.env, HOME: home, TMPDIR: temporary },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [output] = await once(child.stdout, "data");
    expect(String(output)).toContain("GEMINI_CLI_IDE_SERVER_PORT");
    const records = [join(temporary, "gemini", "ide"), join(home, ".qwen", "ide"), join(home, ".claude", "ide")];
    expect(records.map((directory) => readdirSync(directory).length)).toEqual([1, 1, 1]);
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(records.map((directory) => readdirSync(directory).length)).toEqual([0, 0, 0]);
  });
});

it.skipIf(!existsSync(new URL("dist", root)))("everything that the package promises is there (needs a build)", () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  const { exports, files } = Object(manifest);
  const promised: unknown[] = [...Object.values(Object(Object(exports)["."])), ...files];
  for (const path of promised) expect(existsSync(new URL(String(path), root)), String(path)).toBe(true);
});
