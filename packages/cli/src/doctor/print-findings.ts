import { resolve } from "node:path";
import type { Platform } from "@patchbay/core";
import { escapeLine } from "../terminal/escape-text.ts";
import type { Paint } from "../terminal/paint.ts";
import { examine } from "./examine.ts";
import type { Finding } from "./finding.ts";

export interface DoctorRequest {
  readonly folder: string;
  readonly json: boolean;
  readonly platform: Platform;
  readonly paint: Paint;
  readonly print: (line: string) => void;
}

/** `patchbay doctor`: resolves with the exit code, 1 where there is a problem. */
export async function printFindings(request: DoctorRequest): Promise<number> {
  const { json, platform, paint, print } = request;
  const folder = resolve(request.folder);
  const findings = await examine(platform, folder);
  const problems = findings.filter(({ level }) => level === "problem").length;
  if (json) {
    print(JSON.stringify({ folder, findings }, undefined, 2));
  } else {
    for (const finding of findings) {
      print(`${mark(finding, paint)} ${escapeLine(finding.text)}`);
      if (finding.fix !== undefined) print(`  type: ${paint.place(escapeLine(finding.fix))}`);
    }
    print("");
    print(summary(problems));
  }
  return problems === 0 ? 0 : 1;
}

function mark({ level }: Finding, paint: Paint): string {
  if (level === "ok") return paint.good("✓");
  return level === "problem" ? paint.bad("✗") : paint.strong("!");
}

function summary(problems: number): string {
  if (problems === 0) return "Agents started here can connect and will show their changes.";
  return problems === 1 ? "One thing stands in the way." : `${problems} things stand in the way.`;
}
