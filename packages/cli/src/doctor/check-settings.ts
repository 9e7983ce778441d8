import { join } from "node:path";
import type { Platform } from "@patchbay/core";
import * as z from "zod";
import { realPlace } from "../records/real-place.ts";
import type { Finding } from "./finding.ts";
import { parseLooseJson } from "./loose-json.ts";

const largestSettingsBytes = 1_048_576;

const geminiSchema = z.object({
  ide: z.object({ enabled: z.boolean().optional(), hasSeenNudge: z.boolean().optional() }).optional(),
});
const qwenSchema = z.object({
  ide: z.object({ enabled: z.boolean().optional() }).optional(),
  tools: z.object({ approvalMode: z.string().optional() }).optional(),
});
const claudeSchema = z.object({
  diffTool: z.string().optional(),
  permissions: z.object({ defaultMode: z.string().optional(), ask: z.array(z.string()).optional() }).optional(),
});

/** Do the agents' own settings let them look for an editor? (docs/protocols) */
export async function checkConnecting(platform: Platform, folder: string): Promise<readonly Finding[]> {
  return (await Promise.all([checkGemini(platform, folder), checkQwenConnecting(platform, folder)])).flat();
}

/** Do the agents' own settings let them ask before they write? In a mode in which they never ask no change is ever shown. */
export async function checkAsking(platform: Platform, folder: string): Promise<readonly Finding[]> {
  return (await Promise.all([checkQwenAsking(platform, folder), checkClaude(platform, folder)])).flat();
}

async function checkGemini(platform: Platform, folder: string): Promise<readonly Finding[]> {
  const layers = await readLayers(platform, settingsPaths(platform, folder, ".gemini", undefined), geminiSchema);
  const enabled = last(layers.map(({ ide }) => ide?.enabled));
  if (enabled === true) return [];
  const seen = last(layers.map(({ ide }) => ide?.hasSeenNudge)) === true;
  const text =
    enabled === false || seen
      ? "Gemini CLI's IDE mode is off (ide.enabled), so it does not look for an editor."
      : 'Gemini CLI has not been told to use an editor yet. Its first-run question offers to install another extension; answer "No" and switch IDE mode on.';
  return [{ level: "problem", agent: "gemini", text, fix: "/ide enable   # typed in Gemini CLI" }];
}

async function readQwen(platform: Platform, folder: string): Promise<readonly z.infer<typeof qwenSchema>[]> {
  const home = platform.process.environment("QWEN_HOME") || undefined;
  return await readLayers(platform, settingsPaths(platform, folder, ".qwen", home), qwenSchema);
}

async function checkQwenConnecting(platform: Platform, folder: string): Promise<readonly Finding[]> {
  const layers = await readQwen(platform, folder);
  if (last(layers.map(({ ide }) => ide?.enabled)) !== false) return [];
  const text = "Qwen Code's IDE mode is off (ide.enabled), so it does not look for an editor.";
  return [{ level: "problem", agent: "qwen", text, fix: "/ide enable   # typed in Qwen Code" }];
}

async function checkQwenAsking(platform: Platform, folder: string): Promise<readonly Finding[]> {
  const layers = await readQwen(platform, folder);
  const mode = last(layers.map(({ tools }) => tools?.approvalMode)) ?? "auto";
  if (mode === "default") return [];
  const text = `Qwen Code's approval mode is "${mode}", in which it writes without asking: the editor is never shown a change.`;
  const fix = "/approval-mode default   # typed in Qwen Code; for good: tools.approvalMode in settings.json";
  return [{ level: "problem", agent: "qwen", text, fix }];
}

async function checkClaude(platform: Platform, folder: string): Promise<readonly Finding[]> {
  const home = platform.process.environment("CLAUDE_CONFIG_DIR") || undefined;
  const paths = [
    join(home ?? platform.process.homeDirectory, ".claude.json"),
    ...settingsPaths(platform, folder, ".claude", home),
    join(folder, ".claude", "settings.local.json"),
  ];
  const layers = await readLayers(platform, paths, claudeSchema);
  const findings: Finding[] = [];
  if (last(layers.map(({ diffTool }) => diffTool)) === "terminal") {
    const text = 'Claude Code\'s diffTool is "terminal": changes are never shown in the editor.';
    findings.push({
      level: "problem",
      agent: "claude",
      text,
      fix: "/config   # typed in Claude Code: set the diff tool to auto",
    });
  }
  const mode = last(layers.map(({ permissions }) => permissions?.defaultMode)) ?? "auto";
  const asks = layers.flatMap(({ permissions }) => permissions?.ask ?? []);
  if (mode !== "default" && mode !== "manual" && !["Edit", "Write"].every((tool) => asks.includes(tool))) {
    const text = `Claude Code's permission mode is "${mode}", in which it writes without asking: the editor is never shown a change.`;
    findings.push({
      level: "problem",
      agent: "claude",
      text,
      fix: 'claude --permission-mode manual   # for good: permissions.defaultMode "default" in settings.json',
    });
  }
  return findings;
}

/** The user's settings, then the folder's, which win. */
function settingsPaths(platform: Platform, folder: string, name: string, home: string | undefined): readonly string[] {
  return [
    join(home ?? join(platform.process.homeDirectory, name), "settings.json"),
    join(folder, name, "settings.json"),
  ];
}

/** The settings that are there and can be read, in the order of the paths. */
async function readLayers<T>(
  platform: Platform,
  paths: readonly string[],
  schema: { safeParse(value: unknown): { readonly data?: T | undefined } },
): Promise<readonly T[]> {
  const texts = await Promise.all(
    paths.map(async (path) => {
      // A linked settings file (dotfiles) is read where it lies.
      const real = await realPlace(platform, path);
      return await platform.files.readText(real, largestSettingsBytes).catch(() => undefined);
    }),
  );
  return texts.flatMap((text) => {
    const data = text === undefined ? undefined : schema.safeParse(parseLooseJson(text)).data;
    return data === undefined ? [] : [data];
  });
}

function last<T>(values: readonly (T | undefined)[]): T | undefined {
  return values.findLast((value) => value !== undefined);
}
