import { readFileSync } from "node:fs";
import { isMissing } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { DoctorLab } from "./doctor-lab.ts";
import { type Situation, situations } from "./situations.ts";

const documentation = readFileSync(new URL("../../../../docs/diagnosis.md", import.meta.url), "utf8");

function makeLab(): DoctorLab {
  const lab = new DoctorLab();
  onTestFinished(async () => await lab.dispose());
  return lab;
}

/** The situation's row in the documentation's table. */
function rowOf({ title, says }: Situation): string {
  const linked = says.map((line) => line.replace(/\[([a-z-]+)\]$/u, "[$1](findings/$1.md)"));
  const cell = linked.map((line) => (line.startsWith("  type: ") ? `\`${line.slice(8)}\`` : line)).join("<br>");
  return `| ${title} | ${cell} |`;
}

describe("the doctor says what is so", () => {
  it.for(situations)("$title", async ({ agents, make, says, needs = [] }, { skip }) => {
    skip(isMissing(...needs), `this system has no ${needs.join(", ")}`);
    const lab = makeLab();
    const folder = await make(lab);
    expect(await lab.diagnose(agents, folder ?? undefined)).toEqual(says);
  });

  it("as the documentation has it, word for word", () => {
    expect(situations.length).toBeGreaterThanOrEqual(30);
    const rows = documentation.split("\n").filter((line) => /^\| .*[✓✗!] /u.test(line));
    expect(rows).toEqual(situations.map(rowOf));
  });
});
