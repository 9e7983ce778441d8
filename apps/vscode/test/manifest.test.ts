import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { collectTexts } from "../scripts/collect-texts.mts";
import { commandIds } from "../src/lazy.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Command {
  readonly command: string;
  readonly title: string;
  readonly category?: string;
  readonly enablement?: string;
}

interface MenuItem {
  readonly command: string;
  readonly when?: string;
}

interface Manifest {
  readonly displayName: string;
  readonly engines: { readonly vscode: string };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly views: Readonly<Record<string, readonly { readonly when?: string }[]>>;
    readonly keybindings: readonly (MenuItem & { readonly key: string })[];
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> };
    readonly walkthroughs: readonly { readonly steps: readonly { readonly media: { readonly markdown: string } }[] }[];
  };
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(root, name), "utf8"));
}

const text = readFileSync(join(root, "package.json"), "utf8");
const manifest = readJson<Manifest>("package.json");
const ids = manifest.contributes.commands.map(({ command }) => command);
const translations = readdirSync(root).filter((name) => /^package\.nls\..+\.json$/u.test(name));
const bundles = readdirSync(join(root, "l10n")).filter((name) => name !== "bundle.l10n.json");

describe("commands", () => {
  it("are exactly those that have code", () => {
    expect(ids.toSorted()).toEqual(commandIds.toSorted());
  });

  it("are called Patchbay's", () => {
    expect(manifest.contributes.commands.filter(({ category }) => category !== "Patchbay")).toEqual([]);
  });

  it("of menus and keys exist", () => {
    const used = [...Object.values(manifest.contributes.menus).flat(), ...manifest.contributes.keybindings];
    expect(used.map(({ command }) => command).filter((command) => !ids.includes(command))).toEqual([]);
  });

  it("have keys only within a review", () => {
    for (const { when } of manifest.contributes.keybindings)
      expect(when).toMatch(/resourceScheme == patchbay-proposal/u);
  });

  it("are off where the edition stays silent, and so are the views", () => {
    const offWhenSilent = /!patchbay\.silent\b|^patchbay\.hasProposals$/u;
    const commands = manifest.contributes.commands.filter(({ enablement }) => !offWhenSilent.test(enablement ?? ""));
    expect(commands.map(({ command }) => command)).toEqual([]);
    for (const { when } of Object.values(manifest.contributes.views).flat()) expect(when).toBe("!patchbay.silent");
  });

  it("of an editor's title belong to reviews", () => {
    for (const { when } of manifest.contributes.menus["editor/title"] ?? []) {
      expect(when).toMatch(/^resourceScheme == patchbay-proposal(?: && resource (?:not )?in patchbay\.\w+)*$/u);
    }
  });
});

describe("texts", () => {
  const english = readJson<Readonly<Record<string, string>>>("package.nls.json");

  it("of the manifest stand in package.nls.json, and no others", () => {
    const used = Array.from(text.matchAll(/"%([^%"]+)%"/gu), (match) => match[1] ?? "");
    expect(Array.from(new Set(used)).toSorted()).toEqual(Object.keys(english).toSorted());
  });

  it.each(translations)("%s has the same keys", (name) => {
    expect(Object.keys(readJson<object>(name))).toEqual(Object.keys(english));
  });

  it("of the code stand in the bundle", async () => {
    expect(Object.keys(readJson<object>("l10n/bundle.l10n.json"))).toEqual(await collectTexts());
  });

  it("of the code are literals, which can be collected", () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const others = sources.flatMap((name) =>
      Array.from(
        readFileSync(join(root, "src", name), "utf8").matchAll(/l10n\.t\((?!\s*")[^\n]*/gu),
        ([call]) => `${name}: ${call}`,
      ),
    );
    // What core has said arrives as it is.
    expect(others.filter((call) => !call.startsWith(join("host", "messages.ts")))).toEqual([]);
  });

  it.each(bundles)("%s translates each, with the same places for values", (name) => {
    const translated = readJson<Readonly<Record<string, string>>>(join("l10n", name));
    expect(Object.keys(translated)).toEqual(Object.keys(readJson<object>("l10n/bundle.l10n.json")));
    for (const [key, value] of Object.entries(translated)) expect(places(value)).toEqual(places(key));
  });

  it("of the walkthrough exist", () => {
    for (const { media } of manifest.contributes.walkthroughs.flatMap(({ steps }) => steps)) {
      expect(readFileSync(join(root, media.markdown), "utf8").length).toBeGreaterThan(0);
    }
  });
});

describe("the manifest", () => {
  it("promises no more than the types it was written with", () => {
    expect(manifest.engines.vscode).toBe(`^${manifest.devDependencies["@types/vscode"]}`);
  });

  it("lets no untrusted workspace choose what is run or shared", () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    const sensitive = Object.keys(manifest.contributes.configuration.properties).filter((name) =>
      /^patchbay\.(?:agents|context)\./u.test(name),
    );
    expect(sensitive.filter((name) => !restrictedConfigurations.includes(name))).toEqual([]);
  });
});

function places(value: string): readonly string[] {
  return Array.from(value.matchAll(/\{\w+\}/gu), ([place]) => place).toSorted();
}
