import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { editorFindings } from "../../../../tooling/scripts/finding-pages.mjs";
import type { EditorFindingCode } from "../../src/diagnosis/examine-editor.ts";
import { explainedCodes, explainFinding, explanationMarkdown } from "../../src/diagnosis/explain.ts";
import { explanationTexts } from "../../src/diagnosis/explanations.ts";
import type { FindingCode } from "../../src/diagnosis/finding.ts";

/** Every code of an editor: the compiler wants a new one here. */
const ofEditors: { readonly [Code in EditorFindingCode]: true } = {
  asks: true,
  "editor-mode-not-chosen": true,
  "editor-mode-off": true,
  failed: true,
  "folders-open": true,
  "hook-broken": true,
  "hook-installed": true,
  "hook-needs-trust": true,
  "hook-not-installed": true,
  "hook-off": true,
  "hook-untrusted": true,
  listening: true,
  "listening-but": true,
  "looks-on-container-host": true,
  "never-asks": true,
  "no-agent-connected": true,
  "no-folder-open": true,
  "not-yet-listening": true,
  session: true,
  "settings-not-json": true,
  "sharing-off": true,
  "shows-changes-in-terminal": true,
  stopped: true,
  "terminal-environment-off": true,
  "workspace-untrusted": true,
};

/** The same of the doctor. */
const every: { readonly [Code in FindingCode | EditorFindingCode]: true } = {
  ...ofEditors,
  "agent-too-old": true,
  connects: true,
  "context-off": true,
  "directory-closed": true,
  "directory-is-a-link": true,
  "directory-is-none": true,
  "directory-of-another-user": true,
  "directory-open-to-others": true,
  "editor-full": true,
  "editor-silent": true,
  "editor-slow": true,
  "editor-stopped": true,
  "folder-below": true,
  "folder-by-link": true,
  "home-differs": true,
  "hook-beside-others": true,
  "no-editor": true,
  "not-installed": true,
  "other-folder": true,
  "policy-unclear": true,
  "policy-without-hook": true,
  "port-left-over": true,
  "port-of-another-program": true,
  "port-without-token": true,
  "program-in-place-of-editor": true,
  "record-left-over": true,
  "record-missing": true,
  "record-not-understood": true,
  "record-of-another-user": true,
  "record-of-ended-process": true,
  "record-readable-by-others": true,
  "record-without-editor-names": true,
  "root-by-sudo": true,
  "service-off": true,
  "service-unknown": true,
  "takes-ended-editor": true,
  "takes-other-folder": true,
  "temporary-directory-differs": true,
  "terminal-of-another-editor": true,
  "token-refused": true,
  undecided: true,
  "variable-differs": true,
  "waits-to-be-told": true,
};

const codes = Object.keys(every).toSorted();

describe("the explanations of findings", () => {
  it("are there for every code, and for no other", async () => {
    expect(await explainedCodes()).toEqual(codes);
    expect(await explainFinding("nothing")).toBeUndefined();
    expect(await explainFinding("constructor")).toBeUndefined();
  });

  it("of editors are in their builds, but for what only says that all is well", () => {
    const well = ["asks", "folders-open", "hook-installed", "listening"];
    const explained = Object.keys(ofEditors).filter((code) => !well.includes(code));
    expect(explained.toSorted()).toEqual(editorFindings);
  });

  it.each(codes)("say of %s what it is, why it happens, what to do and what is not harmed", async (code) => {
    const explanation = await explainFinding(code);
    const { title, parts } = explanation ?? { title: "", parts: [] };
    expect(title).toMatch(/^[A-Z.].{5,60}[^.]$/u);
    expect(parts[0]?.kind).toBe("text");
    expect(parts.filter(({ kind }) => kind === "heading").map(({ text }) => text)).toEqual([
      "Why",
      "What to do",
      "What is not harmed",
    ]);
    // No part is empty: behind each heading stands something else.
    for (const [index, { kind }] of parts.entries()) {
      if (kind === "heading") expect(parts[index + 1]?.kind).toMatch(/^(?:text|command)$/u);
    }
    // What is left of Markdown is marks of commands, in pairs and within a line.
    const text = parts.filter(({ kind }) => kind !== "command").map((part) => part.text);
    expect(text.filter((one) => one.replaceAll(/`[^`]+`/gu, "").search(/[`*#|]|\]\(/u) >= 0)).toEqual([]);
    // It is read by somebody who wants to go on.
    expect(text.join(" ").length).toBeLessThan(1_000);
  });

  it("keep a command as it is", async () => {
    const { parts = [] } = (await explainFinding("waits-to-be-told")) ?? {};
    expect(parts.filter(({ kind }) => kind === "command").map(({ text }) => text)).toEqual([
      "patchbay run claude",
      "claude --ide",
    ]);
  });

  it("are in another language where its texts are given, with commands as they are", async () => {
    const { parts = [] } = (await explainFinding("hook-needs-trust")) ?? {};
    const own = explanationTexts().map((text) => `«${text}»`);
    const translated = await explainFinding("hook-needs-trust", own);
    expect(translated?.title).toBe("«The hook needs your trust»");
    expect(translated?.parts).toEqual(
      parts.map(({ kind, text }) => ({ kind, text: kind === "command" ? text : `«${text}»` })),
    );
    // A language that lacks some says them in English.
    expect((await explainFinding("hook-needs-trust", own.slice(0, 2)))?.title).toBe("The hook needs your trust");
    const markdown = translated === undefined ? "" : explanationMarkdown(translated);
    expect(markdown).toContain("\n\n## «Why»\n\n«Settings of a folder");
    expect(markdown).toContain("\n\n```\npatchbay hook install\n```\n\n## «");
  });

  it("are listed by their titles", async () => {
    const index = readFileSync(new URL("../../../../docs/findings/index.md", import.meta.url), "utf8");
    const rows = await Promise.all(
      codes.map(async (code) => `| [${(await explainFinding(code))?.title ?? ""}](${code}.md) | \`${code}\` |`),
    );
    const listed = index.split("\n").filter((line) => line.startsWith("| ["));
    expect(listed.toSorted()).toEqual(rows.toSorted());
  });
});
