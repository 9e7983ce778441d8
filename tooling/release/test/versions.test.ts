import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolders, root } from "../src/files.ts";

function manifestsIn(
  group: string,
): readonly { readonly folder: string; readonly name: string; readonly private?: boolean }[] {
  return readdirSync(join(root, group))
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ ...JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")), folder }));
}

const product = [...manifestsIn("packages"), ...manifestsIn("apps")];
// The site is no part of the workspace.
const tools = manifestsIn("tooling").filter(({ folder }) => folder !== "tooling/site");

describe("versions", () => {
  const config = JSON.parse(readFileSync(join(root, ".changeset/config.json"), "utf8"));

  it("are one for the product, and none for the tools", () => {
    expect(config.fixed.flat().toSorted()).toEqual(product.map(({ name }) => name).toSorted());
    expect(config.ignore.toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
    expect(tools.filter((one) => one.private !== true)).toEqual([]);
    expect(config.privatePackages).toEqual({ version: true, tag: false });
  });

  it("are published of every package that is not private", () => {
    const open = product.filter((one) => one.private !== true).map(({ folder }) => folder);
    expect(open.toSorted()).toEqual([...packageFolders].toSorted());
  });
});
