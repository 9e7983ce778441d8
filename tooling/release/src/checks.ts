import { builtinModules } from "node:module";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import type { Contents } from "./archive.ts";

/** One file of a release: a package for npm, or the extension for VS Code. */
export interface ReleaseFile {
  /** Its name, without a folder. */
  readonly file: string;
  /** Size of the archive, bytes. */
  readonly bytes: number;
  readonly contents: Contents;
}

/** What a check knows of the machine that made the files. */
export interface Maker {
  /** The repository's folder. */
  readonly root: string;
  readonly homeDirectory: string;
  readonly userName: string;
  readonly hostName: string;
  /** Text of the repository's own licence. */
  readonly licence: string;
  /** The Node that is asked of users, as in the repository's manifest. */
  readonly node: string;
}

/** This process's machine. */
export function thisMaker(root: string, licence: string, node: string): Maker {
  const { homedir, username } = userInfo();
  return { root, homeDirectory: homedir, userName: username, hostName: hostname(), licence, node };
}

/** The archives may not grow past these, bytes. Each has a few per cent of air. docs/decisions/0011 says what is in them. */
const mostBytes: readonly (readonly [file: RegExp, bytes: number])[] = [
  [/\.vsix$/u, 779_000],
  [/^patchbay-core-/u, 381_000],
  [/^patchbay-conversations-/u, 166_000],
  [/^patchbay-testkit-/u, 84_000],
  [/^patchbay-cli-/u, 853_000],
  [/^patchbay-theia-/u, 858_000],
  [/^coc-patchbay-/u, 687_500],
];

/** The packages that contain others, whose licences ask to be told. The rest name theirs as dependencies. */
const bundled = /\.vsix$|^patchbay-(?:cli|theia)-|^coc-patchbay-/u;

/** Never of use to who installs a package: tests, sources, maps, what tools leave. */
const unwanted =
  /(?:^|\/)(?:tests?|__tests__|bench|node_modules|coverage)\/|\.test\.|\.map$|\.tsbuildinfo$|\.log$|(?:^|\/)\.(?!vsixmanifest)|(?<!\.d)\.[cm]?tsx?$/u;

/** Everything that is wrong with a file of a release, in sentences; none: it can be published. */
export function complaintsAbout(release: ReleaseFile, maker: Maker): readonly string[] {
  const isExtension = release.file.endsWith(".vsix");
  const root = isExtension ? "extension/" : "";
  const text = (path: string): string | undefined => release.contents.get(`${root}${path}`)?.toString();
  const parsed: unknown = JSON.parse(text("package.json") ?? "{}");
  const manifest: Manifest = record(parsed);
  const paths = Array.from(release.contents.keys());
  const limit = mostBytes.find(([file]) => file.test(release.file))?.[1];
  const licence = text("LICENSE") ?? text("LICENSE.txt");
  return [
    ...(limit === undefined ? [`No limit is known for ${release.file}.`] : []),
    ...(limit !== undefined && release.bytes > limit ? [`It has ${release.bytes} bytes, and may have ${limit}.`] : []),
    ...(licence?.trim() === maker.licence.trim() ? [] : ["Its licence is not the repository's."]),
    ...(bundled.test(release.file) && !paths.some((path) => path.endsWith("THIRD-PARTY-NOTICES.txt"))
      ? ["It contains other packages and does not have their licences."]
      : []),
    ...((text("README.md") ?? text("readme.md")) === undefined ? ["It has no README."] : []),
    ...paths.filter((path) => unwanted.test(path)).map((path) => `${path} is of no use to anybody.`),
    ...manifestComplaints(manifest, isExtension, maker),
    ...targetsOf(manifest)
      .filter((path) => !has(paths, `${root}${path}`))
      .map((path) => `The manifest names ${path}, which is not there.`),
    ...Object.values(binsOf(manifest))
      .filter((path) => text(path)?.startsWith("#!/usr/bin/env node\n") === false)
      .map((path) => `${path} does not say that Node runs it.`),
    ...(isExtension ? galleryComplaints(manifest, text("readme.md") ?? "", release.contents) : []),
    ...(isExtension ? [] : foreignImports(release.contents, manifest)),
    ...machineWords(release.contents, maker),
  ];
}

/** As much of a manifest as is checked. */
type Manifest = Readonly<Record<string, unknown>>;

const wanted = ["name", "version", "description", "license", "repository", "homepage", "bugs", "keywords"] as const;

