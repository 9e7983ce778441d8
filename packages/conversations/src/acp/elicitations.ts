import * as z from "zod";
import type { Answer, FormField, FormOption, FormQuestion, FormValue } from "../model/index.ts";
import { maybe, text } from "./lenient.ts";
import type { ElicitationRequest } from "./wire.ts";

const constants = z
  .array(z.object({ const: text, title: maybe(text), description: maybe(text) }))
  .transform((options) =>
    options.map(({ const: value, title, description }) => ({
      value,
      label: title ?? value,
      ...(description === undefined ? {} : { description }),
    })),
  );
const optionalConstants = maybe(constants);
const names = maybe(z.array(z.string()));

/** A property of a form as JSON Schema has it: the kinds that the Model Context Protocol allows in forms. */
const property = z.object({
  type: maybe(text),
  title: maybe(text),
  description: maybe(text),
  enum: names,
  enumNames: names,
  oneOf: optionalConstants,
  items: maybe(z.object({ enum: names, anyOf: optionalConstants, oneOf: optionalConstants })),
  default: maybe(z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
});

/** One agent has a second property for what is not among the options, named after the first. */
const otherSuffix = "_custom";

/** The form that an agent asks to have filled in. */
export function elicitedForm({ message, properties, required }: ElicitationRequest): FormQuestion {
  const ids = Object.keys(properties);
  const fields = ids.flatMap((id): readonly FormField[] => {
    const found = property.safeParse(properties[id]).data;
    const owner = id.endsWith(otherSuffix) ? id.slice(0, -otherSuffix.length) : undefined;
    if (found === undefined || (owner !== undefined && ids.includes(owner))) return [];
    const options = optionsOf(found);
    return [
      {
        id,
        label: found.title ?? found.description ?? id,
        ...(found.title === undefined || found.description === undefined ? {} : { description: found.description }),
        input: inputOf(found, options),
        isRequired: required.includes(id),
        ...(options === undefined ? {} : { options }),
        ...(ids.includes(`${id}${otherSuffix}`) ? { allowsOther: true } : {}),
        ...(found.default === undefined ? {} : { initial: found.default }),
      },
    ];
  });
  return { type: "form", message, fields };
}

function optionsOf({
  enum: values,
  enumNames,
  oneOf,
  items,
}: z.output<typeof property>): readonly FormOption[] | undefined {
  const listed = values ?? items?.enum;
  return (
    oneOf ??
    items?.anyOf ??
    items?.oneOf ??
    listed?.map((value, index) => ({ value, label: enumNames?.[index] ?? value }))
  );
}

function inputOf({ type }: z.output<typeof property>, options: readonly FormOption[] | undefined): FormField["input"] {
  if (options !== undefined) return type === "array" ? "many-of" : "one-of";
  if (type === "boolean") return "boolean";
  return type === "number" || type === "integer" ? "number" : "text";
}

/** What `elicitation/create` is answered with. */
export function elicitationResult(form: FormQuestion, answer: Answer | undefined): unknown {
  if (answer?.type === "reject") return { action: "decline" };
  if (answer?.type !== "form") return { action: "cancel" };
  const content = Object.entries(answer.values).flatMap(([id, value]) => {
    const field = form.fields.find((one) => one.id === id);
    return field === undefined ? [] : valuesOf(field, value);
  });
  return { action: "accept", content: Object.fromEntries(content) };
}

/** What is not among the options goes into the property that is there for it. */
function valuesOf(field: FormField, value: FormValue): readonly (readonly [string, FormValue])[] {
  const isOther = (one: string): boolean => field.options?.some((option) => option.value === one) === false;
  if (field.allowsOther !== true) return [[field.id, value]];
  if (typeof value === "string") return [[isOther(value) ? `${field.id}${otherSuffix}` : field.id, value]];
  if (typeof value !== "object") return [[field.id, value]];
  const others = value.filter(isOther);
  const chosen: readonly (readonly [string, FormValue])[] = [[field.id, value.filter((one) => !isOther(one))]];
  return others.length === 0 ? chosen : [...chosen, [`${field.id}${otherSuffix}`, others.join(", ")]];
}
