import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolders, root } from "../src/files.ts";

const built = packageFolders.filter((folder) => existsSync(join(root, folder, "tsconfig.build.json")));

describe("the entries of packages", () => {
  it("are looked at in each package whose types are built", () => {
    expect(built).toContain("packages/core");
  });

  // Types that no entry is named for are not there by accident only: another entry may stop importing them any day.
  it.each(built)("%s builds the types of each", (folder) => {
    const { exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const { files } = JSON.parse(readFileSync(join(root, folder, "tsconfig.build.json"), "utf8"));
    const sources = Object.values<Readonly<Record<string, string>>>(exports).flatMap((entry) =>
      "types" in entry ? [String(entry["@patchbay/source"]).slice("./".length)] : [],
    );
    expect(files).toEqual(expect.arrayContaining(sources));
  });
});
