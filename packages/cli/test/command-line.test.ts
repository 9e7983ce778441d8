import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../src/command-line.ts";
import { helpText } from "../src/help.ts";

const parse = (...args: readonly string[]): unknown => parseCommandLine(args, "/cwd");

describe("the command line", () => {
  it("knows the commands, with the current folder as default", () => {
    expect(parse("serve")).toEqual({
      kind: "serve",
      folder: "/cwd",
      demo: false,
      json: false,
      difftool: undefined,
      port: undefined,
      open: [],
      moreFolders: [],
      problems: false,
      reviews: undefined,
    });
    expect(parse("serve", "/x", "--open", "a:1", "--open", "b", "--port", "4000", "--difftool", "meld")).toMatchObject({
      folder: "/x",
      open: ["a:1", "b"],
      port: 4000,
      difftool: "meld",
    });
    for (const reviews of ["always", "asks-itself", "never"])
      expect(parse("serve", "--reviews", reviews)).toMatchObject({ reviews });
    expect(parse("env", "--shell", "fish")).toEqual({ kind: "env", folder: "/cwd", shell: "fish", port: undefined });
    expect(parse("env", "/x", "--port", "7")).toEqual({ kind: "env", folder: "/x", shell: undefined, port: 7 });
    expect(parse("doctor", "/x", "--json")).toEqual({
      kind: "doctor",
      folder: "/x",
      json: true,
      report: false,
      agents: [],
    });
    expect(parse("doctor", "--report")).toMatchObject({ json: false, report: true, explain: undefined });
    expect(parse("doctor", "--explain", "no-editor")).toMatchObject({ explain: "no-editor" });
    expect(parse("doctor", "--agent", "qwen", "--agent", "claude")).toMatchObject({ agents: ["qwen", "claude"] });
    expect(parse("run", "claude", "--model", "opus", "--help", "--", "-x")).toEqual({
      kind: "run",
      agent: "claude",
      folder: "/cwd",
      args: ["--model", "opus", "--help", "--", "-x"],
    });
    expect(parse("run", "--help")).toEqual({ kind: "help", topic: "run" });
    const hook = { kind: "hook", agent: undefined, folder: "/cwd", project: false, yes: false };
    expect(parse("hook", "status")).toEqual({ ...hook, action: "status" });
    expect(parse("hook", "install", "qwen", "--project", "--yes")).toEqual({
      ...hook,
      action: "install",
      agent: "qwen",
      project: true,
      yes: true,
    });
    expect(parse("hook")).toEqual({ kind: "help", topic: "hook" });
    expect(parse("status")).toEqual({ kind: "status", json: false, watch: false });
    expect(parse("--version")).toEqual({ kind: "version" });
  });

  it("gives help for everything", () => {
    expect(parse()).toEqual({ kind: "help", topic: undefined });
    for (const topic of ["serve", "env", "status", "hook", "doctor"]) {
      expect(parse(topic, "--help")).toEqual({ kind: "help", topic });
      expect(helpText(topic)).toContain(`Usage: patchbay ${topic}`);
      expect(helpText(undefined)).toContain(`  ${topic}`);
    }
  });

  it("says what does not fit", () => {
    const wrong = {
      sevre: 'Unknown command "sevre".',
      "serve --nope": "Unknown option --nope. Type: patchbay --help",
      "hook claude": 'Unknown "hook claude". Use install, remove or status.',
      "serve a b": 'Unexpected argument "b".',
      "serve --port 0": 'Invalid port "0".',
      "serve --reviews sometimes": 'Invalid reviews "sometimes". Use always, asks-itself, never.',
      "env --shell": "--shell needs a value. Type: patchbay --help",
      "doctor --agent nova": "nova",
      "doctor --json --report": "--report",
      "doctor --explain": "--explain needs a value",
      "serve --json=yes": "--json takes no value. Type: patchbay --help",
    };
    for (const [line, sentence] of Object.entries(wrong)) {
      expect(() => parse(...line.split(" "))).toThrowError(
        expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(sentence) }),
      );
    }
  });
});
