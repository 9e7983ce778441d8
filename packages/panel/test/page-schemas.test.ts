import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { sampleConversation, sampleEntries } from "../bench/sample.ts";
import { hostMessageSchema, pageMessageSchema, panelStrings } from "../src/messages/index.ts";
import { changesMessageSchema, turnsSchema } from "../src/messages/changes.ts";
import * as page from "../src/page-schemas.ts";

/** The kinds of zod's that have a definition. */
const isKnown = (schema: z.core.$ZodType): schema is z.core.$ZodTypes => schema._zod.def.type !== "custom";

function definitionOf(schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] {
  if (!isKnown(schema)) throw new Error("The messages use a schema of their own.");
  return schema._zod.def;
}

/** A schema of zod's as the page's bundle makes it. */
function asInPage(schema: z.core.$ZodType): page.Schema {
  const def = definitionOf(schema);
  switch (def.type) {
    case "string":
      return page.string();
    case "number":
      return page.number();
    case "boolean":
      return page.boolean();
    case "unknown":
      return page.unknown();
    case "any":
      return page.any();
    case "literal":
      return page.literal(def.values[0]);
    case "enum":
      return page.enum(Object.values(def.entries));
    case "optional":
      return page.exactOptional(asInPage(def.innerType));
    case "array":
      return page.array(asInPage(def.element));
    case "record":
      return page.record(asInPage(def.keyType), asInPage(def.valueType));
    case "object":
      return page.object(Object.fromEntries(Object.entries(def.shape).map(([key, one]) => [key, asInPage(one)])));
    case "union": {
      const options = def.options.map(asInPage);
      return "discriminator" in def ? page.discriminatedUnion(String(def.discriminator), options) : page.union(options);
    }
    default:
      throw new Error(`The messages use ${def.type}, which the page's schemas do not know.`);
  }
}

/** What is wrong nearly everywhere. */
const anything = fc.oneof(
  fc.constantFrom(undefined, null, Number.NaN, Number.POSITIVE_INFINITY, [], {}, ""),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Values that fit a schema, mostly: now and then a part of one is anything. */
function nearly(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: fitting(schema), weight: 60 }, { arbitrary: anything, weight: 1 });
}

function fitting(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const def = definitionOf(schema);
  switch (def.type) {
    case "string":
      return fc.string({ maxLength: 6 });
    case "number":
      return fc.integer();
    case "boolean":
      return fc.boolean();
    case "unknown":
    case "any":
      return anything;
    case "literal":
      return fc.constantFrom(...def.values);
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "optional":
      return nearly(def.innerType);
    case "array":
      return fc.array(nearly(def.element), { maxLength: 3 });
    case "record":
      return fc.dictionary(fc.string({ maxLength: 4 }), nearly(def.valueType), { maxKeys: 3 });
    case "object": {
      const optional = Object.entries(def.shape).flatMap(([key, one]) =>
        definitionOf(one).type === "optional" ? [key] : [],
      );
      const keys = Object.entries(def.shape).map(([key, one]): [string, fc.Arbitrary<unknown>] => [key, nearly(one)]);
      const more = fc.constantFrom({}, {}, { unknown: 1 });
      const required = keys.map(([key]) => key).filter((key) => !optional.includes(key));
      return fc
        .tuple(fc.record(Object.fromEntries(keys), { requiredKeys: required }), more)
        .map(([value, others]) => ({ ...value, ...others }));
    }
    case "union":
      return fc.oneof(...def.options.map(fitting));
    default:
      throw new Error(`The messages use ${def.type}, which this test does not know.`);
  }
}

describe.each([
  ["the host's messages", hostMessageSchema],
  ["the page's messages", pageMessageSchema],
  ["what the host says of changes", changesMessageSchema],
  ["what turns changed", turnsSchema],
] as const)("%s", (_whose, schema) => {
  const light = asInPage(schema);

  it("are read in the page as zod reads them, right or wrong", () => {
    let wrong = 0;
    const check = (value: unknown): void => {
      const [zods, pages] = [schema.safeParse(value), light.safeParse(value)];
      expect(pages.success).toBe(zods.success);
      if (!zods.success) wrong += 1;
      else if (pages.success) expect(pages.data).toEqual(zods.data);
    };
    fc.assert(fc.property(fitting(schema), check), { numRuns: 400 });
    fc.assert(fc.property(anything, check));
    expect(wrong).toBeGreaterThan(50);
  });
});

describe("the page's schemas", () => {
  const light = asInPage(hostMessageSchema);

  it("keep a whole conversation, and every text", () => {
    const open = sampleConversation(sampleEntries(0), 0);
    const settings = { locale: "en", sendWith: "enter", isMac: false, folders: [] };
    const hello = { type: "hello", settings, strings: panelStrings, agents: [], conversations: [], open };
    expect(light.safeParse(hello)).toEqual({ success: true, data: hello });
  });

  it("say where something is wrong", () => {
    const patch = { sequence: 1, status: {}, entries: [], appends: [{ place: 0, text: 1 }] };
    const parsed = light.safeParse({ type: "patch", conversation: "c", patch });
    expect(parsed).toMatchObject({
      success: false,
      error: { issues: [{ code: "invalid_type", path: ["patch", "appends", 0, "text"] }] },
    });
  });
});