function manifestComplaints(manifest: Manifest, isExtension: boolean, maker: Maker): readonly string[] {
  const engines = record(manifest["engines"]);
  const versions = Object.entries(record(manifest["dependencies"]));
  return [
    ...wanted.filter((name) => !(name in manifest)).map((name) => `Its manifest has no ${name}.`),
    ...["private", "scripts"].filter((name) => name in manifest).map((name) => `Its manifest has ${name}.`),
    ...(manifest["license"] === "Apache-2.0" ? [] : ["Its manifest has another licence."]),
    ...versions
      .filter(([, version]) => !/^[\^~]?\d/u.test(String(version)))
      .map(([name, version]) => `npm does not know the version ${String(version)} of ${name}.`),
    ...(!isExtension && "devDependencies" in manifest ? ["Its manifest has devDependencies."] : []),
    ...(isExtension ? [] : engines["node"] === maker.node ? [] : [`It does not ask for Node ${maker.node}.`]),
    ...(isExtension && !/^\^\d+\.\d+\.\d+$/u.test(String(engines["vscode"])) ? ["It names no oldest VS Code."] : []),
  ];
}

/** What the galleries refuse, or show badly. */
function galleryComplaints(manifest: Manifest, readme: string, contents: Contents): readonly string[] {
  const icon = contents.get(`extension/${String(manifest["icon"])}`);
  const pictures = Array.from(readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/gu), ([, address = ""]) => address);
  return [
    // Bytes 16 to 24 of a PNG file are its width and height.
    ...(icon?.toString("latin1", 1, 4) === "PNG" && icon.readUInt32BE(16) >= 256 && icon.readUInt32BE(20) >= 256
      ? []
      : ["Its icon is no PNG of 256 pixels."]),
    ...(pictures.length === 0 ? ["Its README has no picture."] : []),
    ...pictures
      .filter((address) => !/^https:\/\/.+\.png$/u.test(address))
      .map((address) => `${address} in its README is no PNG that a gallery can show.`),
    ...["publisher", "displayName", "galleryBanner", "categories"]
      .filter((name) => !(name in manifest))
      .map((name) => `Its manifest has no ${name}.`),
  ];
}

/** The files that a manifest names. */
function targetsOf(manifest: Manifest): readonly string[] {
  const named = ["main", "types", "icon"].map((name) => manifest[name]);
  const extensions = Array.isArray(manifest["theiaExtensions"]) ? manifest["theiaExtensions"] : [];
  return [...named, ...strings(manifest["exports"]), ...strings(binsOf(manifest)), ...strings(extensions)]
    .filter((path) => typeof path === "string")
    .map((path) => path.replace(/^\.\//u, ""));
}

/** A file, with or without what Node may leave out; with a star, any. */
function has(paths: readonly string[], path: string): boolean {
  if (path.includes("*")) return paths.some((one) => one.startsWith(path.slice(0, path.indexOf("*"))));
  return paths.includes(path) || paths.includes(`${path}.js`);
}

function binsOf(manifest: Manifest): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(record(manifest["bin"])).map(([name, path]) => [name, String(path).replace(/^\.\//u, "")]),
  );
}

/** Every text in a value, however deep. */
function strings(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

const importing = /^(?:import|export)\b[^;\n]*?\bfrom ?"([^"]+)"|^import ?"([^"]+)"|\bimport\("([^"]+)"\)/gmu;

/** What a module asks for and its manifest does not bring. */
function foreignImports(contents: Contents, manifest: Manifest): readonly string[] {
  const known = new Set(
    ["dependencies", "peerDependencies", "optionalDependencies"].flatMap((name) => Object.keys(record(manifest[name]))),
  );
  known.add(String(manifest["name"]));
  const missing = new Set<string>();
  for (const [path, body] of contents) {
    // The page is for browsers, and whole.
    if (!/\.(?:m?js|d\.ts)$/u.test(path) || /\/page\//u.test(path)) continue;
    for (const [, first, second, third] of body.toString().matchAll(importing)) {
      const name = first ?? second ?? third ?? "";
      const owner = /^(?:@[^/]+\/)?[^/]+/u.exec(name)?.[0] ?? name;
      const isBuiltIn = name.startsWith("node:") || builtinModules.includes(name);
      if (!name.startsWith(".") && !isBuiltIn && !known.has(owner) && !optional.has(owner)) missing.add(owner);
    }
  }
  return Array.from(missing, (name) => `It imports ${name}, which it does not bring.`);
}

/** Brought by the editor, or used by ws only where the user has them. */
const optional = new Set(["vscode", "coc.nvim", "bufferutil", "utf-8-validate"]);

/** Whatever tells where and by whom the files were made. */
function machineWords(contents: Contents, maker: Maker): readonly string[] {
  const words = [
    maker.root,
    ...(maker.homeDirectory.length > 6 ? [maker.homeDirectory] : []),
    ...(maker.hostName.length > 5 ? [maker.hostName] : []),
    ...(/^(?:root|runner|user)$|^.{0,4}$/u.test(maker.userName) ? [] : [join("/home", maker.userName)]),
  ];
  return Array.from(contents).flatMap(([path, body]) =>
    words.filter((word) => body.includes(word)).map((word) => `${path} has ${word} of this machine in it.`),
  );
}
