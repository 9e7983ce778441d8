import { describe, expect, it } from "vitest";
import { allCases, chooseCases } from "../src/runner/cases.ts";

describe("chosen cases", () => {
  const chosen = (wishes: readonly string[], unwanted: readonly string[] = []): readonly string[] =>
    chooseCases(allCases(), wishes, unwanted).map(({ id }) => id);

  it("are those of an editor or an agent, without those that are left out", () => {
    const all = chosen(["vscode:gemini"]);
    expect(all).toContain("vscode:gemini:accept");
    expect(all.filter((id) => !id.startsWith("vscode:gemini:"))).toEqual([]);
    expect(chosen(["vscode:gemini"], ["vscode:gemini:accept"])).toEqual(
      all.filter((id) => id !== "vscode:gemini:accept"),
    );
    expect(chosen(["vscode"], ["vscode:gemini"]).some((id) => id.includes(":gemini:"))).toBe(false);
    expect(chosen([], ["vscode", "theia"]).filter((id) => /^(?:vscode|theia):\w+:accept$/u.test(id))).toEqual([]);
  });

  it("are there once", () => {
    const all = allCases().map(({ id }) => id);
    expect(all.filter((id, index) => all.indexOf(id) !== index)).toEqual([]);
  });

  it("leave groups out unless they are asked for", () => {
    expect(chosen(["vscode"]).filter((id) => /:(?:panel|hook)-/u.test(id))).toEqual([]);
    expect(chosen(["panel:claude"]).every((id) => id.includes(":claude:panel-"))).toBe(true);
    expect(chosen(["vscode:claude:panel-tab"])).toEqual(["vscode:claude:panel-tab"]);
  });
});
