import { l10n } from "vscode";
import type { Companion } from "@patchbay/core";
import type { Settings } from "../settings/settings.ts";
import { markdownText } from "../surfaces/texts.ts";
import { findAgentSettings } from "./agent-settings.ts";
import { findCompanion } from "./companion-findings.ts";
import type { Finding } from "./finding.ts";

const signs: Readonly<Record<Finding["mark"], string>> = { good: "✓", hint: "•", problem: "✗" };

/** Looks at everything an agent needs to connect and to ask for reviews; the answer is Markdown. */
export async function writeDiagnosis(companion: Companion, settings: Settings): Promise<string> {
  const findings = [...findCompanion(companion, settings), ...(await findAgentSettings())];
  const lines = findings.map(({ mark, found, advice }) =>
    advice === undefined
      ? `${signs[mark]} ${markdownText(found)}`
      : `${signs[mark]} **${markdownText(found)}** ${markdownText(advice)}`,
  );
  return [`# ${l10n.t("Patchbay: Diagnosis")}`, ...lines].join("\n\n");
}
