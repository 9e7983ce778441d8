import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestPlatform } from "@patchbay/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import {
  type CommandPolicies,
  commandPoliciesAt,
  isCommandAsked,
  isReviewed,
  policiesAt,
  projectFile,
  type ReviewPolicies,
} from "../../src/hooks/policy.ts";

function setUp(project?: unknown) {
  const platform = createTestPlatform();
  onTestFinished(() => platform.dispose());
  const { workspace } = platform;
  mkdirSync(join(workspace, "migrations"));
  const text = typeof project === "string" ? project : JSON.stringify(project);
  if (project !== undefined) writeFileSync(join(workspace, ".patchbay.json"), text);
  const at = (setting: unknown, name = "a.ts"): Promise<ReviewPolicies> =>
    policiesAt(setting, join(workspace, name), platform);
  const unclear: string[] = [];
  const onUnclear = (path: string): void => void unclear.push(path);
  const reviewed = (name: string, policies: ReviewPolicies = {}, agent = "claude"): Promise<boolean> =>
    isReviewed(join(workspace, name), { platform, agent, policies, folders: [workspace], onUnclear });
  const asked = (policies: CommandPolicies = {}, agent = "claude"): Promise<boolean> =>
    isCommandAsked({ platform, agent, policies, folders: [workspace], onUnclear });
  const commandsAt = (setting: unknown): Promise<CommandPolicies> => commandPoliciesAt(setting, workspace, platform);
  return { reviewed, unclear, at, asked, commandsAt, workspace };
}

it("a repository's file is described as it is read", () => {
  const published = readFileSync(join(import.meta.dirname, "../../../../docs/patchbay.schema.json"), "utf8");
  const withoutWords = (key: string, value: unknown): unknown =>
    key === "title" || key === "description" ? undefined : value;
  expect(JSON.parse(published, withoutWords)).toEqual(z.toJSONSchema(projectFile, { io: "input" }));
});

describe("which writes are reviewed", () => {
  it("is all of them, where nobody says anything", async () => {
    const { reviewed } = setUp();
    expect(await reviewed("a.ts")).toBe(true);
  });

  it("is said by the user for one agent and for all others", async () => {
    const { reviewed } = setUp();
    const policies: ReviewPolicies = { claude: "asks-itself", "*": "always" };
    expect(await reviewed("a.ts", policies)).toBe(false);
    expect(await reviewed("a.ts", policies, "gemini")).toBe(true);
  });

  it("is said by paths, and what could loosen them is always among them", async () => {
    const { reviewed } = setUp();
    const policies: ReviewPolicies = { "*": { paths: ["migrations/**", "*.lock"] } };
    expect(await reviewed("migrations/1.sql", policies)).toBe(true);
    expect(await reviewed("pnpm.lock", policies)).toBe(true);
    expect(await reviewed("a.ts", policies)).toBe(false);
    expect(await reviewed(".patchbay.json", policies)).toBe(true);
    expect(await reviewed(".claude/settings.local.json", policies)).toBe(true);
    expect(await reviewed(".pi/extensions/deep/index.ts", policies)).toBe(true);
    expect(await reviewed(".pi/settings.json", policies)).toBe(true);
    expect(await reviewed(".codex/hooks.json", policies)).toBe(true);
    expect(await reviewed(".codex/config.toml", policies)).toBe(true);
  });

  it.each([
    ["always", "never", false],
    ["always", "asks-itself", true],
    ["never", "always", true],
    ["asks-itself", "always", true],
    [{ paths: ["a.*"] }, "asks-itself", true],
    [{ paths: ["b.*"] }, "asks-itself", false],
    [{ paths: ["b.*"] }, { paths: ["a.*"] }, true],
    ["asks-itself", { paths: ["a.*"] }, true],
  ] as const)("can only be tightened by a repository: %j on the user's %j", async (project, user, expected) => {
    const { reviewed, unclear } = setUp({ reviews: { "*": project } });
    expect(await reviewed("a.ts", { "*": user })).toBe(expected);
    expect(unclear).toEqual([]);
  });

  it.each([["{"], ['{"reviews":{"*":"sometimes"}}'], ["[]"]])(
    "is the user's alone where the file reads %s",
    async (text) => {
      const { reviewed, unclear } = setUp(text);
      expect(await reviewed("a.ts", { "*": "asks-itself" })).toBe(false);
      expect(unclear).toHaveLength(1);
    },
  );

  it("is every path where a repository's patterns together stand for more than can be read in time", async () => {
    const paths = Array.from({ length: 200 }, () => `${"{a,b}".repeat(8)}${"*a".repeat(200)}`);
    const { reviewed } = setUp({ reviews: { "*": { paths } } });
    const before = performance.now();
    expect(await reviewed(`${"a/".repeat(60)}${"a".repeat(200)}`, { "*": "asks-itself" })).toBe(true);
    // Some twenty seconds where each of them is read.
    expect(performance.now() - before).toBeLessThan(5_000);
  });

  it("is every path where a pattern cannot be understood", async () => {
    const { reviewed } = setUp();
    expect(await reviewed("a.ts", { "*": { paths: ["{"] } })).toBe(true);
  });
});

