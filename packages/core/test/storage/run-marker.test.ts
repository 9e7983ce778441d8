import fc from "fast-check";
import { isMissing } from "@patchbay/testkit";
import { describe, expect, it } from "vitest";
import { isEnded, markerFor, markRecord, parseMarker, processPlace } from "../../src/storage/claim.ts";
import { anyText } from "../any-text.ts";
import { makeTemporaryMachine } from "./temporary-machine.ts";

const marker = fc.record(
  { pid: fc.integer({ min: 1, max: 2 ** 31 - 1 }), start: fc.string(), editor: fc.string() },
  { requiredKeys: ["pid"] },
);

describe("the marker in a record", () => {
  it("comes back as it was put in, whatever else the record holds, and changes nothing else", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), marker, (record, own) => {
        const { patchbay: _, ...others } = record;
        const text = markRecord(JSON.stringify(record), own);
        expect(parseMarker(text)).toEqual(own);
        const { patchbay: found, ...kept } = JSON.parse(text);
        expect(found).toEqual(own);
        expect(kept).toEqual(JSON.parse(JSON.stringify(others)));
      }),
    );
  });

  it("is never found in, and never breaks on, what somebody else wrote", () => {
    fc.assert(fc.property(anyText(), (text) => parseMarker(text) === undefined));
    fc.assert(fc.property(fc.json(), (text) => parseMarker(text) === undefined));
  });

  it("is only taken in its exact form", () => {
    const odd = fc.record({ pid: fc.jsonValue(), start: fc.jsonValue(), editor: fc.jsonValue() }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.oneof(odd, fc.jsonValue()), (patchbay) => {
        const found = parseMarker(JSON.stringify({ patchbay }));
        if (found === undefined) return;
        expect(Number.isSafeInteger(found.pid) && found.pid > 0).toBe(true);
        expect(patchbay).toMatchObject(found);
      }),
    );
    expect(parseMarker('{"patchbay":{"pid":0}}')).toBeUndefined();
    expect(parseMarker('{"patchbay":{"pid":1.5}}')).toBeUndefined();
    expect(parseMarker('{"patchbay":{"pid":"1"}}')).toBeUndefined();
    expect(parseMarker('{"patchbay":{"pid":1,"start":2}}')).toBeUndefined();
    expect(parseMarker('{"__proto__":{"patchbay":{"pid":1}}}')).toBeUndefined();
    expect(parseMarker('{"patchbay":{"__proto__":{"pid":1}}}')).toBeUndefined();
    expect(parseMarker('[{"patchbay":{"pid":1}}]')).toBeUndefined();
  });

  it("is not put into what is not a JSON object", () => {
    expect(markRecord("[1]", { pid: 1 })).toBe("[1]");
    expect(markRecord("no JSON", { pid: 1 })).toBe("no JSON");
  });
});

describe("whether a run has ended", () => {
  it.skipIf(isMissing("facts about processes"))(
    "tells this process from an ended one and from an earlier one of the same id",
    async () => {
      const { platform } = makeTemporaryMachine();
      const own = await markerFor(platform, "window-1");
      expect(own).toMatchObject({ pid: process.pid, editor: "window-1" });
      expect(await isEnded(platform, own)).toBe(false);
      expect(await isEnded(platform, { pid: own.pid, start: "another start" })).toBe(true);
      expect(await isEnded(platform, { pid: own.pid })).toBe(false);
      expect(await isEnded(platform, { pid: 2 ** 31 - 1, start: "then" })).toBe(true);
    },
  );

  it("believes a living process whose start cannot be told", async () => {
    const { platform } = makeTemporaryMachine({ process: { startMark: async () => undefined } });
    expect(await isEnded(platform, { pid: process.pid, start: "then" })).toBe(false);
    expect(await markerFor(platform)).toEqual({ pid: process.pid, place: await platform.files.readLink(processPlace) });
  });
});
