import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findVims, VimFolder } from "./in-vim.ts";

describe.for(findVims())("a script in $name", (vim) => {
  let folder: VimFolder;

  afterEach(() => {
    vi.unstubAllEnvs();
    folder.dispose();
  });

  it("knows nothing of the user's shell", async () => {
    folder = new VimFolder(vim);
    vi.stubEnv("SHELL", "/nowhere/fish");
    expect((await folder.run("let g:facts.said = system('echo said')")).facts).toEqual({ said: "said\n" });
  });

  it("ends in time where a shell does not", async () => {
    folder = new VimFolder(vim, 2_000);
    const script = folder.run("silent !echo $$ >pid && exec sleep 600");
    await expect(script).rejects.toThrow("did not come to the script's end");
    if (existsSync(join(folder.path, "pid"))) process.kill(Number(folder.read("pid").toString()));
  });
});
