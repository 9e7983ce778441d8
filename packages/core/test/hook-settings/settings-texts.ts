import fc from "fast-check";
import { claudeHook } from "../../src/agents/claude/behaviour.ts";
import { geminiHook } from "../../src/agents/gemini/behaviour.ts";

// Texts of agents' settings, for properties.

const end = fc.constantFrom("\n", "\r\n");
const comment = fc.constantFrom("", " // why", " /* why */");
const member = fc.constantFrom('"a": 1', '"b": ["x", { "c": null }]', '"s": "// no comment, \\" }"', '"o": {}');
const group = '{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "x" }] }';
const hooks = fc.constantFrom(
  `"hooks": { "PreToolUse": [${group}] }`,
  `"hooks": {\n    "PreToolUse": [\n      ${group}, // last\n    ],\n  }`,
  `"hooks": {\n    "Stop": [${group}], /* x */\n    "Other": [${group}]\n  }`,
);
/** Settings as people write them: indented by anything, with comments and trailing commas, on one line or many. */
export const handWritten: fc.Arbitrary<string> = fc
  .record({
    members: fc.uniqueArray(fc.tuple(member, comment), { maxLength: 4, selector: ([text]) => text, minLength: 1 }),
    hooks: fc.option(hooks, { nil: undefined }),
    at: fc.nat({ max: 4 }),
    end,
    indent: fc.constantFrom("  ", "    ", "\t"),
    hasTrailingComma: fc.boolean(),
    mark: fc.constantFrom("", "\ufeff"),
    last: fc.constantFrom("", "\n", "\n\n// end\n"),
  })
  .map(({ members, hooks: own, at, end: one, indent, hasTrailingComma, mark, last }) => {
    const all: (readonly [string, string])[] = members.map(([text, note]) => [text, note]);
    if (own !== undefined) all.splice(Math.min(at, all.length), 0, [own, ""]);
    const lines = all.map(([text, note], index) => {
      const comma = index < all.length - 1 || hasTrailingComma ? "," : "";
      return `${indent}${text}${comma}${note}`;
    });
    return mark + ["{", ...lines, `}${last}`].join("\n").replaceAll("\n", one);
  });

const events = [
  ...new Set([claudeHook, geminiHook].flatMap((hook) => hook.settings.entries.map(({ event }) => event))),
];
const theirs = fc.record(
  {
    matcher: fc.constantFrom("*", "Bash", "write_file"),
    hooks: fc.array(fc.record({ type: fc.constant("command"), command: fc.string() }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const anyHooks = fc.dictionary(
  fc.constantFrom(...events, "Notification", "enabled"),
  fc.array(fc.oneof(theirs, fc.jsonValue({ maxDepth: 2 })), { maxLength: 3 }),
  { maxKeys: 5 },
);
const anySettings = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.option(anyHooks, { nil: undefined }), fc.nat())
  .map(([members, hooks, at]) => {
    const others = Object.entries(members).filter(([name]) => name !== "hooks" && name !== "__proto__");
    if (hooks !== undefined) others.splice(at % (others.length + 1), 0, ["hooks", hooks]);
    return Object.fromEntries(others);
  });
/** Whatever JSON an agent could find, laid out in any way. */
export const anyJson: fc.Arbitrary<string> = fc
  .record({
    value: anySettings,
    indent: fc.constantFrom("", " ", "  ", "    ", "\t", "\t\t"),
    width: fc.constantFrom(1, 1, 8),
    end: fc.constantFrom("\n", "\r\n"),
    mark: fc.constantFrom("", "\ufeff"),
    first: fc.constantFrom("", "", "\n"),
    last: fc.constantFrom("", "\n", "\n\n", "  \n", " "),
    empty: fc.constantFrom("", "", " ", "\n", "\n  "),
  })
  .map(({ value, indent, width, end, mark, first, last, empty }) => {
    const lines = JSON.stringify(value, undefined, 1).split("\n");
    const laid = lines.map((line) => line.replace(/^ */u, (one) => indent.repeat(one.length * width)));
    const text = (indent === "" ? JSON.stringify(value) : laid.join("\n")).replace(
      /(?<=(?:^|: )[[{])(?=[\]}],?$)/gmu,
      empty,
    );
    return mark + `${first}${text}${last}`.replaceAll("\n", end);
  });
export const anyFile: fc.Arbitrary<string | undefined> = fc.oneof(
  { weight: 8, arbitrary: anyJson },
  { weight: 1, arbitrary: fc.constantFrom(undefined, "", "\n", " \r\n\t", "\ufeff", "{}", "{ }", "{\n}", "{}\r\n") },
);
