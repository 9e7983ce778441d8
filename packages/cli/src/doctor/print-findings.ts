import { resolve } from "node:path";
import type { AgentId, Finding, Platform, Surroundings } from "@patchbay/core";
import { diagnose } from "@patchbay/core/diagnosis";
import { program } from "../own-command.ts";
import { safeJson } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import type { ShellWords } from "../terminal/shell-words.ts";
import { wordsOf } from "./finding-words.ts";

export interface DoctorRequest {
  readonly folder: string;
  readonly json: boolean;
  /** For strangers: nothing of the user is in it. */
  readonly report: boolean;
  /** Only these, where any are named. */
  readonly agents: readonly AgentId[];
  readonly platform: Platform;
  readonly paint: Paint;
  readonly print: (line: string) => void;
  /** Where else editors may be looked for; default: what this machine tells. */
  readonly elsewhere?: readonly Surroundings[];
  /** See `DiagnosisRequest.waitMs`. */
  readonly waitMs?: number | undefined;
  /** Default: that of this terminal. */
  readonly shell?: ShellWords;
}

/** `patchbay doctor`: resolves with the exit code, 1 where there is a problem. */
export async function printFindings(request: DoctorRequest): Promise<number> {
  const { json, report, agents, platform, paint, print, elsewhere, waitMs, shell } = request;
  const folder = resolve(request.folder);
  const findings = await diagnose(platform, {
    folder,
    waitMs,
    ...(agents.length === 0 ? {} : { agents }),
    ...(elsewhere === undefined ? {} : { elsewhere }),
  });
  if (report) {
    const { reportLines } = await import("./report.ts");
    for (const line of reportLines(findings, { folder, platform })) print(line);
  } else if (json) {
    print(safeJson({ folder, findings: findings.map((finding) => ({ ...finding, ...wordsOf(finding, shell) })) }, 2));
  } else {
    for (const finding of findings) {
      const { text, fix } = wordsOf(finding, shell);
      const name = finding.level === "ok" ? "" : ` ${paint.faint(`[${finding.code}]`)}`;
      print(`${mark(finding, paint)} ${text}${name}`);
      if (fix !== undefined) print(`  type: ${paint.place(fix)}`);
    }
    print("");
    const [worst] = findings;
    const more = worst?.level !== "problem" || worst.code === "not-installed";
    print(`${summary(findings)}${more ? "" : ` To have one explained: ${program} doctor --explain ${worst.code}`}`);
  }
  return findings.some(({ level }) => level === "problem") ? 1 : 0;
}

function mark({ level }: Finding, paint: Paint): string {
  if (level === "ok") return paint.good("✓");
  return level === "problem" ? paint.bad("✗") : paint.strong("!");
}

function summary(findings: readonly Finding[]): string {
  const isAbsent = ({ code }: Finding): boolean => code === "not-installed";
  if (findings.every(isAbsent)) return "No agent is installed here.";
  const problems = findings.filter(({ level }) => level === "problem");
  const absent = new Set(findings.filter(isAbsent).flatMap(({ agents }) => agents));
  // What is said of agents that are not there is what would be.
  const isNoneThere = findings.every(({ agents }) => agents.length > 0 && agents.every((agent) => absent.has(agent)));
  if (isNoneThere && problems.every(isAbsent)) return "No agent was found on this terminal's PATH.";
  if (problems.length > 0) return problems.length === 1 ? "1 problem found." : `${problems.length} problems found.`;
  return "Agents started here can connect and will show their changes.";
}
