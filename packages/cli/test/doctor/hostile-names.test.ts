import type { AgentId, Finding, FindingCode, FindingValues, NamedEditor } from "@patchbay/core";
import { describe, expect, it } from "vitest";
import { wordsOf } from "../../src/doctor/finding-words.ts";
import { escapeLine, escapeText, safeJson } from "../../src/terminal/escape-text.ts";

/** Speaks to a terminal in every way, and to a shell. */
const hostile = "a\u001b[31m\u001b]0;title\u0007\r\n\t\u009b2J\u202e\u2028'; touch x; $(touch y) `touch z`";
const editor: NamedEditor = { name: hostile, port: 1 };
const agents: readonly AgentId[] = ["gemini"];

/** One of every finding: a new one has to be added here. */
const everyValue: { readonly [Code in FindingCode]: FindingValues[Code] } = {
  connects: { editor, because: "newest", others: [editor] },
  "waits-to-be-told": { editor },
  "terminal-of-another-editor": { editor, variable: hostile },
  undecided: { editors: [editor, editor] },
  "takes-other-folder": { editor, variable: hostile, open: hostile, better: editor },
  "no-editor": { folder: hostile },
  "other-folder": { editor, open: hostile },
  "folder-below": { editor, open: hostile },
  "folder-by-link": { editor, open: hostile, folder: hostile },
  "token-refused": { editor, paths: [hostile, hostile] },
  "editor-stopped": { editor, pid: 1 },
  "editor-silent": { editor, pid: 1, seconds: 6 },
  "editor-slow": { editor, seconds: 4 },
  "editor-full": { editor },
  "port-of-another-program": { editor, paths: [hostile, hostile], isSurelyEnded: true },
  "takes-ended-editor": { editor, path: hostile, isSurelyEnded: true, better: undefined },
  "port-left-over": { variables: [hostile], port: hostile },
  "port-without-token": { variable: hostile },
  "program-in-place-of-editor": { variable: hostile },
  "context-off": { file: hostile },
  "looks-on-container-host": {},
  "temporary-directory-differs": { editor, theirs: hostile, ours: hostile },
  "home-differs": { editor, theirs: hostile, ours: hostile },
  "variable-differs": { editor, variable: hostile, file: hostile, theirs: hostile, ours: hostile },
  "root-by-sudo": { user: hostile },
  "not-installed": { command: hostile, package: hostile },
  "agent-too-old": { version: hostile, needed: "0.31.0", package: "p" },
  "directory-of-another-user": { directory: hostile, uid: 1, isTemporary: true },
  "directory-is-a-link": { directory: hostile },
  "directory-is-none": { directory: hostile },
  "directory-closed": { directory: hostile },
  "directory-open-to-others": { directory: hostile },
  "record-of-another-user": { path: hostile, uid: 1 },
  "record-readable-by-others": { path: hostile },
  "record-not-understood": { path: hostile },
  "record-left-over": { paths: [hostile, hostile], editor, isSurelyEnded: true },
  "record-of-ended-process": { path: hostile, editor, pid: 1 },
  "record-without-editor-names": { path: hostile },
  "record-missing": { editor, directory: hostile },
  "editor-mode-off": { file: hostile, userFile: hostile, variable: undefined },
  "editor-mode-not-chosen": {},
  "never-asks": {
    mode: hostile,
    setting: hostile,
    asking: hostile,
    file: hostile,
    userFile: hostile,
    command: "claude",
    input: undefined,
  },
  "shows-changes-in-terminal": { file: hostile },
  "hook-installed": { file: hostile },
  "hook-broken": { file: hostile, missing: hostile },
  "hook-not-installed": {},
  "hook-off": { setting: hostile, file: hostile },
  "hook-needs-trust": { file: hostile },
  "hook-untrusted": { file: hostile },
  "service-off": { setting: hostile, file: hostile },
  "service-unknown": { path: hostile },
  "hook-beside-others": { file: hostile, commands: [hostile] },
  "policy-without-hook": { file: hostile },
  "settings-not-json": { file: hostile },
  "policy-unclear": { file: hostile },
};

/** Correlates a code with its values, which a cast would only claim. */
function isFinding(value: { readonly code: string; readonly values: unknown }): value is Finding {
  return Reflect.get(everyValue, value.code) === value.values;
}

const findings = Object.entries(everyValue).flatMap(([code, values]): readonly Finding[] => {
  const finding = { code, level: "problem", agents, values } as const;
  return isFinding(finding) ? [finding] : [];
});

describe("a name that speaks to the terminal", () => {
  it.each(findings)("is text in $code", (finding) => {
    const { text, fix } = wordsOf(finding);
    expect(escapeLine(text)).toBe(text);
    // What cannot be typed as it is printed is not offered.
    if (fix !== undefined) expect(escapeLine(fix)).toBe(fix);
    if (JSON.stringify(finding.values).includes("touch x") && fix !== undefined) expect(fix).not.toContain("touch");
    const json = safeJson({ finding, text }, 2);
    expect(escapeText(json)).toBe(json);
    expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ finding, text })));
  });

  it("with nothing but what a shell obeys is one word of the command", () => {
    const open = "/w/'; touch x; $(touch y)";
    const finding: Finding = { code: "other-folder", level: "problem", agents, values: { editor, open } };
    expect(wordsOf(finding).fix).toContain("cd '/w/'\\''; touch x; $(touch y)'");
  });
});
