import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readTarball } from "../src/archive.ts";
import { releaseNotes, versionToRelease } from "../src/publish.ts";
import { complaintsAbout, type Maker, type ReleaseFile } from "../src/checks.ts";

const maker: Maker = {
  root: "/builds/patchbay",
  homeDirectory: "/home/somebody",
  userName: "somebody",
  hostName: "build-machine-7",
  licence: "Apache License\n",
  node: ">=20",
};

const manifest = {
  name: "@patchbay/core",
  version: "1.0.0",
  description: "A package",
  license: "Apache-2.0",
  keywords: ["editor"],
  repository: {},
  homepage: "",
  bugs: {},
  engines: { node: ">=20" },
  bin: { tool: "./dist/tool.js" },
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
  dependencies: { zod: "^4.0.0" },
};

function release(change: Readonly<Record<string, string | undefined>>, more: object = {}): ReleaseFile {
  const files: Readonly<Record<string, string | undefined>> = {
    "package.json": JSON.stringify({ ...manifest, ...more }),
    LICENSE: "Apache License",
    "README.md": "# Core",
    "dist/index.js": 'import { z } from "zod";\nimport { join } from "node:path";\nimport "./other.js";',
    "dist/index.d.ts": "export {};",
    "dist/tool.js": "#!/usr/bin/env node\n",
    ...change,
  };
  const contents = Object.entries(files).flatMap(([path, text]): readonly (readonly [string, Buffer])[] =>
    text === undefined ? [] : [[path, Buffer.from(text)]],
  );
  return { file: "patchbay-core-1.0.0.tgz", bytes: 1_000, contents: new Map(contents) };
}

describe("a file of a release", () => {
  it("is fine as it should be", () => {
    expect(complaintsAbout(release({}), maker)).toEqual([]);
  });

  const wrong: readonly (readonly [what: string, file: ReleaseFile, complaint: RegExp])[] = [
    ["no licence", release({ LICENSE: undefined }), /licence/u],
    ["another licence", release({ LICENSE: "MIT" }), /licence/u],
    ["no README", release({ "README.md": undefined }), /README/u],
    ["a test", release({ "dist/a.test.js": "" }), /a\.test\.js/u],
    ["a source map", release({ "dist/index.js.map": "" }), /index\.js\.map/u],
    ["a source", release({ "src/index.ts": "" }), /src\/index\.ts/u],
    ["a hidden file", release({ ".env": "" }), /\.env/u],
    ["a missing export", release({ "dist/index.d.ts": undefined }), /dist\/index\.d\.ts/u],
    ["a program without an interpreter", release({ "dist/tool.js": "main();" }), /dist\/tool\.js/u],
    ["an import of what it does not bring", release({ "dist/index.js": 'import a from "left";' }), /imports left/u],
    ["a version of the workspace", release({}, { dependencies: { zod: "catalog:" } }), /catalog:/u],
    ["scripts", release({}, { scripts: { postinstall: "x" } }), /scripts/u],
    ["devDependencies", release({}, { devDependencies: {} }), /devDependencies/u],
    ["another Node", release({}, { engines: { node: ">=24" } }), /Node >=20/u],
    ["the builder's folder", release({ "dist/index.d.ts": "// /builds/patchbay/src" }), /builds\/patchbay/u],
    ["the builder's home", release({ "dist/index.d.ts": "// /home/somebody/x" }), /home\/somebody/u],
    ["the builder's machine", release({ "dist/index.d.ts": "// build-machine-7" }), /build-machine-7/u],
    ["too much", { ...release({}), bytes: 10_000_000 }, /may have/u],
    ["no known name", { ...release({}), file: "new-1.0.0.tgz" }, /limit/u],
    ["no licences of what it contains", { ...release({}), file: "patchbay-cli-1.0.0.tgz" }, /contains other packages/u],
  ];

  it.each(wrong)("may not have %s", (_what, file, complaint) => {
    const complaints = complaintsAbout(file, maker);
    expect(complaints.length, complaints.join("\n")).toBeGreaterThan(0);
    expect(complaints.join("\n")).toMatch(complaint);
  });
});

