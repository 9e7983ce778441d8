import { expect, it } from "vitest";
import { LazyTree } from "../../src/views/register-views.ts";
import { openFakeWindow } from "../fake-vscode/index.ts";

it("a view whose code could not be loaded is filled when it is looked at again", async () => {
  openFakeWindow();
  let loads = 0;
  const view = new LazyTree<string>(async () => {
    loads += 1;
    if (loads === 1) throw new Error("EMFILE: too many open files");
    return { getChildren: () => ["one"], getTreeItem: (label) => ({ label }) };
  });
  await expect(view.getChildren()).rejects.toThrow("EMFILE");
  expect(await view.getChildren()).toEqual(["one"]);
  expect(await view.getTreeItem("one")).toEqual({ label: "one" });
  expect(loads).toBe(2);
  view.dispose();
});
