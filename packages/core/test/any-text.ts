import fc from "fast-check";

const highest = 0x10_ffff;

/** Half of them ASCII, which is what formats are made of. */
const codePoint = fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: highest })).map(
  (value) => String.fromCodePoint(value),
  (text) => {
    const value = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (value === undefined || text !== String.fromCodePoint(value)) throw new Error("Not one code point.");
    return value;
  },
);

/**
 * Texts of any code points, halves of surrogate pairs and the names JavaScript trips over included. fast-check's own
 * `unit: "binary"` makes a table of all code points first, which takes a second of each test file.
 */
export const anyText = (constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: codePoint });
