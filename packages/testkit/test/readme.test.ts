import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const root = new URL("..", import.meta.url);
const example = new URL("readme-example.ts", import.meta.url);

it("the README's example is the one that is type-checked here, and passes", () => {
  const [, shown] = /```ts\n([^]*?)```/u.exec(readFileSync(new URL("README.md", root), "utf8")) ?? [];
  expect(shown).toBe(readFileSync(example, "utf8"));
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const options = ["--conditions=@patchbay/source", "--test", "--test-reporter=tap", example.pathname];
  const output = execFileSync(process.execPath, options, { env, encoding: "utf8" });
  expect(output).toMatch(/^# pass [3-9]\d$/mu);
  expect(output).toMatch(/^# fail 0$/mu);
});

it.skipIf(!existsSync(new URL("dist", root)))("everything that the package promises is there", () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
  const { exports, files } = Object(manifest);
  const promised: unknown[] = [...Object.values(Object(Object(exports)["."])), ...files];
  for (const path of promised) expect(existsSync(new URL(String(path), root)), String(path)).toBe(true);
});
