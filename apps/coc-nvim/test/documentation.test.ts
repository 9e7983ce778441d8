import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };
import { defaultKeys } from "../src/diff/review-settings.ts";
import { readSettings } from "../src/settings.ts";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const help = readFileSync(join(root, "doc", "coc-patchbay.txt"), "utf8");
const properties: Readonly<Record<string, { readonly default: unknown }>> =
  manifest.contributes.configuration.properties;
const settings = Object.keys(properties);
const commands = manifest.contributes.commands.map(({ command }) => command);

/** All first groups of a pattern, each once, in order. */
const all = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))].toSorted();

const filesBelow = (folder: string): string =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:ts|vim)$/u.test(name))
    .map((name) => readFileSync(join(root, folder, name), "utf8"))
    .join("\n");
const sources = filesBelow("src") + filesBelow("autoload");

/** A part of the help, by the name of its tag. */
const section = (tag: string): string => help.split(/^={20,}$/mu).find((part) => part.includes(`*${tag}*`)) ?? "";

describe("every setting", () => {
  it("that is read is declared, and the other way round", () => {
    const read = new Set<string>();
    readSettings((name) => {
      read.add(`patchbay.${name}`);
      return undefined;
    });
    expect([...read].toSorted()).toEqual(settings.toSorted());
  });

  it("has the declared default in the table of the readme", () => {
    const rows = [...readme.matchAll(/^\| `(patchbay\.[\w.]+)`\s*\| `(.*?)`\s*\|/gmu)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(rows).toEqual(settings.map((name) => [name, JSON.stringify(properties[name]?.default)]));
  });

  it("is in the help with its default", () => {
    const entries = section("coc-patchbay-settings")
      .split(/^(?=patchbay\.)/mu)
      .slice(1);
    expect(entries.map((entry) => /^[\w.]+/u.exec(entry)?.[0])).toEqual(settings);
    for (const [index, name] of settings.entries())
      expect(entries[index]).toContain(`[${JSON.stringify(properties[name]?.default)}]`);
  });

  it("counts as its default where the user has set nothing", () => {
    const declared = readSettings((name) => properties[`patchbay.${name}`]?.default);
    expect(readSettings(() => undefined)).toEqual(declared);
    expect(defaultKeys).toEqual(declared.review.keys);
  });
});

describe("every command", () => {
  it("that is declared is made, and the other way round", () => {
    const inEditor = all(/const inEditor = \[(.*?)\]/u.exec(sources)?.[1] ?? "", /"(\w+)"/gu);
    const others = all(/const others =\s*"([^"]*)"/u.exec(sources)?.[1] ?? "", /(\w+)/gu);
    const alone = all(sources, /registerCommand\(\s*"patchbay\.(\w+)"/gu).filter((name) => name !== "event");
    expect([...inEditor, ...others, ...alone].map((name) => `patchbay.${name}`).toSorted()).toEqual(
      commands.toSorted(),
    );
  });

  it("is in the readme and in the help", () => {
    const table = /## Commands\n(.*?)\n## /su.exec(readme)?.[1] ?? "";
    const rows = table.split("\n").map((row) => row.split("|")[1] ?? "");
    expect(all(rows.join("\n"), /`(patchbay\.\w+)/gu)).toEqual(commands.toSorted());
    expect(all(section("coc-patchbay-commands"), /^(patchbay\.\w+)/gmu)).toEqual(commands.toSorted());
  });

  it("has a help tag, as has each setting, each word after :Patchbay and each <Plug> map", () => {
    const script = readFileSync(join(root, "autoload", "patchbay", "command.vim"), "utf8");
    const table = (name: string): string => script.split(`let s:${name} = {`)[1]?.split(/^ +\\ \}$/mu)[0] ?? "";
    const words = all(table("subs"), /^ +\\ '(\w+)': \{/gmu);
    const plugs = all(table("plugs"), /'([\w-]+)': '/gu);
    expect(words.length).toBeGreaterThan(20);
    expect(plugs.length).toBeGreaterThan(15);
    const wanted = [
      ...settings,
      ...commands.map((name) => `:CocCommand-${name}`),
      ...words.map((name) => `:Patchbay-${name}`),
      ...plugs.map((name) => `<Plug>(patchbay-${name})`),
    ];
    const tags = [...help.matchAll(/\*([^\s*]+)\*/gu)].map(([, name = ""]) => name);
    const own = (name: string): boolean => /^(?:patchbay\.|:CocCommand-patchbay\.|:Patchbay-|<Plug>)/u.test(name);
    expect(tags.filter(own).toSorted()).toEqual(wanted.toSorted());
    // Vim refuses to make tags of a help that has one twice.
    expect(tags).toHaveLength(new Set(tags).size);
  });

  it("that a text names exists", () => {
    expect(commands).toEqual(expect.arrayContaining([...all(readme + help + sources, /CocCommand (patchbay\.\w+)/gu)]));
  });
});

describe("every autocommand, key and name", () => {
  it("of User events is in the readme and in the help", () => {
    const made = all(sources, /"(Patchbay[A-Z]\w+)"/gu);
    expect(all(readme, /`(Patchbay[A-Z]\w+)`/gu)).toEqual(made);
    expect(all(help, /\*(Patchbay[A-Z]\w+)\*/gu)).toEqual(made);
  });

  it("of a function or variable for users exists", () => {
    for (const name of all(readme + help, /(patchbay#\w+)\(/gu)) expect(sources).toContain(`function! ${name}(`);
    for (const name of all(readme + help, /\b(g:patchbay_\w+)/gu)) expect(sources).toContain(name);
  });

  it("that accepts or rejects by default is in the readme and in the help", () => {
    for (const key of Object.values(defaultKeys)) {
      expect(readme).toContain(`\`${key}\``);
      expect(section("coc-patchbay-reviews")).toContain(key);
    }
  });

  it("that the help links to is a tag of its own or of Vim", () => {
    const tags = all(help, /\*([^\s*]+)\*/gu);
    const links = all(help, /\|([^\s|]+)\|/gu).filter((link) => /^coc-patchbay|^:Patchbay/u.test(link));
    expect(tags).toEqual(expect.arrayContaining([...links]));
  });
});
