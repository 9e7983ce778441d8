import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { panelStrings } from "../src/strings.ts";

const source = join(import.meta.dirname, "..", "src");
const texts = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/u.test(file) && file !== "strings.ts" && !file.startsWith("languages"))
  .map((file) => readFileSync(join(source, file), "utf8"))
  .join("\n");

describe("the table of texts", () => {
  it("has no text that nothing shows", () => {
    const unused = Object.keys(panelStrings).filter(
      (key) => !texts.includes(`"${key}"`) && !texts.includes(`\`${key.slice(0, key.lastIndexOf(".") + 1)}\${`),
    );
    expect(unused).toEqual([]);
  });
});
