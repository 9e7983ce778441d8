import * as z from "zod";

/** Shapes for what agents say that need not be as a protocol wants it. */

/** Absent, null and unreadable are the same. */
export function maybe<T extends z.ZodType>(schema: T): z.ZodType<z.output<T> | undefined> {
  return schema
    .nullish()
    .transform((value): z.output<T> | undefined => value ?? undefined)
    .catch(undefined);
}

/** A list without the items that cannot be read. */
export function listOf<T extends z.ZodType>(schema: T): z.ZodType<readonly z.output<T>[]> {
  return z
    .array(z.unknown())
    .nullish()
    .transform((items) =>
      (items ?? []).flatMap((item): readonly z.output<T>[] => {
        const parsed = schema.safeParse(item);
        return parsed.success ? [parsed.data] : [];
      }),
    )
    .catch([]);
}

export const text: z.ZodType<string> = z.string();

/** A number that cannot be below zero. */
export const count: z.ZodType<number | undefined> = maybe(z.number().nonnegative());

/** What the protocol leaves to agents. */
export const meta: z.ZodType<Readonly<Record<string, unknown>>> = maybe(z.record(z.string(), z.unknown())).transform(
  (value) => value ?? {},
);
