import { commandLine } from "../agents/agent.ts";
import { whyNoCoc } from "../prerequisites/coc.ts";
import { CocDriver } from "./coc/coc.ts";
import type { EditorDriver, EditorId } from "./editor-driver.ts";
import { findPackage } from "./find-package.ts";
import { PageDriver } from "./page/page.ts";
import { ServeDriver } from "./serve/serve.ts";
import { TheiaDriver } from "./theia/theia.ts";
import { VsCodeDriver } from "./vscode/vscode.ts";

/** An editor the suite can run. */
export interface EditorEntry {
  readonly id: EditorId;
  /** Names of the components to install first. */
  readonly prerequisites: readonly string[];
  /** Why it cannot run on this machine, with what to do about it; undefined when it can. */
  whyNot(): string | undefined;
  /** The packaged edition to test: the newest that was built. Throws, saying how to make one. */
  findPackage(): string;
  /** A driver that is not started yet; it touches the package only when it is. */
  create(packaged: string): EditorDriver;
}

/** All editors, in the order in which they run. */
export const editors: readonly EditorEntry[] = [
  {
    id: "vscode",
    prerequisites: ["vscode"],
    whyNot: () => undefined,
    findPackage: () => process.env["PATCHBAY_E2E_VSIX"] ?? findPackage("vscode", ".vsix"),
    create: (packaged) => new VsCodeDriver(packaged),
  },
  {
    id: "theia",
    prerequisites: ["theia"],
    whyNot: () => undefined,
    findPackage: () => process.env["PATCHBAY_E2E_THEIA"] ?? findPackage("theia", ".tgz"),
    create: (packaged) => new TheiaDriver(packaged),
  },
  {
    id: "coc-vim",
    prerequisites: [],
    whyNot: () => whyNoCoc("vim"),
    findPackage: () => process.env["PATCHBAY_E2E_COC"] ?? findPackage("coc-nvim", ".tgz"),
    create: (packaged) => new CocDriver("coc-vim", "vim", packaged),
  },
  {
    id: "coc-neovim",
    prerequisites: ["neovim"],
    whyNot: () => whyNoCoc("neovim"),
    findPackage: () => process.env["PATCHBAY_E2E_COC"] ?? findPackage("coc-nvim", ".tgz"),
    create: (packaged) => new CocDriver("coc-neovim", "neovim", packaged),
  },
  {
    id: "serve",
    prerequisites: [],
    whyNot: () => undefined,
    findPackage: () => commandLine,
    create: (program) => new ServeDriver(program),
  },
  {
    id: "page",
    prerequisites: [],
    whyNot: () => undefined,
    findPackage: () => commandLine,
    create: () => new PageDriver(),
  },
];
