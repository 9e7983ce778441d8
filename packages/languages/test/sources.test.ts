import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  cocTexts,
  findingTexts,
  messages,
  pageTexts,
  saidTexts,
  theiaTexts,
  vimTexts,
  vscodeTexts,
} from "../scripts/english.ts";

const packages = join(import.meta.dirname, "..", "..");

const sourcesIn = (folder: string, ending = ".ts"): readonly string[] =>
  readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(join(packages, folder, file), "utf8"));

const textsOf = (list: readonly { readonly text: string }[]): readonly string[] => list.map(({ text }) => text);

describe("what is collected from the sources", () => {
  it("has one of each kind", () => {
    expect(textsOf(vscodeTexts())).toContain("Diagnose Connection");
    expect(textsOf(messages())).toEqual(
      expect.arrayContaining([
        "{agent} proposes a change to {path}, which is outside this workspace. Show it?",
        "{reason} Answer in the agent's terminal.",
        "Open a folder first: agents work in one.",
        "This file cannot be shown in the page.",
        "Apply My Edits",
      ]),
    );
    expect(pageTexts()).toContainEqual({ text: "Send", place: "compose.send" });
    expect(theiaTexts()).toContainEqual({ text: "Review", place: "theia/inbox/title" });
    expect(theiaTexts()).toContainEqual({ text: "Accept Proposal", place: "theia/command/accept" });
    expect(textsOf(cocTexts())).toContain("There is no hunk to decide here.");
    expect(textsOf(vimTexts())).toContain("Answer in {0}'s terminal, then apply your edits");
    expect(textsOf(findingTexts())).toContain("What is not harmed");
  });

  it("leaves out no text of a window of Theia", () => {
    const calls = sourcesIn("../apps/theia/src").flatMap((source) =>
      Array.from(source.matchAll(/nls\.localize\(\s*[^\s][^\n]*/gu)),
    );
    const known = calls.map(([call]) => call).filter((call) => /^nls\.localize\(\s*"patchbay\//u.test(call));
    // What core has said is looked up by its sentence.
    const others = calls.map(([call]) => call).filter((call) => !known.includes(call));
    expect(others.filter((call) => !/\(`\$\{ofMessages\}|\(key, text\)/u.test(call))).toEqual([]);
    expect(theiaTexts().length).toBeGreaterThan(300);
  });
});

describe("what is said in Vim", () => {
  it("is looked up in its scripts", () => {
    const scripts = sourcesIn("../apps/coc-nvim/autoload", ".vim");
    const said = scripts.flatMap((script) => Array.from(script.matchAll(/(?:#say|:SayLater)\((?!a:|text\b)[^\n]*/gu)));
    expect(said.length).toBeGreaterThan(30);
    const isLookedUp = (call: string): boolean => /patchbay#text\(|s:NoChange\(|hints#text\(|v:exception/u.test(call);
    expect(said.map(([call]) => call).filter((call) => !isLookedUp(call))).toEqual([]);
    // A sentence is written nowhere else: what is left of a script without comments and texts holds none.
    const rest = scripts.map((script) =>
      script.replaceAll(/^\s*".*$/gmu, "").replaceAll(/patchbay#text\('(?:[^']|'')*'/gu, ""),
    );
    expect(rest.flatMap((script) => script.match(/'\p{Lu}\p{Ll}+ [^']* [^']*'/gu) ?? [])).toEqual([]);
  });

  it("is looked up in the extension, but for what only the log says", () => {
    const sources = sourcesIn("../apps/coc-nvim/src").map((source) =>
      source
        .replaceAll(/^\s*(?:\/?\*|\/\/).*$/gmu, "")
        .replaceAll(/l10n\.t\(\s*"(?:[^"\\]|\\.)*"/gu, "")
        .replaceAll(/(?:logger\s*\.(?:debug|info|warn|error)|PatchbayError)\(\s*(?:"[\w-]+", )?"[^"]*"/gu, "")
        // What is lacking where work in the background has failed (`inBackground`).
        .replaceAll(/\bbegin\([^"]*, "[^"]*"/gu, ""),
    );
    const sentences = sources.flatMap(
      (source) => source.match(/["`](?:\p{Lu}\p{Ll}+|\$\{[^}]+\}) [\p{L}\d:]+ [^"`]+["`]/gu) ?? [],
    );
    expect(sentences).toEqual([]);
  });
});

describe("what Patchbay says in conversations", () => {
  it("has every sentence with a value that the panel's host says, and those about the limits of a plan", () => {
    const limits = readFileSync(join(packages, "conversations/src/claude-stream/plan-limits.ts"), "utf8");
    const said = [
      ...sourcesIn("panel/src/host").flatMap((source) => Array.from(source.matchAll(/said\(`([^`]+)`\)/gu))),
      ...Array.from(limits.matchAll(/return (?:wasPaidFor \? undefined : )?[`"](\p{Lu}[^`"]+ [^`"]+)[`"];/gu)),
    ].map(([, sentence = ""]) => {
      let count = 0;
      return sentence.replaceAll(/\$\{[^}]+\}/gu, () => `{${count++}}`);
    });
    expect(said).toHaveLength(6);
    expect(textsOf(saidTexts())).toEqual(expect.arrayContaining(said));
  });

  it("has every sentence in which an agent's session fails", () => {
    const files = ["acp/session.ts", "acp/failures.ts", "claude-stream/session.ts", "claude-stream/control.ts"];
    const failures = files
      .map((file) => readFileSync(join(packages, "conversations/src", file), "utf8"))
      .flatMap((source) =>
        Array.from(source.matchAll(/`(\$\{[^}]+\} [^`\n]+[.])`|"((?:Claude Code|The) [^"\n]+[.])"/gu)),
      )
      .map(([, template, text = ""]) => template ?? text)
      // Its two sentences are looked for below.
      .filter((sentence) => !sentence.includes("endOf("));
    const known = textsOf(saidTexts()).map((text) => text.replaceAll(/\{\d\}/gu, "{}"));
    const shape = (sentence: string): string => sentence.replaceAll(/\$\{[^}]+\}/gu, "{}");
    expect(failures.length).toBeGreaterThan(15);
    const isKnown = (failure: string): boolean =>
      known.includes(shape(failure)) || known.includes(shape(failure).replace(/^Claude Code/u, "{}"));
    expect(failures.filter((failure) => !isKnown(failure))).toEqual([]);
  });

  it("is what the sources say", () => {
    const source = ["conversations/src", "core/src/storage", "panel/src/agents", "panel/src/host", "panel/src/server"]
      .flatMap((folder) => sourcesIn(folder))
      .join("\n");
    for (const english of textsOf(saidTexts())) {
      const parts = english.split(/\{\d\}|\. (?=Install|Update)/u).map((part) => part.trim().replace(/:$/u, ""));
      expect(parts.filter((part) => !source.includes(part))).toEqual([]);
    }
  });
});
