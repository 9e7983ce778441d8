import type { FileHunk } from "@patchbay/conversations/model";
import { describe, expect, it } from "vitest";
import { pastSides } from "../../src/host/past-sides.ts";

const hunk = (part: Partial<FileHunk>): FileHunk => ({
  id: "a",
  state: "open",
  beforeStart: 1,
  afterStart: 1,
  before: ["two\n"],
  after: ["2\n"],
  above: ["one\n"],
  below: [],
  ...part,
});
const texts = { path: "/w/a", before: "one\ntwo\nthree", after: "one\n2\nthree" };
const of = async (hunks: readonly FileHunk[] | undefined, change: typeof texts | undefined = texts): Promise<unknown> =>
  await pastSides("t", "/w/a", {
    change: async () => change,
    view: async () => (hunks === undefined ? undefined : { hunks, mode: { before: 0o644, after: 0o755 } }),
  });

describe("what a turn did to a file, as both sides", () => {
  it("has each hunk where it stands in them", async () => {
    expect(await of([hunk({})])).toEqual({
      ...texts,
      hunks: [{ id: "a", state: "open", left: { start: 1, end: 2 }, right: { start: 1, end: 2 } }],
      mode: { before: 0o644, after: 0o755 },
    });
  });

  it.each([
    ["of a part of which something was decided", hunk({ before: ["2\n"] })],
    ["behind the end", hunk({ beforeStart: 7 })],
    ["of different places", hunk({ beforeStart: 0, before: ["one\n"] })],
    ["that leave something out", hunk({ before: ["two\n"], after: [] })],
  ])("offers no verdict on hunks %s: what would be decided is not what is shown", async (_which, one) => {
    expect(await of([one])).toEqual({ ...texts, mode: { before: 0o644, after: 0o755 } });
  });

  it("has the texts alone where there is no ledger of them, and the facts alone where there is no text", async () => {
    expect(await of(undefined)).toEqual(texts);
    const facts = await pastSides("t", "/w/a", {
      change: async () => undefined,
      view: async () => ({ target: { after: "../b" } }),
    });
    expect(facts).toEqual({ path: "/w/a", target: { after: "../b" } });
  });
});
