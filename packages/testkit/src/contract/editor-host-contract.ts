import { declareContextCases } from "./context-cases.ts";
import { declareDiffCases, declareDiffTextCases } from "./diff-cases.ts";
import { declareDiffTroubleCases, declareDiffUpdateCases } from "./diff-trouble-cases.ts";
import type { EditorHostControls, TestRunner } from "./contract-case.ts";
import { declareSurroundingCases } from "./surrounding-cases.ts";

export interface EditorHostContractOptions {
  /** E.g. `{ describe, it }` of vitest. */
  readonly runner: TestRunner;
  /** An editor with nothing open; a new one for each test. */
  readonly create: () => Promise<EditorHostControls>;
}

/**
 * Declares the tests of the behaviour that every edition must show, whatever its editor: what the comments of
 * `EditorHost` say in words.
 */
export function editorHostContract(options: EditorHostContractOptions): void {
  const { runner, create } = options;
  runner.describe("the contract of an editor host", () => {
    runner.describe("context", () => declareContextCases(runner, create));
    runner.describe("diffs", () => declareDiffCases(runner, create));
    runner.describe("texts of diffs", () => declareDiffTextCases(runner, create));
    runner.describe("diffs in trouble", () => declareDiffTroubleCases(runner, create));
    runner.describe("files that change under a diff", () => declareDiffUpdateCases(runner, create));
    runner.describe("surroundings", () => declareSurroundingCases(runner, create));
  });
}