describe("the extension", () => {
  const icon = Buffer.alloc(24);
  icon.write("PNG", 1);
  icon.writeUInt32BE(256, 16);
  icon.writeUInt32BE(256, 20);
  const readme = "# Extension\n![a picture](https://example.org/a.png)";
  const own = {
    ...manifest,
    bin: undefined,
    exports: undefined,
    engines: { vscode: "^1.96.0" },
    icon: "media/icon.png",
    publisher: "p",
    displayName: "P",
    galleryBanner: {},
    categories: ["AI"],
  };

  function extension(change: Readonly<Record<string, Buffer | string>>, more: object = {}): ReleaseFile {
    const files: Readonly<Record<string, Buffer | string>> = {
      "package.json": JSON.stringify({ ...own, ...more }),
      "LICENSE.txt": "Apache License",
      "readme.md": readme,
      "media/icon.png": icon,
      "dist/THIRD-PARTY-NOTICES.txt": "zod",
      ...change,
    };
    const contents = Object.entries(files).map(([path, text]) => [`extension/${path}`, Buffer.from(text)] as const);
    return { file: "patchbay-vscode-1.0.0.vsix", bytes: 1_000, contents: new Map(contents) };
  }

  it("is fine as it should be", () => {
    expect(complaintsAbout(extension({}), maker)).toEqual([]);
  });

  const small = Buffer.from(icon);
  small.writeUInt32BE(128, 16);
  it.each([
    ["a small icon", extension({ "media/icon.png": small }), /256 pixels/u],
    ["no picture", extension({ "readme.md": "# Extension" }), /no picture/u],
    ["a picture of its own", extension({ "readme.md": "![a](images/a.png)" }), /images\/a\.png/u],
    ["a drawing", extension({ "readme.md": "![a](https://example.org/a.svg)" }), /a\.svg/u],
    ["no banner", extension({}, { galleryBanner: undefined }), /galleryBanner/u],
    ["any VS Code", extension({}, { engines: { vscode: "*" } }), /oldest VS Code/u],
  ] as const)("may not have %s", (_what, file, complaint) => {
    expect(complaintsAbout(file, maker).join("\n")).toMatch(complaint);
  });
});

describe("what a release says of itself", () => {
  it("is the newest part of the changelog", () => {
    const changelog = "# Changelog\n\n## 0.2.0\n\n### Minor Changes\n\nSecond.\n\n## 0.1.0\n\nFirst.\n";
    expect(releaseNotes(changelog)).toBe("Second.\n");
    expect(() => releaseNotes("# Changelog\n")).toThrow(/changeset version/u);
  });

  it("has a version, and no change that waits for one", () => {
    expect(() => versionToRelease(["config.json", "new-feature.md"])).toThrow(/new-feature\.md/u);
  });
});

it("reads an archive whose paths are too long for its headers", () => {
  const path = `package/${"folder/".repeat(20)}file.txt`;
  const record = ` path=${path}\n`;
  const extended = `${String(record.length + 3)}${record}`;
  const archive = Buffer.concat([
    ...entry("x", "PaxHeader", extended),
    ...entry("0", path.slice(0, 90), "text"),
    Buffer.alloc(1024),
  ]);
  const files = readTarball(gzipSync(archive));
  expect(Array.from(files, ([name, body]) => [name, body.toString()])).toEqual([[path.slice(8), "text"]]);
});

function entry(type: string, name: string, text: string): readonly Buffer[] {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(text.length.toString(8).padStart(11, "0"), 124);
  header.write(type, 156);
  const body = Buffer.alloc(Math.ceil(text.length / 512) * 512);
  body.write(text);
  return [header, body];
}
