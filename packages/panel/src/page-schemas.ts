/**
 * The part of `zod/mini` that the messages are written in. The page's bundle takes it in zod's place (tsup.config.ts): the same
 * schemas parse at both ends, and the page is spared most of zod. `test/page-schemas.test.ts` holds that both agree.
 */

/** What is wrong, and where. */
export interface Issue {
  readonly code: "invalid_type" | "invalid_value" | "invalid_union";
  readonly path: readonly (string | number)[];
}

/** In the place of a value that does not fit. */
class Mismatch {
  readonly code: Issue["code"];
  readonly path: (string | number)[];

  constructor(code: Issue["code"], path: (string | number)[] = []) {
    this.code = code;
    this.path = path;
  }

  within(key: string | number): this {
    this.path.unshift(key);
    return this;
  }
}

export type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };

/** Reads a value: as the schema knows it, or a mismatch. */
type Read = (value: unknown) => unknown;

export interface Schema {
  readonly read: Read;
  readonly safeParse: (value: unknown) => Parsed;
  /** Of a literal. */
  readonly literal?: unknown;
  /** Of an object. */
  readonly shape?: Readonly<Record<string, Schema>>;
  /** The key may be absent. */
  readonly isOptional?: boolean;
}

function schema(read: Read, more: Partial<Schema> = {}): Schema {
  return {
    ...more,
    read,
    safeParse: (value) => {
      const data = read(value);
      return data instanceof Mismatch ? { success: false, error: { issues: [data] } } : { success: true, data };
    },
  };
}

const wrongType = (): Mismatch => new Mismatch("invalid_type");

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const primitive = (fits: (value: unknown) => boolean): (() => Schema) => {
  const one = schema((value) => (fits(value) ? value : wrongType()));
  return () => one;
};

export const string: () => Schema = primitive((value) => typeof value === "string");
export const number: () => Schema = primitive((value) => Number.isFinite(value));
export const boolean: () => Schema = primitive((value) => typeof value === "boolean");

const anything = schema((value) => value);

const unknown = (): Schema => anything;

export { unknown, unknown as any };

export function literal(expected: unknown): Schema {
  return schema((value) => (value === expected ? value : new Mismatch("invalid_value")), { literal: expected });
}

function oneOf(values: readonly unknown[]): Schema {
  const known = new Set(values);
  return schema((value) => (known.has(value) ? value : new Mismatch("invalid_value")));
}

export { oneOf as enum };

export function exactOptional(inner: Schema): Schema {
  return schema(inner.read, { isOptional: true });
}

export function array(element: Schema): Schema {
  const { read } = element;
  return schema((value) => {
    if (!Array.isArray(value)) return wrongType();
    const items: unknown[] = [];
    for (let index = 0; index < value.length; index += 1) {
      const item = read(value[index]);
      if (item instanceof Mismatch) return item.within(index);
      items.push(item);
    }
    return items;
  });
}

/** Keys that are not known are dropped. */
export function object(shape: Readonly<Record<string, Schema>>): Schema {
  const parts = Object.entries(shape).map(([key, { read, isOptional = false }]) => ({ key, read, isOptional }));
  return schema(
    (value) => {
      if (!isObject(value)) return wrongType();
      const found: Record<string, unknown> = {};
      for (const { key, read, isOptional } of parts) {
        if (isOptional && !(key in value)) continue;
        const part = read(value[key]);
        if (part instanceof Mismatch) return part.within(key);
        found[key] = part;
      }
      return found;
    },
    { shape },
  );
}

/** Keys may be any texts. */
export function record(_key: Schema, element: Schema): Schema {
  return schema((value) => {
    if (!isObject(value)) return wrongType();
    const found: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (key === "__proto__") continue;
      const part = element.read(value[key]);
      if (part instanceof Mismatch) return part.within(key);
      found[key] = part;
    }
    return found;
  });
}

export function union(choices: readonly Schema[]): Schema {
  return schema((value) => {
    for (const { read } of choices) {
      const found = read(value);
      if (!(found instanceof Mismatch)) return found;
    }
    return new Mismatch("invalid_union");
  });
}

/** Which choice it is, one key says. */
export function discriminatedUnion(key: string, choices: readonly Schema[]): Schema {
  const byLiteral = new Map(choices.map((choice) => [choice.shape?.[key]?.literal, choice.read]));
  return schema((value) => {
    if (!isObject(value)) return wrongType();
    const read = byLiteral.get(value[key]);
    return read === undefined ? new Mismatch("invalid_union", [key]) : read(value);
  });
}
