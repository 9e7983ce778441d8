// @vitest-environment jsdom
import "../../support/browser.ts";
import { expect, it } from "vitest";
import { savingWithoutProposals } from "../../../src/browser/documents/quiet-opening.ts";

class Saving {
  autoSave = "off";
  readonly #saved: string[] = [];

  canSave(widget: string): boolean {
    return this.canSaveNotSaveAs(widget);
  }

  canSaveNotSaveAs(widget: string): boolean {
    return widget !== "clean";
  }

  save(widget: string): readonly string[] {
    this.#saved.push(widget);
    return this.#saved;
  }
}

it("leaves proposals out of what can be saved, and everything else as it is", () => {
  const original = new Saving();
  const saving = savingWithoutProposals(original, (widget: string) => widget === "proposal");
  expect(["file", "clean", "proposal"].map((widget) => saving.canSave(widget))).toEqual([true, false, false]);
  expect(saving.canSaveNotSaveAs("proposal")).toBe(false);
  saving.autoSave = "afterDelay";
  expect([original.autoSave, saving.save("file")]).toEqual(["afterDelay", ["file"]]);
});
