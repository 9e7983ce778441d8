// @vitest-environment jsdom
import "./support/browser.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agents } from "@patchbay/core";
import { expect, it } from "vitest";
import { agentLaunches, patchbayCommands } from "../src/browser/contributions/patchbay-commands.ts";
import { originalScheme, proposalScheme } from "../src/browser/review/proposal-resources.ts";
import { commandPreferenceOf, preferenceNames } from "../src/common/preferences.ts";

/** What our VS Code extension adds to an editor; it may run as a plugin in the same Theia. */
const manifest = readFileSync(join(import.meta.dirname, "../../vscode/package.json"), "utf8");

it("has no command, preference or document that our VS Code extension takes for its own", () => {
  const commands = [...Object.values(patchbayCommands), ...agentLaunches.map(({ command }) => command)];
  const names = [
    ...commands.map(({ id }) => id),
    ...Object.values(preferenceNames),
    ...agents.map(commandPreferenceOf),
    proposalScheme,
    originalScheme,
  ];
  expect(names.length).toBeGreaterThan(20);
  // As a whole word: commands and settings are in quotes there, schemes stand in conditions.
  expect(names.filter((name) => new RegExp(`(?<![\\w.-])${name}(?![\\w.-])`, "u").test(manifest))).toEqual([]);
});
