import { expect, it } from "vitest";
import { createCocDiagnostics } from "../../src/host/coc-diagnostics.ts";

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };
const items = [
  { file: "/w/a.ts", lnum: 2, col: 3, message: "no", severity: "Error", source: "ts", code: 2304, location: { range } },
  { file: "/w/a.ts", lnum: 9, col: 1, message: "hm", severity: "Information", source: "", code: "" },
  { file: "/w/b.ts", lnum: 1, col: 1, message: "maybe", severity: "Warning", location: { range } },
];

it("are given at once when the time is up, as coc waits for nothing", async () => {
  const diagnostics = createCocDiagnostics({ diagnostics: async () => items });
  expect(await diagnostics.read("/w/b.ts", AbortSignal.abort())).toHaveLength(1);
});

it("are given by file, in coc's own positions", async () => {
  const diagnostics = createCocDiagnostics({ diagnostics: async () => items });
  const { signal } = new AbortController();
  const all = await diagnostics.read(undefined, signal);
  expect(all.map((file) => [file.path, file.diagnostics.length])).toEqual([
    ["/w/a.ts", 2],
    ["/w/b.ts", 1],
  ]);
  const [one] = await diagnostics.read("/w/a.ts", signal);
  expect(one?.diagnostics).toEqual([
    { message: "no", severity: "Error", range, source: "ts", code: "2304" },
    {
      message: "hm",
      severity: "Information",
      range: { start: { line: 8, character: 0 }, end: { line: 8, character: 0 } },
    },
  ]);
});
