/** What Wine cannot do and Windows can, each known by what a test says that meets it. */
export const causes = [
  {
    sign: /Wine makes no symbolic links/u,
    why: "no symbolic links: Wine 8 says that it has made one, and none is there (Windows makes them for who has the right, or in developer mode)",
  },
  { sign: /spawn(?:Sync)? git ENOENT/u, why: "no git: none that Wine could run is in a registry" },
];

/** Tests that meet such a limit without saying so. Of a file alone: none of its tests is run. */
export const limits = [
  {
    file: "platform/node-processes.test.ts",
    test: "have modules, a process group of their own",
    why: "NODE_OPTIONS is there for every program: what Wine needs comes by it",
  },
  {
    file: "moved-folders.test.ts",
    test: "counts as made what was moved there",
    why: "a directory has no time at which it was made: Wine shows that of its last change",
  },
  {
    file: "copy-shelf.property.test.ts",
    test: "has a file without a name",
    why: "a file that is removed while it is open keeps its name until it is closed; newer Windows takes the name away at once",
  },
  { file: "companion/code-gone.test.ts", why: "no mocks of modules, which Vite makes: the runner here is without it" },
  { file: "session/path-check.test.ts", why: "no symbolic links, which the file makes before its tests" },
  {
    file: "process/agent-process.test.ts",
    test: "ends with the editor, with what it started",
    why: "taskkill knows no /T in Wine 8: what a process has started goes on",
  },
];
