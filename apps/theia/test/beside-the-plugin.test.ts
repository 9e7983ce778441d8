// @vitest-environment jsdom
import "./support/browser.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agents } from "@patchbay/core";
import { expect, it } from "vitest";
import * as z from "zod";
import { agentLaunches, panelCommands, patchbayCommands } from "../src/browser/contributions/patchbay-commands.ts";
import { originalScheme, proposalScheme } from "../src/browser/review/proposal-resources.ts";
import { commandPreferenceOf, preferenceNames, preferenceSchema } from "../src/common/preferences.ts";

/** What our VS Code extension adds to an editor; it may run as a plugin in the same Theia. */
const manifest = readFileSync(join(import.meta.dirname, "../../vscode/package.json"), "utf8");

const extension = z
  .object({
    contributes: z.object({
      configuration: z.object({
        properties: z.record(z.string(), z.object({ type: z.string(), enum: z.array(z.string()).optional() })),
      }),
    }),
  })
  .parse(JSON.parse(manifest));

it("has no command or document that our VS Code extension takes for its own", () => {
  const commands = [
    ...Object.values(patchbayCommands),
    ...Object.values(panelCommands),
    ...agentLaunches.map(({ command }) => command),
  ];
  const names = [...commands.map(({ id }) => id), proposalScheme, originalScheme];
  expect(names.length).toBeGreaterThan(20);
  // As a whole word: commands and settings are in quotes there, schemes stand in conditions.
  expect(names.filter((name) => new RegExp(`(?<![\\w.-])${name}(?![\\w.-])`, "u").test(manifest))).toEqual([]);
});

it("hides the views of that extension by the key that it reads", () => {
  const views = Object.values(
    z
      .object({ contributes: z.object({ views: z.record(z.string(), z.array(z.object({ when: z.string() }))) }) })
      .parse(JSON.parse(manifest)).contributes.views,
  ).flat();
  expect(views.length).toBeGreaterThan(3);
  expect(views.filter(({ when }) => !when.startsWith("!patchbay.silent"))).toEqual([]);
});

it("has its preferences under the names of that extension's settings, of the same type and with the same choices", () => {
  const settings = new Map(Object.entries(extension.contributes.configuration.properties));
  const names = [...Object.values(preferenceNames), ...agents.map(commandPreferenceOf)];
  const shared = names.filter((name) => settings.has(name));
  expect(shared.length).toBeGreaterThan(9);
  for (const name of shared) {
    const { type, enum: choices } = preferenceSchema.properties[name] ?? {};
    expect([name, { type, enum: choices }]).toEqual([name, settings.get(name)]);
  }
});
