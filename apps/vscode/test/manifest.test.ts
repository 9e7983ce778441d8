import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { agents } from "@patchbay/core";
import {
  type Agent,
  type Manifest as AgentManifest,
  type Texts,
  textsWithAgents,
  withAgents,
} from "../scripts/write-contributions.mts";
import { commandIds, panelCommandIds, trialCommandIds, turnCommandIds } from "../src/lazy.ts";

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
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly when?: string }[]>>;
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

describe("commands", () => {
  it("are exactly those that have code", () => {
    expect(ids.toSorted()).toEqual(
      [...commandIds, ...panelCommandIds, ...trialCommandIds, ...turnCommandIds].toSorted(),
    );
  });

  it("are called Patchbay's", () => {
    expect(manifest.contributes.commands.filter(({ category }) => category !== "Patchbay")).toEqual([]);
  });

  it("of menus and keys exist", () => {
    const used = [...Object.values(manifest.contributes.menus).flat(), ...manifest.contributes.keybindings];
    // In the list "Review" two keys move as the arrows do.
    const known = [...ids, "list.focusDown", "list.focusUp"];
    expect(used.map(({ command }) => command).filter((command) => !known.includes(command))).toEqual([]);
  });

  it("have keys only within a review or in its list, and the panel's at its own places", () => {
    for (const { command, key, when } of manifest.contributes.keybindings) {
      if (/^[a-z]$/u.test(key)) {
        expect(when).toBe("focusedView == patchbay.proposals && listFocus && !inputFocus");
        continue;
      }
      const place = command.startsWith("patchbay.panel.")
        ? /!patchbay\.silent|^patchbay\.panelFocused$/u
        : /resourceScheme == patchbay-proposal/u;
      expect(when).toMatch(place);
    }
  });

  it("are off where the edition stays silent, and so are the views", () => {
    const offWhenSilent = /!patchbay\.silent\b|^patchbay\.hasProposals$/u;
    const commands = manifest.contributes.commands.filter(({ enablement }) => !offWhenSilent.test(enablement ?? ""));
    expect(commands.map(({ command }) => command)).toEqual([]);
    for (const { when } of Object.values(manifest.contributes.views).flat()) {
      expect(when).toMatch(/^!patchbay\.silent(?: && |$)/u);
    }
  });

  it("of an editor's title belong to reviews, and the panel's to its tabs", () => {
    for (const { command, when } of manifest.contributes.menus["editor/title"] ?? []) {
      const place = command.startsWith("patchbay.panel.")
        ? /^activeWebviewPanelId == patchbay\.panel$/u
        : /^resourceScheme == patchbay-proposal(?: && resource (?:not )?in patchbay\.\w+)*$/u;
      expect(when).toMatch(place);
    }
  });
});

describe("texts", () => {
  const english = readJson<Readonly<Record<string, string>>>("package.nls.json");

  it("of the manifest stand in package.nls.json, and no others", () => {
    const used = Array.from(text.matchAll(/"%([^%"]+)%"/gu), (match) => match[1] ?? "");
    expect(Array.from(new Set(used)).toSorted()).toEqual(Object.keys(english).toSorted());
  });

  it("of the code are in our own languages, and not in those of VS Code's files", () => {
    const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
    const others = sources.filter(
      (name) =>
        name.endsWith(".ts") && /\bl10n\b[^}]*\} from "vscode"/u.test(readFileSync(join(root, "src", name), "utf8")),
    );
    expect(others).toEqual([]);
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

  it("of the walkthrough exist", () => {
    for (const { media } of manifest.contributes.walkthroughs.flatMap(({ steps }) => steps)) {
      const page = readFileSync(join(root, media.markdown), "utf8");
      expect(page.length).toBeGreaterThan(0);
      for (const [, picture = ""] of page.matchAll(/!\[[^\]]+\]\(([^)]+)\)/gu)) {
        expect(readFileSync(join(root, media.markdown, "..", picture)).length).toBeLessThanOrEqual(20_000);
      }
    }
  });
});

/** An agent that the catalogue does not hold. */
const nova: Agent = {
  id: "nova",
  agentName: "Nova Shell",
  program: { command: "nova", package: "@example/nova" },
  asking: { setting: "writeMode", flag: "--write-mode", value: "ask", isDefault: false },
};

