import { projectFileName, readProjectPolicies } from "../hooks/policy.ts";
import type { Platform } from "../platform/platform.ts";
import { joinPath } from "../storage/private-directory.ts";
import { type AgentSettings, isHooked } from "./agent-settings.ts";
import { type Finding, findingOf } from "./finding.ts";

/** What the folder wants to have reviewed, and who may come between a review and its file. */
export async function examineReviews(
  platform: Platform,
  folder: string,
  all: readonly AgentSettings[],
): Promise<readonly Finding[]> {
  const others = all.flatMap(({ agent, hook }): readonly Finding[] => {
    if (hook.kind !== "installed" || hook.others.length === 0) return [];
    return [findingOf("hook-beside-others", "hint", agent, { file: hook.file, commands: hook.others })];
  });
  const file = joinPath(platform, folder, projectFileName);
  const policies = await readProjectPolicies(platform.files, file);
  if (policies === undefined) return [...others, findingOf("policy-unclear", "problem", undefined, { file })];
  const unmet = all.filter((one) => {
    const wanted = policies[one.agent] ?? policies["*"];
    return !isHooked(one) && (wanted === "always" || typeof wanted === "object");
  });
  return [
    ...others,
    ...unmet.map(({ agent, asks }) => findingOf("policy-without-hook", asks ? "hint" : "problem", agent, { file })),
  ];
}
