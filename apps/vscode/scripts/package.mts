import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { originOf, rawAddressOf } from "../../../tooling/scripts/origin.ts";
import { languages } from "../../../packages/languages/src/index.ts";
import { translated, translationsOf } from "../../../packages/languages/scripts/translations.ts";
import { manifestInLanguages } from "./manifest-languages.mts";
import { pageIn, walkthroughPages } from "./walkthrough-texts.mts";

// Makes patchbay-vscode-<version>.vsix. The extension's name in the marketplace is `patchbay`, which in this repository is the name
// of the command-line package: so the package is put together in a folder of its own, with its own manifest. `--to` names the
// folder that it is left in.

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const shipped = ["dist", "media", "README.md", "CHANGELOG.md"] as const;

const manifest = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
const { private: _private, scripts: _scripts, devDependencies, ...published } = manifest;
const staged = {
  ...published,
  ...originOf("apps/vscode"),
  name: "patchbay",
  // vsce checks that the types are not newer than the oldest VS Code that is supported.
  devDependencies: { "@types/vscode": devDependencies["@types/vscode"] },
};

const stage = await mkdtemp(join(tmpdir(), "patchbay-vsix-"));
try {
  for (const name of shipped) await cp(join(here, name), join(stage, name), { recursive: true });
  for (const [name, page] of walkthroughPages()) {
    for (const language of languages) {
      const translations = translationsOf(language);
      const own = pageIn(page, (text) => translated(translations, { text, place: "walkthrough" }));
      await writeFile(join(stage, "media", "walkthrough", `${name}.nls.${language}.md`), own);
    }
  }
  // Galleries show pictures from where the repository is, and the file stays small.
  const readme = await readFile(join(stage, "README.md"), "utf8");
  await writeFile(
    join(stage, "README.md"),
    readme.replaceAll("](../../docs/images/", `](${rawAddressOf("docs/images/")}`),
  );
  await cp(join(here, "..", "..", "LICENSE"), join(stage, "LICENSE"));
  // For the workspace's .patchbay.json.
  await cp(join(here, "..", "..", "docs", "patchbay.schema.json"), join(stage, "media", "patchbay.schema.json"));
  const texts = JSON.parse(await readFile(join(here, "package.nls.json"), "utf8"));
  const { manifest: packed, files } = manifestInLanguages(JSON.stringify(staged), texts);
  await writeFile(join(stage, "package.json"), packed);
  for (const [name, contents] of files) await writeFile(join(stage, name), contents);
  await writeFile(join(stage, ".vscodeignore"), "**/*.map\n");
  const { values: options } = parseArgs({ options: { to: { type: "string", default: here } } });
  const vsix = join(options.to, `patchbay-vscode-${manifest.version}.vsix`);
  const vsce = join(here, "node_modules", "@vscode", "vsce", "vsce");
  const args = [vsce, "package", "--no-dependencies", "--out", vsix];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: stage });
  process.stdout.write(stdout);
} finally {
  await rm(stage, { recursive: true, force: true });
}