describe("the setting of a user", () => {
  it("says something of agents, and counts as always where it cannot be understood", async () => {
    const { at } = setUp();
    expect(await at({ claude: "never", gemini: "nevr", "*": { paths: ["*.sql"] } })).toEqual({
      claude: "never",
      gemini: "always",
      "*": { paths: ["*.sql"] },
    });
    for (const nothing of [undefined, null, "never", ["never"]]) expect(await at(nothing)).toEqual({});
  });

  it("says something else of folders, the nearest of which counts", async () => {
    const { at, workspace } = setUp();
    const setting = {
      claude: "never",
      folders: {
        [workspace]: { claude: "asks-itself" },
        [join(workspace, "migrations")]: { "*": "always" },
        [`${workspace}s`]: { claude: "never" },
      },
    };
    expect(await at(setting)).toEqual({ claude: "asks-itself" });
    expect(await at(setting, "migrations/1.sql")).toEqual({ "*": "always" });
  });
});

describe("whether the user is asked about commands", () => {
  it.each([
    [undefined, {}, false],
    [undefined, { "*": "ask" }, true],
    [undefined, { "*": "ask", claude: "never" }, false],
    ["ask", {}, true],
    ["ask", { gemini: "never" }, true],
    ["ask", { claude: "never" }, false],
    ["never", { claude: "ask" }, true],
    ["never", {}, false],
  ] as const)("the repository's %j on the user's %j", async (project, user, expected) => {
    const { asked, unclear } = setUp({ reviews: { commands: project === undefined ? {} : { "*": project } } });
    expect(await asked(user)).toBe(expected);
    expect(unclear).toEqual([]);
  });

  it.each([["{"], ['{"reviews":{"commands":"ask"}}'], ['{"reviews":{"commands":{"*":"allow"}}}']])(
    "is the user's word alone where the repository's file reads %s",
    async (text) => {
      const { asked, unclear } = setUp(text);
      expect(await asked()).toBe(false);
      expect(unclear).toHaveLength(1);
    },
  );

  it("is said beside what is said of writes, for folders, too, and is a yes where it cannot be understood", async () => {
    const { commandsAt, at, workspace } = setUp();
    expect(await commandsAt({ "*": "always", commands: { claude: "ask", qwen: "yes" } })).toEqual({
      claude: "ask",
      qwen: "ask",
    });
    const folders = { [workspace]: { gemini: "never", commands: { claude: "never" } } };
    const setting = { commands: { "*": "ask" }, folders };
    expect(await commandsAt(setting)).toEqual({ "*": "ask", claude: "never" });
    expect(await at(setting)).toEqual({ gemini: "never" });
    expect(await commandsAt({ commands: "ask" })).toEqual({ "*": "ask" });
    expect(await commandsAt({ commands: null })).toEqual({ "*": "ask" });
    expect(await commandsAt({ "*": "always" })).toEqual({});
  });
});
