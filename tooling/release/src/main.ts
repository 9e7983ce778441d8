// The files of a release. `files` makes them from what has been built and checks them, `check` checks what is there, `try` installs
// each of them on its own and starts it. `sums` writes their checksums, `version` and `notes` print what is released, `publish` sends the packages to npm
// (`--dry-run`: everything but that).
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { complaintsAbout, thisMaker } from "./checks.ts";
import { makeFiles, readFiles, root, writeChecksums } from "./files.ts";
import { publishToNpm, releaseNotes, versionToRelease } from "./publish.ts";
import { manifestComplaints, typeComplaints } from "./types.ts";

const { positionals, values: options } = parseArgs({
  options: { "dry-run": { type: "boolean" } },
  allowPositionals: true,
});
const [action, folder = "release"] = positionals;
const files = resolve(root, folder);
switch (action) {
  case "files":
    makeFiles(files);
    await check();
    break;
  case "sums":
    writeChecksums(files);
    break;
  case "check":
    await check();
    break;
  case "try": {
    const { tryFiles } = await import("./try-files.ts");
    process.exitCode = await tryFiles(files);
    break;
  }
  case "version":
    console.log(versionToRelease(readdirSync(join(root, ".changeset"))));
    break;
  case "notes":
    process.stdout.write(releaseNotes(readFileSync(join(root, "apps/vscode/CHANGELOG.md"), "utf8")));
    break;
  case "publish":
    process.exitCode = publishToNpm(files, { dryRun: options["dry-run"] === true });
    break;
  default:
    console.error(
      "Usage: node tooling/release/src/main.ts files|check|try|sums|version|notes|publish [folder] [--dry-run]",
    );
    process.exitCode = 2;
}

async function check(): Promise<void> {
  const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const maker = thisMaker(root, readFileSync(join(root, "LICENSE"), "utf8"), engines.node);
  for (const release of readFiles(files)) {
    const path = join(files, release.file);
    const isPackage = release.file.endsWith(".tgz");
    const complaints = [
      ...complaintsAbout(release, maker),
      ...(isPackage ? await manifestComplaints(path) : []),
      ...(isPackage ? await typeComplaints(path) : []),
    ];
    const kilobytes = Math.ceil(release.bytes / 1_000);
    console.log(`${complaints.length === 0 ? "ok  " : "FAIL"} ${release.file} (${kilobytes} kB)`);
    for (const complaint of complaints) console.log(`       ${complaint}`);
    if (complaints.length > 0) process.exitCode = 1;
  }
}
