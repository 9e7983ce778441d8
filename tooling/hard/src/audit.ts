// pnpm audit:offline: what can be said of the dependencies without advisories, and the advisories where they can be reached.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const exact = /^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/u;
let passed = 0;
let failed = 0;

function tell(what: string, faults: readonly string[]): void {
  if (faults.length === 0) passed += 1;
  else failed += 1;
  console.log(`${faults.length === 0 ? "ok  " : "FAIL"} ${what}`);
  for (const fault of faults.slice(0, 20)) console.log(`       ${fault}`);
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The lines of one top-level block of a YAML file that pnpm wrote or that is laid out like it. */
function block(yaml: string, name: string): readonly string[] {
  const lines = yaml.split("\n");
  const start = lines.indexOf(`${name}:`);
  if (start < 0) return [];
  const end = lines.findIndex((line, index) => index > start && /^\S/u.test(line));
  return lines.slice(start + 1, end < 0 ? undefined : end);
}

function manifests(): readonly string[] {
  const folders = ["packages", "apps", "tooling"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  return ["", ...folders].map((folder) => join(folder, "package.json")).filter((path) => existsSync(join(root, path)));
}

function checkLockfile(): void {
  const packages = block(read("pnpm-lock.yaml"), "packages").join("\n");
  const entries = packages.split(/\n(?= {2}\S)/u).filter((entry) => /^ {2}\S/u.test(entry));
  const faults = entries
    .filter(
      (entry) => !/integrity: sha(?:512|384|256)-[A-Za-z0-9+/=]+/u.test(entry) || /tarball:|type: git/u.test(entry),
    )
    .map((entry) => entry.trim().split("\n", 1)[0] ?? "");
  if (entries.length === 0) faults.push("the lockfile names no package");
  tell(`lockfile: all ${entries.length} packages carry an integrity hash and come from the registry`, faults);
}

function checkCatalog(): void {
  const entries = block(read("pnpm-workspace.yaml"), "catalog").filter((line) => /^ {2}\S/u.test(line));
  const faults = entries.filter((line) => !exact.test(/: (\S+)$/u.exec(line)?.[1] ?? "")).map((line) => line.trim());
  tell(`catalog: all ${entries.length} versions are exact`, faults);
}

function checkManifests(): void {
  const faults: string[] = [];
  let count = 0;
  for (const path of manifests()) {
    const manifest: unknown = JSON.parse(read(path));
    for (const kind of ["dependencies", "devDependencies", "optionalDependencies"]) {
      for (const [name, version] of Object.entries(memberOf(manifest, kind))) {
        count += 1;
        const isPinned = version === "catalog:" || version === "workspace:*" || exact.test(String(version));
        if (!isPinned) faults.push(`${path}: ${name} ${String(version)}`);
      }
    }
  }
  tell(`manifests: all ${count} dependencies are pinned (exact, catalog or workspace)`, faults);
}

function memberOf(value: unknown, name: string): object {
  if (typeof value !== "object" || value === null) return {};
  const member: unknown = Reflect.get(value, name);
  return typeof member === "object" && member !== null ? member : {};
}

/** Known advisories of what is shipped; says plainly where they cannot be had. */
function checkAdvisories(): void {
  const pnpm = process.env["npm_execpath"];
  if (pnpm === undefined) {
    console.log("skip advisories: run this through pnpm");
    return;
  }
  const [command, args] = /\.[cm]?js$/u.test(pnpm) ? [process.execPath, [pnpm]] : [pnpm, []];
  const run = spawnSync(command, [...args, "audit", "--prod", "--json"], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
  });
  let report: unknown;
  try {
    report = JSON.parse(run.stdout);
  } catch {
    report = undefined;
  }
  const counts = memberOf(memberOf(report, "metadata"), "vulnerabilities");
  if (Object.keys(counts).length === 0) {
    const why = `${run.stdout}${run.stderr}`.trim().split("\n", 1)[0] ?? "";
    console.log(
      `skip advisories: they cannot be reached here, so known vulnerabilities were NOT looked for (${why.slice(0, 200)})`,
    );
    return;
  }
  const found = Object.entries(counts).filter(([, count]) => Number(count) > 0);
  tell(
    "advisories: none is known for what is shipped",
    found.map(([severity, count]) => `${String(count)} ${severity}`),
  );
}

checkLockfile();
checkCatalog();
checkManifests();
checkAdvisories();
console.log("");
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
