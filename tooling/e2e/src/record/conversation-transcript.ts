import { scenarioPromptId, type RecordedLine } from "@patchbay/testkit";
import type { Lab } from "../support/lab.ts";

/** Long lists of what the installed program has; nobody looks at them, and they differ from machine to machine. */
const leftOut: ReadonlySet<string> = new Set([
  "agents",
  "available_output_styles",
  "capabilities",
  "mcp_servers",
  "plugins",
  "skills",
  "slash_commands",
  "subagent_stats",
  "terminal_slash_commands",
  "tools",
]);

/** Lists of which a few are enough. */
const shortened: ReadonlySet<string> = new Set(["commands"]);

/** Writes a recorded conversation as JSON lines, freed of what differs from run to run. */
export function formatConversation(lines: readonly RecordedLine[], lab: Lab): string {
  const paths = [
    [lab.workspace, "/workspace"],
    [lab.home, "/home/user"],
    [lab.root, "/lab"],
  ] as const;
  const shortened = [...paths.map(([from, to]) => [dashed(from), dashed(to)] as const), ...paths.map(slashed)];
  const written = [...paths, ...shortened];
  const ids = new Map<string, string>();
  const prompts = new Set(Array.from({ length: 20 }, (_, count) => scenarioPromptId(count)));
  const idFor = (id: string): string => {
    if (prompts.has(id)) return id;
    const known = ids.get(id) ?? `10000000-0000-4000-8000-${String(ids.size + 1).padStart(12, "0")}`;
    ids.set(id, known);
    return known;
  };
  return lines
    .map((line) => {
      const text = JSON.stringify(line, line.dir === "in" ? kept : undefined);
      const moved = written.reduce((result, [from, to]) => result.replaceAll(from, to), text);
      return `${withoutMoments(moved.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, idFor))}\n`;
    })
    .join("");
}

function kept(key: string, value: unknown): unknown {
  if (leftOut.has(key) && Array.isArray(value)) return [];
  if (key === "subagent_stats") return undefined;
  return shortened.has(key) && Array.isArray(value) ? value.slice(0, 2) : value;
}

function withoutMoments(text: string): string {
  return text
    .replaceAll(/"timestamp":"[^"]*"/gu, '"timestamp":"2026-01-01T00:00:00.000Z"')
    .replaceAll(/"timestamp":\d+/gu, '"timestamp":1767225600000')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z/gu, "2026-01-01T00-00-00-000Z")
    .replaceAll(/127\.0\.0\.1:\d+/gu, "127.0.0.1:1")
    .replaceAll(/("\w*_ms":)[\d.]+/gu, "$10")
    .replaceAll(/("(?:pid|end_time)":)\d+/gu, "$11")
    .replaceAll(/\/cc-socks\/\d+/gu, "/cc-socks/1");
}

/** As Claude Code names the folder of a project. */
function dashed(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]/gu, "-");
}

/** As Pi does: what stands between the names alone. */
function slashed([from, to]: readonly [string, string]): readonly [string, string] {
  return [from.replaceAll("/", "-"), to.replaceAll("/", "-")];
}
