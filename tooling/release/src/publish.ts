import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readFiles, root } from "./files.ts";

/** In which one needs the other: who installs a package while the rest is on its way gets all that it needs. */
const order = [
  "@patchbay/core",
  "@patchbay/conversations",
  "@patchbay/testkit",
  "@patchbay/cli",
  "@patchbay/theia",
  "coc-patchbay",
] as const;

/**
 * Publishes the packages of a release to npm, from the very files that were checked and tried. Those that are there already are left
 * out, so that it can be run again after a failure. Resolves with the exit code.
 */
export function publishToNpm(folder: string, { dryRun }: { readonly dryRun: boolean }): number {
  const packages = readFiles(folder)
    .filter(({ file }) => file.endsWith(".tgz"))
    .map(({ file, contents }) => {
      const { name, version } = JSON.parse(contents.get("package.json")?.toString() ?? "{}");
      return { path: join(folder, file), name: String(name), version: String(version) };
    });
  const unknown = packages.find(({ name }) => !order.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`${basename(unknown.path)} has no place in the order.`);
  for (const wanted of order) {
    const found = packages.find(({ name }) => name === wanted);
    if (found === undefined) throw new Error(`${folder} has no file of ${wanted}.`);
    const exact = `${found.name}@${found.version}`;
    const seen = spawnSync("npm", ["view", exact, "version"], { encoding: "utf8" });
    if (seen.status === 0 && seen.stdout.trim() === found.version) {
      console.log(`${exact} is published already.`);
      continue;
    }
    // Provenance says by which run of which commit it was made: only such a run can.
    const how = dryRun ? ["--dry-run"] : ["--provenance"];
    const { status } = spawnSync("npm", ["publish", found.path, "--access", "public", ...how], { stdio: "inherit" });
    if (status !== 0) return 1;
    console.log(`${exact} ${dryRun ? "could be" : "is"} published.`);
  }
  return 0;
}

/** What a release says of itself: the newest part of the changelog, without its headings. */
export function releaseNotes(changelog: string): string {
  const [, newest = ""] = changelog.split(/^## .*$/mu);
  const notes = newest.replaceAll(/^### .*$/gmu, "").trim();
  if (notes === "") throw new Error("The changelog says nothing of this release: run changeset version first.");
  return `${notes}\n`;
}

/**
 * The version that the packages have.
 * @throws Error where it cannot be released: it has none yet, or changes wait for one.
 */
export function versionToRelease(changesets: readonly string[]): string {
  const { version } = JSON.parse(readFileSync(join(root, "packages/core/package.json"), "utf8"));
  const waiting = changesets.filter((name) => name.endsWith(".md"));
  if (version === "0.0.0" || waiting.length > 0) {
    throw new Error(`Run changeset version first: ${waiting.join(", ") || "there is no version yet"}.`);
  }
  return String(version);
}
