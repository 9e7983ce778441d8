import { expect, it } from "vitest";
import { commands } from "vscode";
import { registerLazily } from "../src/lazy.ts";
import { openFakeWindow } from "./fake-vscode/index.ts";

it("commands whose code could not be loaded work when they are called again", async () => {
  openFakeWindow();
  let loads = 0;
  const registered = registerLazily(["test.one", "test.two"], async () => {
    loads += 1;
    if (loads === 1) throw new Error("EMFILE: too many open files");
    return () => ["test.one", "test.two"].map((id) => commands.registerCommand(id, () => `ran ${id}`));
  });
  await expect(commands.executeCommand("test.one")).rejects.toThrow("EMFILE");
  expect(await commands.executeCommand("test.two")).toBe("ran test.two");
  expect(await commands.executeCommand("test.one")).toBe("ran test.one");
  expect(loads).toBe(2);
  registered.dispose();
});
