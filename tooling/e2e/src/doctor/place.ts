import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentId, FindingCode } from "@patchbay/core";

/** A home, a folder and a terminal for one situation, with an editor that has the folder open. */
export interface Place {
  readonly root: string;
  readonly home: string;
  readonly folder: string;
  /** The terminal's programs. */
  readonly bin: string;
  readonly environment: Record<string, string>;
  /** The editor's. */
  readonly port: string;
  /** Of a scripted model, where the agent does something. */
  readonly modelUrl: string | undefined;
  readonly put: (path: string, text: string) => void;
}

/** One situation, which is made for real and which the doctor and the agent both meet. */
export interface Situation {
  readonly title: string;
  readonly agent: AgentId;
  readonly make?: Step | SlowStep;
  /** The editor's process stands still for some seconds when the doctor looks, and again when the agent does. */
  readonly isSlow?: boolean;
  /** What the real agent does here; that its change is reviewed in the editor counts as a connection; `ends`: it does not even start, or asks what to do. */
  readonly does: "connects" | "stays away" | "ends";
  /** What the doctor says of it: why it does not connect, or that it does. */
  readonly says: FindingCode;
}

/** Changes the place before anybody looks. */
export type Step = (place: Place) => void;

/** The same, and it takes its time. */
export type SlowStep = (place: Place) => Promise<void>;

/** An Anthropic key in form only: no model answers, and none is asked. */
export const key = "sk-ant-api03-not-a-real-key-000000000000000000000000";

/** Settings of the Gemini family that have it start without questions. */
export const quiet = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: true } },
  general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  ui: { theme: "Default", hideTips: true },
};

/** Those that have it look for an editor, and those that do not. */
export const ideOn = { ide: { enabled: true, hasSeenNudge: true } };
export const ideOff = '{ "ide": { "enabled": false } }';

export function all(...steps: readonly Step[]): Step {
  return (place) => {
    for (const step of steps) step(place);
  };
}

export function inHome(path: string, text: string | ((place: Place) => string)): Step {
  return (place) => place.put(join(place.home, path), typeof text === "string" ? text : text(place));
}

export function inFolder(path: string, text: string | ((place: Place) => string)): Step {
  return (place) => place.put(join(place.folder, path), typeof text === "string" ? text : text(place));
}

export function variable(name: string, value: string | ((place: Place) => string)): Step {
  return (place) => void (place.environment[name] = typeof value === "string" ? value : value(place));
}

/** The editor's port as its own terminals have it. */
export function portWithExponent({ port }: Place): string {
  return `0.${port}e${port.length}`;
}

/** A file of trusted folders with this one in it. */
export function level(trust: string): (place: Place) => string {
  return ({ folder }) => JSON.stringify({ [folder]: trust });
}

/** An empty place with the agents set up, in which nobody has changed anything yet. */
export function makePlace(nodeDirectory: string): Omit<Place, "port" | "modelUrl"> {
  const root = mkdtempSync(join(tmpdir(), "patchbay-doctor-"));
  const at = (name: string): string => join(root, name);
  const [home, folder, temporary, bin] = [at("home"), at("work"), at("tmp"), at("bin")];
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o700 });
  };
  for (const directory of [home, folder, temporary]) mkdirSync(directory);
  settle(home, folder, put);
  return { root, home, folder, bin, put, environment: environmentOf({ home, temporary, bin, nodeDirectory }) };
}

function environmentOf(place: {
  readonly home: string;
  readonly temporary: string;
  readonly bin: string;
  readonly nodeDirectory: string;
}): Record<string, string> {
  return {
    HOME: place.home,
    PATH: `${place.bin}:${place.nodeDirectory}:/usr/bin:/bin`,
    TMPDIR: place.temporary,
    TERM: "xterm-256color",
    REMOTE_CONTAINERS: "true",
    GEMINI_API_KEY: "fake",
    GEMINI_CLI_NO_RELAUNCH: "true",
    GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:9",
    OPENAI_API_KEY: "fake",
    OPENAI_BASE_URL: "http://127.0.0.1:9",
    OPENAI_MODEL: "fake",
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    KILO_DISABLE_AUTOUPDATE: "1",
    KILO_DISABLE_MODELS_FETCH: "1",
  };
}

function settle(home: string, folder: string, put: Place["put"]): void {
  put(join(home, ".gemini", "settings.json"), JSON.stringify({ ...quiet, ...ideOn }));
  put(join(home, ".gemini", "state.json"), '{ "terminalSetupPromptShown": true }');
  put(join(home, ".qwen", "settings.json"), qwenSettings());
  const project = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] };
  const state = {
    hasCompletedOnboarding: true,
    theme: "dark",
    numStartups: 5,
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
    projects: { [folder]: project },
  };
  put(join(home, ".claude.json"), JSON.stringify(state));
  put(join(home, ".claude", "settings.json"), '{ "permissions": { "defaultMode": "default" } }');
  for (const name of ["opencode", "kilo"]) put(join(home, ".config", name, `${name}.json`), openSettings);
}

/** opencode's and Kilo's: a model that nobody asks, and no news from the network. */
const openSettings: string = JSON.stringify({
  autoupdate: false,
  share: "disabled",
  provider: {
    fake: {
      npm: "@ai-sdk/openai-compatible",
      options: { baseURL: "http://127.0.0.1:9/v1", apiKey: "fake" },
      models: { fake: { name: "Fake" } },
    },
  },
  model: "fake/fake",
});

interface QwenSettings {
  readonly asksForTrust?: boolean;
  readonly more?: object;
}

/** The user's settings of Qwen Code with this beside what has it start without questions. */
export function qwenSettings({ asksForTrust = false, more = ideOn }: QwenSettings = {}): string {
  const security = { ...quiet.security, auth: { selectedType: "openai" }, folderTrust: { enabled: asksForTrust } };
  return JSON.stringify({ ...quiet, ...more, security, tools: { approvalMode: "default" } });
}
