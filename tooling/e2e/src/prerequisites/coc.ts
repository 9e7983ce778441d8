import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { mustRun } from "../support/processes.ts";
import { type Component, componentDirectory } from "./cache.ts";

/** How to get what no registry has: coc.nvim as its users install it. */
const howToGetCoc =
  "set COC_NVIM_DIR to a checkout of coc.nvim's release branch (git clone --branch release https://github.com/neoclide/coc.nvim)";

/** The checkout of coc.nvim to run; undefined where none was given. */
export function cocDirectory(): string | undefined {
  const directory = process.env["COC_NVIM_DIR"];
  return directory !== undefined && existsSync(join(directory, "build", "index.js")) ? directory : undefined;
}

/** Why the coc.nvim edition cannot run here, with what to do; undefined when it can. */
export function whyNoCoc(editor: "vim" | "neovim"): string | undefined {
  if (cocDirectory() === undefined) return howToGetCoc;
  if (editor === "vim" && findProgram("vim") === undefined)
    return "Vim 9.0.0438 or later is missing (apt-get install vim)";
  if (editor === "neovim" && neovimCommand() === undefined && findProgram("apt-get") === undefined) {
    return "Neovim 0.8 or later is missing: set PATCHBAY_E2E_NVIM to its binary";
  }
  return undefined;
}

/** A program on the path. */
export function findProgram(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));
}

/** The command that starts Neovim: the chosen one, else the suite's own. */
export function neovimCommand(): string | undefined {
  const chosen = process.env["PATCHBAY_E2E_NVIM"];
  if (chosen !== undefined) return chosen;
  const own = join(componentDirectory(neovim), "nvim");
  return existsSync(own) ? own : undefined;
}

const nothingElse = [
  "-o",
  "Dir::Etc::SourceParts=/dev/null",
  "-o",
  "Debug::NoLocking=1",
  "-o",
  "APT::Sandbox::User=root",
];

/**
 * Neovim with the libraries of the Debian release it comes from, in a folder of its own: the one of Debian 12 is too old
 * for coc.nvim. The binary is told to use its own loader, so nothing of the system changes.
 */
export const neovim: Component = {
  name: "neovim",
  version: "trixie",
  recipe: 1,
  install: async (directory) => {
    const apt = join(directory, "apt");
    for (const part of ["lists/partial", "archives/partial", "state"])
      await mkdir(join(apt, part), { recursive: true });
    await writeFile(
      join(apt, "sources.list"),
      `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${await debianMirror()} trixie main\n`,
    );
    await writeFile(join(apt, "status"), "");
    const places = [
      ["Dir::Etc::SourceList", join(apt, "sources.list")],
      ["Dir::State", join(apt, "state")],
      ["Dir::State::status", join(apt, "status")],
      ["Dir::State::lists", join(apt, "lists")],
      ["Dir::Cache", apt],
      ["Dir::Cache::archives", join(apt, "archives")],
    ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
    const options = { timeout: 5 * 60_000, cwd: apt };
    await mustRun("apt-get", [...nothingElse, ...places, "update"], options);
    const install = ["-y", "--no-install-recommends", "--download-only", "install", "neovim"];
    await mustRun("apt-get", [...nothingElse, ...places, ...install], options);
    await mustRun("apt-get", ["download", "patchelf"], options);
    const root = join(directory, "root");
    for (const archive of await readdir(join(apt, "archives"))) {
      if (archive.endsWith(".deb")) await mustRun("dpkg-deb", ["-x", join(apt, "archives", archive), root]);
    }
    for (const archive of await readdir(apt)) {
      if (archive.endsWith(".deb")) await mustRun("dpkg-deb", ["-x", join(apt, archive), join(directory, "tools")]);
    }
    await useOwnLibraries(directory, root);
  },
};

/** Where this system takes Debian's packages from. */
async function debianMirror(): Promise<string> {
  const parts = "/etc/apt/sources.list.d";
  const files = ["/etc/apt/sources.list", ...(await readdir(parts).catch(() => [])).map((name) => join(parts, name))];
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    const mirror = /^(?:URIs:|deb(?:\s+\[[^\]]*\])?)\s+(https?:\/\/\S+\/debian)\/?(?:\s|$)/mu.exec(text)?.[1];
    if (mirror !== undefined) return mirror;
  }
  throw new Error("This system's package sources name no mirror of Debian, from which Neovim would come.");
}

/** Paths inside the component's final folder, into which it is renamed after the install. */
async function useOwnLibraries(directory: string, root: string): Promise<void> {
  const final = join(componentDirectory(neovim), "root");
  const triplet = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  const loader = process.arch === "arm64" ? "usr/lib/ld-linux-aarch64.so.1" : "usr/lib64/ld-linux-x86-64.so.2";
  const libraries = join(final, "usr/lib", triplet);
  const binary = join(root, "usr/bin/nvim");
  const patch = ["--set-interpreter", join(final, loader), "--force-rpath", "--set-rpath", libraries, binary];
  await mustRun(join(directory, "tools/usr/bin/patchelf"), patch);
  const share = join(final, "usr/share/nvim");
  const script = [
    "#!/bin/sh",
    `export VIM=${share} VIMRUNTIME=${share}/runtime`,
    `exec ${join(final, "usr/bin/nvim")} "$@"`,
  ];
  await writeFile(join(directory, "nvim"), `${script.join("\n")}\n`, { mode: 0o755 });
}