describe("what the manifest says of agents", () => {
  const written = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

  it("is what the catalogue says; `pnpm run contributions` writes it", () => {
    expect(text).toBe(written(withAgents(readJson<AgentManifest>("package.json"))));
  });

  it("is so in its texts, too", () => {
    const texts = readFileSync(join(root, "package.nls.json"), "utf8");
    expect(texts).toBe(written(textsWithAgents(readJson<Texts>("package.nls.json"))));
  });

  it("has a further agent's command and settings, none of which an untrusted workspace may choose", () => {
    const { capabilities, contributes, keywords } = withAgents(readJson<Manifest & AgentManifest>("package.json"), [
      ...agents,
      nova,
    ]);
    const { properties } = contributes.configuration;
    expect(keywords).toContain("nova shell");
    expect(contributes.commands.map(({ command }) => command)).toContain("patchbay.runNova");
    expect(properties["patchbay.agents.nova.command"]).toMatchObject({ default: "nova" });
    expect(properties["patchbay.agents.nova.writeMode"]).toMatchObject({
      enum: ["ask", "asConfigured"],
      default: "ask",
    });
    expect(capabilities.untrustedWorkspaces.restrictedConfigurations).toEqual(
      expect.arrayContaining(["patchbay.agents.nova.command", "patchbay.agents.nova.writeMode"]),
    );
  });

  it("has a text for each of these, and offers the agent where others are offered", () => {
    const all = [...agents, nova];
    const keys = Array.from(
      written(withAgents(readJson<AgentManifest>("package.json"), all)).matchAll(/"%([^%"]+)%"/gu),
      ([, key = ""]) => key,
    );
    const texts = textsWithAgents(readJson<Texts>("package.nls.json"), all);
    expect(Object.keys(texts).toSorted()).toEqual(Array.from(new Set(keys)).toSorted());
    for (const key of ["welcome.connections", "walkthrough.run.description"]) {
      expect(texts[key]).toMatch(/\n\[[^\]]*Nova Shell[^\]]*\]\(command:patchbay\.runNova\)/u);
    }
    expect(texts["description"]).toContain("Nova Shell");
    expect(texts["config.agents.nova.writeMode.ask"]).toContain("--write-mode ask");
  });

  it.each(["README.md", "media/walkthrough/run.md"])("leaves out none in %s", (file) => {
    const page = readFileSync(join(root, file), "utf8");
    expect(agents.filter(({ agentName }) => !page.includes(agentName))).toEqual([]);
  });

  it("keeps the names that users' keys and settings already have", () => {
    expect(ids.slice(0, 3)).toEqual(["patchbay.runGemini", "patchbay.runQwen", "patchbay.runClaude"]);
    const names = Object.keys(manifest.contributes.configuration.properties);
    expect(names.filter((name) => name.startsWith("patchbay.agents."))).toEqual([
      "patchbay.agents.gemini.command",
      "patchbay.agents.qwen.command",
      "patchbay.agents.qwen.approvalMode",
      "patchbay.agents.claude.command",
      "patchbay.agents.claude.permissionMode",
      "patchbay.agents.copilot.command",
      "patchbay.agents.codex.command",
      "patchbay.agents.pi.command",
      "patchbay.agents.opencode.command",
      "patchbay.agents.kilo.command",
    ]);
  });
});

describe("the manifest", () => {
  it("promises no more than the types it was written with", () => {
    expect(manifest.engines.vscode).toBe(`^${manifest.devDependencies["@types/vscode"]}`);
  });

  it("lets no workspace choose what the panel runs", () => {
    expect(manifest.contributes.configuration.properties["patchbay.panel.agents"]).toMatchObject({ scope: "machine" });
  });

  it("shows the panel in one side bar at a time, whichever VS Code it is", () => {
    const [view, secondary] = Object.values(manifest.contributes.views)
      .flat()
      .filter(({ id }) => id.startsWith("patchbay.panel"));
    const shown = (when: string | undefined, place: string, hasSecondary: boolean): boolean => {
      const [, , first = "", second] =
        /^(!patchbay\.silent) && \(?(config\S+ [!=]= \w+) (?:&&|\|\|) (!?patchbay\.\w+)\)?$/u.exec(when ?? "") ?? [];
      const isPlace = first.includes("==") === (place === "secondarySideBar");
      const fits = second?.startsWith("!") === true ? !hasSecondary : hasSecondary;
      return when?.includes("||") === true ? isPlace || fits : isPlace && fits;
    };
    for (const place of ["sideBar", "secondarySideBar", "tab"]) {
      for (const hasSecondary of [true, false]) {
        const both = [view, secondary].map((one) => shown(one?.when, place, hasSecondary));
        expect(both.filter(Boolean)).toHaveLength(1);
        expect(both[1]).toBe(place === "secondarySideBar" && hasSecondary);
      }
    }
  });

  it("lets no untrusted workspace choose what is run or shared", () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    const sensitive = Object.keys(manifest.contributes.configuration.properties).filter((name) =>
      /^patchbay\.(?:agents|context)\./u.test(name),
    );
    expect(sensitive.filter((name) => !restrictedConfigurations.includes(name))).toEqual([]);
  });
});
