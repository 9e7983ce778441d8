// @vitest-environment jsdom
import "./support/browser.ts";
import type { PreferenceInspection } from "@theia/core/lib/common/preferences/preference-service";
import { expect, it } from "vitest";
import {
  isAbout,
  ownPreferenceOf,
  preferenceNames,
  preferenceOf,
  preferenceSchema,
} from "../src/common/preferences.ts";

interface Values {
  readonly user?: Readonly<Record<string, unknown>>;
  readonly folder?: Readonly<Record<string, unknown>>;
}

/** Preferences as Theia reads them: a folder's before the user's. */
function preferencesOf({ user = {}, folder = {} }: Values): Parameters<typeof preferenceOf>[0] {
  const get = (name: string, fallback?: unknown): unknown => folder[name] ?? user[name] ?? fallback;
  const inspect = (preferenceName: string): PreferenceInspection<never> => {
    const found = { preferenceName, globalValue: user[preferenceName], workspaceFolderValue: folder[preferenceName] };
    return Object.assign(Object.create(null), found);
  };
  return Object.assign(Object.create(null), { get, inspect });
}

const { exclude, reviews } = preferenceNames;

it.each<[string, Values, readonly string[]]>([
  ["nothing is written", {}, ["none"]],
  ["only the name of an earlier build is", { user: { "patchbay.theia.context.exclude": ["*.key"] } }, ["*.key"]],
  ["that name stands in a folder", { folder: { "patchbay.theia.context.exclude": ["*.pem"] } }, ["*.pem"]],
  ["both are", { user: { [exclude]: ["new"] }, folder: { "patchbay.theia.context.exclude": ["old"] } }, ["new"]],
])("what is kept from agents stays so where %s", (_case, values, expected) => {
  expect(preferenceOf<readonly string[]>(preferencesOf(values), exclude, ["none"])).toEqual(expected);
});

it("only the user's own word loosens reviews, under both names", () => {
  const own = (values: Values): unknown => ownPreferenceOf(preferencesOf(values), reviews);
  expect(own({ folder: { [reviews]: "never", "patchbay.theia.reviews": "never" } })).toBeUndefined();
  expect(own({ user: { "patchbay.theia.reviews": { claude: "never" } } })).toEqual({ claude: "never" });
  expect(preferenceSchema.properties["patchbay.theia.reviews"]?.scope).toBe(
    preferenceSchema.properties[reviews]?.scope,
  );
});

it("a change under the earlier name is a change of the same preference", () => {
  expect(isAbout("patchbay.theia.reviews", [reviews])).toBe(true);
  expect(isAbout("patchbay.notify", [reviews])).toBe(false);
});
